/*
 * Reading program images.
 *
 * An image comes from outside, so everything in it is checked before use:
 * the kernel that maps it and the dump that prints it rely on that.
 */
#include "workloads/image.h"

#include "emu/bug.h"
#include "emu/bytes.h"
#include "workloads/assembler.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX (1L << 30)
#define PAGE	 4096u

struct reader {
	struct image *image;
	struct diag *d;
	struct diag_place at;
};

#define BAD(r, ...) diag_error((r)->d, (r)->at, __VA_ARGS__)

/* "folder/qsbench.elf" is called "qsbench". */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = xstrdup(slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');

	if (dot && dot != name)
		*dot = 0;
	return name;
}

/*
 * The text of a big library is true in size, but most of it is zero. Such
 * pieces are left as the host gave them: it does not back them with memory.
 */
static bool load_bytes(struct reader *r, FILE *f)
{
	struct image *image = r->image;
	uint8_t piece[4096];

	for (uint64_t at = 0; at < image->size; at += sizeof(piece)) {
		uint64_t left = image->size - at;
		size_t n = left < sizeof(piece) ? left : sizeof(piece);

		if (fread(piece, 1, n, f) != n)
			return false;
		if (!bytes_zero(piece, n))
			memcpy(image->bytes + at, piece, n);
	}
	return true;
}

static bool load_file(struct reader *r, FILE *f)
{
	struct image *image = r->image;
	struct stat st;

	if (fstat(fileno(f), &st)) {
		BAD(r, "cannot read: %s", strerror(errno));
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		BAD(r, "not a regular file");
		return false;
	}
	if (st.st_size > FILE_MAX) {
		BAD(r, "larger than 1 GiB");
		return false;
	}
	image->size = (uint64_t)st.st_size;
	image->bytes = xcalloc(image->size + 1, 1);
	if (!load_bytes(r, f)) {
		BAD(r, "cannot read: %s",
		    ferror(f) ? strerror(errno) : "the file shrank");
		return false;
	}
	return true;
}

static bool load(struct reader *r, const char *path)
{
	FILE *f = fopen(path, "rb");
	bool good;

	if (!f) {
		BAD(r, "cannot open: %s", strerror(errno));
		return false;
	}
	good = load_file(r, f);
	(void)fclose(f);
	return good;
}

