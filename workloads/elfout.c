/*
 * From sections to an ELF file, with libelf.
 *
 * The file is laid out as it lies in memory, so an offset is an address
 * minus the base: the header and the notes first, as part of the text
 * segment as in real programs, then text, read-only data, data. Segments
 * begin at multiples of 16 KiB, so that machines of either page size can map
 * them. What .size asks for beyond the contents is a hole of zeroes.
 */
#include "workloads/assembler.h"

#include "emu/bug.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOTE_HEAD 12u
#define NOTE_NAME 12u /* "Faultline" with its NUL, rounded up to four */

static uint32_t round_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t notes_size(const struct assembler *a)
{
	return a->nr_params * (NOTE_HEAD + NOTE_NAME +
			       (uint32_t)sizeof(struct isa_note_param)) +
	       a->nr_needs * (NOTE_HEAD + NOTE_NAME + NEEDS_NAME);
}

static bool has_data(const struct assembler *a)
{
	return a->section[SECTION_DATA].least || a->section[SECTION_BSS].least;
}

static uint32_t phdrs(const struct assembler *a)
{
	return 1u + (a->section[SECTION_RODATA].least != 0) + has_data(a) +
	       (notes_size(a) != 0);
}

static uint32_t notes_offset(const struct assembler *a)
{
	return (uint32_t)sizeof(Elf32_Ehdr) +
	       phdrs(a) * (uint32_t)sizeof(Elf32_Phdr);
}

/* .least becomes the final size: of the text with everything before it. */
void elfout_layout(struct assembler *a)
{
	struct section *text = &a->section[SECTION_TEXT];
	struct section *data = &a->section[SECTION_DATA];
	struct section *bss = &a->section[SECTION_BSS];
	uint32_t next, header;

	for (unsigned i = SECTION_RODATA; i < SECTION_COUNT; i++) {
		struct section *s = &a->section[i];

		s->least = round_up(larger(s->at, s->least), ISA_INSN_SIZE);
	}
	header = round_up(notes_offset(a) + notes_size(a), ISA_INSN_SIZE);
	text->va = a->base + header;
	text->least =
		round_up(larger(header + text->at, text->least), ISA_INSN_SIZE);
	next = a->base + round_up(text->least, ELFOUT_ALIGN);
	a->section[SECTION_RODATA].va = next;
	next += round_up(a->section[SECTION_RODATA].least, ELFOUT_ALIGN);
	data->va = next;
	bss->va = data->va + data->least;
}

static void put32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static void put64(uint8_t *p, uint64_t v)
{
	put32(p, (uint32_t)v);
	put32(p + 4, (uint32_t)(v >> 32));
}

static uint8_t *put_note(uint8_t *p, uint32_t type, uint32_t size)
{
	put32(p, sizeof(ISA_NOTE_OWNER));
	put32(p + 4, size);
	put32(p + 8, type);
	memcpy(p + NOTE_HEAD, ISA_NOTE_OWNER, sizeof(ISA_NOTE_OWNER));
	return p + NOTE_HEAD + NOTE_NAME;
}

static uint8_t *make_notes(const struct assembler *a)
{
	uint8_t *notes = xcalloc(notes_size(a) + 1, 1);
	uint8_t *p = notes;

	for (unsigned i = 0; i < a->nr_params; i++) {
		const struct isa_note_param *n = &a->param[i];

		p = put_note(p, ISA_NOTE_PARAM, sizeof(*n));
		put64(p, (uint64_t)n->def);
		put64(p + 8, (uint64_t)n->min);
		put64(p + 16, (uint64_t)n->max);
		put32(p + 24, n->type);
		memcpy(p + offsetof(struct isa_note_param, flag), n->flag,
		       sizeof(n->flag));
		memcpy(p + offsetof(struct isa_note_param, help), n->help,
		       sizeof(n->help));
		p += sizeof(*n);
	}
	for (unsigned i = 0; i < a->nr_needs; i++) {
		p = put_note(p, ISA_NOTE_NEEDS, NEEDS_NAME);
		memcpy(p, a->needs[i], NEEDS_NAME);
		p += NEEDS_NAME;
	}
	return notes;
}

/* What one section of the file is; made by describe, used by add_section. */
struct part {
	unsigned name; /* offset in the string section */
	uint32_t type, flags, va, offset, size;
	void *bytes;
	uint32_t length; /* of bytes: the rest is zero */
};

static bool add_section(Elf *elf, const struct part *part)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf32_Shdr *sh = scn ? elf32_getshdr(scn) : NULL;
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;

	if (!sh || !data)
		return false;
	sh->sh_name = part->name;
	sh->sh_type = part->type;
	sh->sh_flags = part->flags;
	sh->sh_addr = part->va;
	sh->sh_offset = part->offset;
	sh->sh_size = part->size;
	sh->sh_addralign = part->type == SHT_NOTE ? 4 : 1;
	data->d_buf = part->bytes;
	data->d_size = part->type == SHT_NOBITS ? part->size : part->length;
	data->d_type = ELF_T_BYTE;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	return true;
}

#define STRINGS "\0.note\0.text\0.rodata\0.data\0.bss\0.shstrtab"
enum { N_NOTE = 1, N_TEXT = 7, N_RODATA = 13, N_DATA = 21, N_BSS = 27 };
#define N_SHSTRTAB 32