/* Does [offset, offset + size) lie in the file? */
static bool inside(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

static bool check_header(struct reader *r, const Elf32_Ehdr *eh)
{
	const uint8_t *id = r->image->bytes;

	if (id[EI_DATA] != ELFDATA2LSB || eh->e_version != EV_CURRENT) {
		BAD(r, "not a little-endian ELF file of version 1");
		return false;
	}
	if (eh->e_machine != ISA_MACHINE) {
		BAD(r,
		    "for machine 0x%x, not for 0x%x (ours): a program of "
		    "another processor",
		    eh->e_machine, ISA_MACHINE);
		return false;
	}
	if (eh->e_type != ET_EXEC) {
		BAD(r, "not an executable file (type %u)", eh->e_type);
		return false;
	}
	if (eh->e_phentsize != sizeof(Elf32_Phdr) ||
	    !inside(r->image, eh->e_phoff,
		    (uint64_t)eh->e_phnum * sizeof(Elf32_Phdr))) {
		BAD(r, "the program headers lie outside the file");
		return false;
	}
	/* libelf hands out pointers into the file as it is. */
	if (eh->e_phoff % _Alignof(Elf32_Phdr)) {
		BAD(r, "the program headers are misaligned");
		return false;
	}
	return true;
}

static bool check_segment(struct reader *r, const Elf32_Phdr *ph, unsigned nr)
{
	uint64_t end = (uint64_t)ph->p_vaddr + ph->p_memsz;

	if (!inside(r->image, ph->p_offset, ph->p_filesz))
		BAD(r, "segment %u lies outside the file (truncated?)", nr);
	else if (ph->p_filesz > ph->p_memsz)
		BAD(r, "segment %u is larger in the file than in memory", nr);
	else if (ph->p_vaddr % PAGE || ph->p_offset % PAGE)
		BAD(r, "segment %u does not begin at a page", nr);
	else if (ph->p_vaddr < PAGE || end > PROGRAM_TOP)
		BAD(r, "segment %u lies outside 0x1000 to 0x%x", nr,
		    PROGRAM_TOP);
	else if (!(ph->p_flags & PF_R))
		BAD(r, "segment %u cannot be read", nr);
	else if (!ph->p_memsz)
		BAD(r, "segment %u is empty", nr);
	else if (ph->p_filesz < ph->p_memsz && !(ph->p_flags & PF_W))
		BAD(r, "segment %u has zeroes behind it but is read-only", nr);
	else
		return true;
	return false;
}

/* Pages that both touch: a page belongs to one mapping only. */
static bool overlap(const struct image_segment *a,
		    const struct image_segment *b)
{
	uint64_t a_end = ((uint64_t)a->va + a->memory_size + PAGE - 1) / PAGE;
	uint64_t b_end = ((uint64_t)b->va + b->memory_size + PAGE - 1) / PAGE;

	return a->va / PAGE < b_end && b->va / PAGE < a_end;
}

static void take_segment(struct reader *r, const Elf32_Phdr *ph)
{
	struct image *image = r->image;
	unsigned nr = image->nr_segments;
	struct image_segment *s = &image->segment[nr];

	if (nr == IMAGE_SEGMENTS) {
		BAD(r, "more than %d segments", IMAGE_SEGMENTS);
		return;
	}
	if (!check_segment(r, ph, nr))
		return;
	*s = (struct image_segment){
		.va = ph->p_vaddr,
		.offset = ph->p_offset,
		.file_size = ph->p_filesz,
		.memory_size = ph->p_memsz,
		.write = ph->p_flags & PF_W,
		.exec = ph->p_flags & PF_X,
	};
	for (unsigned i = 0; i < nr; i++) {
		if (overlap(s, &image->segment[i]))
			BAD(r, "segment %u overlaps segment %u", nr, i);
	}
	image->nr_segments++;
}

static uint64_t get(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

bool image_text(const char *s, size_t size)
{
	for (size_t i = 0; i < size && s[i]; i++) {
		if (s[i] < ' ' || s[i] > '~')
			return false;
	}
	return true;
}

bool image_word(const char *s, size_t size, const char *without)
{
	for (size_t i = 0; i < size && s[i]; i++) {
		if (strchr(" \"\\", s[i]) || strchr(without, s[i]))
			return false;
	}
	return image_text(s, size);
}

static bool check_param(struct reader *r, const struct isa_note_param *n)
{
	const struct image *image = r->image;

	if (n->type > ISA_PARAM_CHOICE || n->min > n->max || n->def < n->min ||
	    n->def > n->max || n->flag[0] != '-' || !n->flag[1] ||
	    !image_word(n->flag, sizeof(n->flag), "=") ||
	    !image_text(n->help, sizeof(n->help))) {
		BAD(r, "parameter %u is malformed", image->nr_params);
		return false;
	}
	for (unsigned i = 0; i < image->nr_params; i++) {
		if (strncmp(image->param[i].flag, n->flag, sizeof(n->flag)) ==
		    0) {
			BAD(r, "parameter %u is there twice", image->nr_params);
			return false;
		}
	}
	return true;
}

static void take_param(struct reader *r, const uint8_t *p, uint32_t size)
{
	struct image *image = r->image;
	struct isa_note_param n;

	if (size != sizeof(n) || image->nr_params == IMAGE_PARAMS) {
		BAD(r, size != sizeof(n) ? "a parameter note of wrong size"
					 : "too many parameters");
		return;
	}
	n.def = (int64_t)get(p, 8);
	n.min = (int64_t)get(p + 8, 8);
	n.max = (int64_t)get(p + 16, 8);
	n.type = (uint32_t)get(p + 24, 4);
	memcpy(n.flag, p + offsetof(struct isa_note_param, flag),
	       sizeof(n.flag));
	memcpy(n.help, p + offsetof(struct isa_note_param, help),
	       sizeof(n.help));
	if (check_param(r, &n))
		image->param[image->nr_params++] = n;
}

static void take_need(struct reader *r, const uint8_t *p, uint32_t size)
{
	struct image *image = r->image;

	if (size != NEEDS_NAME || image->nr_needs == IMAGE_NEEDS || !p[0] ||
	    p[NEEDS_NAME - 1] ||
	    !image_word((const char *)p, NEEDS_NAME, "/")) {
		BAD(r, "a malformed note about a needed file");
		return;
	}
	memcpy(image->needs[image->nr_needs++], p, NEEDS_NAME);
}

static void take_note(struct reader *r, uint32_t type, const uint8_t *p,
		      uint32_t size)
{
	if (type == ISA_NOTE_PARAM)
		take_param(r, p, size);
	else if (type == ISA_NOTE_NEEDS)
		take_need(r, p, size);
	else
		BAD(r, "a note of unknown type %u", type);
}

/* Notes of other owners are none of our business. */
static void take_notes(struct reader *r, const Elf32_Phdr *ph)
{
	const uint8_t *p = r->image->bytes + ph->p_offset;
	uint64_t left = ph->p_filesz;

	while (left >= 12) {
		uint64_t name_size = get(p, 4), size = get(p + 4, 4);
		uint32_t type = (uint32_t)get(p + 8, 4);
		uint64_t name_room = (name_size + 3) & ~3ull;
		uint64_t room = 12 + name_room + ((size + 3) & ~3ull);

		if (room > left)
			break;
		if (name_size == sizeof(ISA_NOTE_OWNER) &&
		    memcmp(p + 12, ISA_NOTE_OWNER, name_size) == 0)
			take_note(r, type, p + 12 + name_room, (uint32_t)size);
		p += room;
		left -= room;
	}
	if (left)
		BAD(r, "the notes are malformed");
}

static void check_entry(struct reader *r)
{
	struct image *image = r->image;

	if (!image->nr_segments)
		BAD(r, "no segment to load");
	if (!image->entry)
		return;
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct image_segment *s = &image->segment[i];

		if (s->exec && image->entry >= s->va &&
		    image->entry - s->va < s->file_size &&
		    image->entry % ISA_INSN_SIZE == 0)
			return;
	}
	BAD(r, "the entry 0x%x is not an instruction of the program",
	    image->entry);
}

static void parse(struct reader *r, Elf *elf)
{
	const Elf32_Ehdr *eh = NULL;
	const Elf32_Phdr *ph;
	char *id = elf_getident(elf, NULL);

	if (elf_kind(elf) != ELF_K_ELF || !id) {
		BAD(r, "not an ELF file");
		return;
	}
	if (id[EI_CLASS] != ELFCLASS32) {
		BAD(r, "a 64-bit ELF file; programs are of class 32");
		return;
	}
	eh = elf32_getehdr(elf);
	if (!eh || !check_header(r, eh)) {
		if (!eh)
			BAD(r, "not a readable ELF file: %s", elf_errmsg(-1));
		return;
	}
	r->image->entry = eh->e_entry;
	ph = elf32_getphdr(elf);
	for (unsigned i = 0; ph && i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD)
			take_segment(r, &ph[i]);
		else if (ph[i].p_type == PT_NOTE &&
			 inside(r->image, ph[i].p_offset, ph[i].p_filesz))
			take_notes(r, &ph[i]);
		else if (ph[i].p_type == PT_NOTE)
			BAD(r, "the notes lie outside the file");
	}
	check_entry(r);
}

struct image *image_read(const char *path, struct diag *d)
{
	struct image *image = xcalloc(1, sizeof(*image));
	struct reader r = { .image = image,
			    .d = d,
			    .at = { .file = diag_keep(d, path) } };
	unsigned before = diag_errors(d);
	Elf *elf;

	BUG_ON(elf_version(EV_CURRENT) == EV_NONE);
	image->name = name_of(path);
	if (load(&r, path)) {
		elf = elf_memory((char *)image->bytes, image->size);
		if (elf)
			parse(&r, elf);
		else
			BAD(&r, "not an ELF file");
		(void)elf_end(elf);
	}
	if (diag_errors(d) == before)
		return image;
	image_free(image);
	return NULL;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	free(image->name);
	free(image->bytes);
	free(image);
}