static struct part describe(const struct assembler *a, enum section_id id)
{
	static const unsigned names[] = { N_TEXT, N_RODATA, N_DATA, N_BSS };
	static const uint32_t flags[] = { SHF_ALLOC | SHF_EXECINSTR, SHF_ALLOC,
					  SHF_ALLOC | SHF_WRITE,
					  SHF_ALLOC | SHF_WRITE };
	const struct section *s = &a->section[id];
	struct part part = { .name = names[id],
			     .type = id == SECTION_BSS ? SHT_NOBITS
						       : SHT_PROGBITS,
			     .flags = flags[id],
			     .va = s->va,
			     .offset = s->va - a->base,
			     .size = s->least,
			     .bytes = s->bytes,
			     .length = s->bytes ? s->at : 0 };

	if (id == SECTION_TEXT)
		part.size -= part.offset;
	if (part.length > s->room) /* it ends in zeroes */
		part.length = s->room;
	return part;
}

static void fill_phdrs(const struct assembler *a, Elf32_Phdr *ph)
{
	const struct section *data = &a->section[SECTION_DATA];
	const struct section *ro = &a->section[SECTION_RODATA];
	uint32_t text = a->section[SECTION_TEXT].least;

	*ph++ = (Elf32_Phdr){ PT_LOAD, 0,    a->base,	  a->base,
			      text,    text, PF_R | PF_X, ELFOUT_ALIGN };
	if (ro->least)
		*ph++ = (Elf32_Phdr){ PT_LOAD, ro->va - a->base, ro->va,
				      ro->va,  ro->least,	 ro->least,
				      PF_R,    ELFOUT_ALIGN };
	if (has_data(a))
		*ph++ = (Elf32_Phdr){
			PT_LOAD,
			data->va - a->base,
			data->va,
			data->va,
			data->least,
			data->least + a->section[SECTION_BSS].least,
			PF_R | PF_W,
			ELFOUT_ALIGN
		};
	if (notes_size(a)) {
		uint32_t at = notes_offset(a);

		*ph = (Elf32_Phdr){ PT_NOTE,	   at,
				    a->base + at,  a->base + at,
				    notes_size(a), notes_size(a),
				    PF_R,	   4 };
	}
}

static bool fill_header(struct assembler *a, Elf *elf, uint32_t end)
{
	Elf32_Ehdr *eh = elf32_newehdr(elf);
	Elf32_Phdr *ph = eh ? elf32_newphdr(elf, phdrs(a)) : NULL;

	if (!ph)
		return false;
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_type = ET_EXEC;
	eh->e_machine = ISA_MACHINE;
	eh->e_version = EV_CURRENT;
	eh->e_entry = a->has_entry ? a->entry : 0;
	eh->e_phoff = sizeof(*eh);
	eh->e_shoff = round_up(end + (uint32_t)sizeof(STRINGS), 4);
	fill_phdrs(a, ph);
	return true;
}

/* The sections a program has, behind libelf's own number 0; false: error. */
static bool add_sections(struct assembler *a, Elf *elf, void *notes,
			 unsigned *nr)
{
	if (notes_size(a)) {
		struct part part = { .name = N_NOTE,
				     .type = SHT_NOTE,
				     .flags = SHF_ALLOC,
				     .va = a->base + notes_offset(a),
				     .offset = notes_offset(a),
				     .size = notes_size(a),
				     .bytes = notes,
				     .length = notes_size(a) };

		if (!add_section(elf, &part))
			return false;
		++*nr;
	}
	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		struct part part = describe(a, (enum section_id)i);

		if (i != SECTION_TEXT && !part.size)
			continue;
		if (!add_section(elf, &part))
			return false;
		++*nr;
	}
	return true;
}

/* Build the file in the descriptor of elf; false if libelf refuses. */
static bool build(struct assembler *a, Elf *elf, void *notes)
{
	const struct section *data = &a->section[SECTION_DATA];
	char strings[] = STRINGS;
	struct part names = { .name = N_SHSTRTAB,
			      .type = SHT_STRTAB,
			      .offset = data->va - a->base + data->least,
			      .size = sizeof(strings),
			      .bytes = strings,
			      .length = sizeof(strings) };
	unsigned nr = 1;

	(void)elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	if (!fill_header(a, elf, names.offset) ||
	    !add_sections(a, elf, notes, &nr) || !add_section(elf, &names))
		return false;
	elf32_getehdr(elf)->e_shstrndx = (Elf32_Half)nr;
	return elf_update(elf, ELF_C_WRITE) > 0;
}

/* Copy the whole of one descriptor to another. */
static bool copy(int from, int to)
{
	char buffer[65536];
	ssize_t n, done;

	if (lseek(from, 0, SEEK_SET) < 0)
		return false;
	while ((n = read(from, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; at < n; at += done) {
			done = write(to, buffer + at, (size_t)(n - at));
			if (done <= 0)
				return false;
		}
	}
	return n == 0;
}

/* libelf wants a file it can seek in; out need not be one. */
static bool build_in(struct assembler *a, int draft)
{
	uint8_t *notes = make_notes(a);
	bool good = false;
	Elf *elf = NULL;

	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(draft, ELF_C_WRITE, NULL);
	if (elf) {
		elf_fill(0);
		good = build(a, elf, notes);
		(void)elf_end(elf);
	}
	free(notes);
	return good;
}

bool elfout_write(struct assembler *a, const char *out)
{
	struct diag_place at = { .file = diag_keep(a->d, out) };
	int draft = memfd_create("image", MFD_CLOEXEC);
	int to = -1;
	bool good = false;

	if (draft < 0 || !build_in(a, draft)) {
		diag_error(a->d, at, "cannot make an ELF file: %s",
			   draft < 0 ? strerror(errno) : elf_errmsg(-1));
	} else {
		to = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		good = to >= 0 && copy(draft, to);
		if (to >= 0 && close(to))
			good = false;
		if (!good)
			diag_error(a->d, at, "cannot write: %s",
				   strerror(errno));
	}
	if (draft >= 0)
		(void)close(draft);
	return good;
}
