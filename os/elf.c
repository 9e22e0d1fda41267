/*
 * Program files: ELF, class 32, little-endian, our machine number.
 *
 * Models      the checks of fs/binfmt_elf.c (load_elf_binary) of 2.6.18.
 * Leaves out  interpreters and shared objects: a program maps its libraries
 *             itself; relocations.
 *
 * Nothing in the file is trusted. All sums are made in 64 bits.
 */
#include "os/elf.h"

#include "os/kernel.h"

#include <string.h>

/* Sizes and places from the ELF specification, 32-bit form */
enum {
	EHDR_SIZE = 52,
	EH_TYPE = 16,
	EH_MACHINE = 18,
	EH_ENTRY = 24,
	EH_PHOFF = 28,
	EH_PHENTSIZE = 42,
	EH_PHNUM = 44,

	PHDR_SIZE = 32,
	PH_OFFSET = 4,
	PH_VADDR = 8,
	PH_FILESZ = 16,
	PH_MEMSZ = 20,
	PH_FLAGS = 24,

	ET_EXEC = 2,
	PT_LOAD = 1,
	PT_NOTE = 4,
	PF_X = 1,
	PF_W = 2,
	PF_R = 4,
	PHDRS_MAX = 16,

	NHDR_SIZE = 12, /* name size, descriptor size, type */
};

/* Class 32, little-endian, version 1 */
static const uint8_t elf_ident[] = { 0x7f, 'E', 'L', 'F', 1, 1, 1 };

static uint32_t le16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t le32(const uint8_t *p)
{
	return le16(p) | le16(p + 2) << 16;
}

static uint64_t le64(const uint8_t *p)
{
	return le32(p) | (uint64_t)le32(p + 4) << 32;
}

/* Exactly size bytes at this place in the file, or false. */
static bool read_at(struct task *task, struct inode *inode, uint64_t at,
		    void *to, uint32_t size)
{
	struct open_file file;

	if (at + size > inode->size)
		return false;
	file_open(&file, inode);
	file.position = at;
	return file_read(task, &file, to, size, size) == size;
}

static bool segment_good(const struct elf_image *image,
			 const struct elf_segment *s)
{
	uint64_t end = (uint64_t)s->va + s->memory_size;

	if (s->file_size > s->memory_size || s->va < PAGE_SIZE)
		return false;
	if ((uint64_t)s->offset + s->file_size > image->inode->size)
		return false;
	if ((s->va - s->offset) % PAGE_SIZE || end > STACK_TOP - STACK_SIZE)
		return false;
	if (image->nr_segments) {
		const struct elf_segment *before =
			&image->segment[image->nr_segments - 1];
		uint64_t before_end = (uint64_t)before->va +
				      before->memory_size + PAGE_SIZE - 1;

		return (s->va & PAGE_MASK) >= (before_end & ~4095ULL);
	}
	return true;
}

static bool add_segment(struct elf_image *image, const uint8_t *header)
{
	uint32_t flags = le32(header + PH_FLAGS);
	struct elf_segment s = {
		.va = le32(header + PH_VADDR),
		.offset = le32(header + PH_OFFSET),
		.file_size = le32(header + PH_FILESZ),
		.memory_size = le32(header + PH_MEMSZ),
		.flags = (flags & PF_R ? VM_READ : 0) |
			 (flags & PF_W ? VM_WRITE : 0) |
			 (flags & PF_X ? VM_EXEC : 0),
	};

	if (!s.memory_size)
		return true;
	if (image->nr_segments == ELF_SEGMENTS || !segment_good(image, &s))
		return false;
	image->segment[image->nr_segments++] = s;
	return true;
}

static bool add_notes(struct elf_image *image, const uint8_t *header)
{
	if (image->notes_size)
		return false;
	image->notes = le32(header + PH_OFFSET);
	image->notes_size = le32(header + PH_FILESZ);
	return (uint64_t)image->notes + image->notes_size <= image->inode->size;
}

static bool entry_good(const struct elf_image *image)
{
	if (image->entry % ISA_INSN_SIZE)
		return false;
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *s = &image->segment[i];

		if ((s->flags & VM_EXEC) && image->entry >= s->va &&
		    image->entry - s->va < s->file_size)
			return true;
	}
	return false;
}

bool elf_read(struct task *task, struct inode *inode, struct elf_image *image)
{
	uint8_t header[EHDR_SIZE];
	uint32_t headers, at;

	memset(image, 0, sizeof(*image));
	image->inode = inode;
	if (!read_at(task, inode, 0, header, sizeof(header)) ||
	    memcmp(header, elf_ident, sizeof(elf_ident)) != 0 ||
	    le16(header + EH_TYPE) != ET_EXEC ||
	    le16(header + EH_MACHINE) != ISA_MACHINE ||
	    le16(header + EH_PHENTSIZE) != PHDR_SIZE)
		return false;
	image->entry = le32(header + EH_ENTRY);
	headers = le16(header + EH_PHNUM);
	at = le32(header + EH_PHOFF);
	if (headers > PHDRS_MAX)
		return false;

	for (uint32_t i = 0; i < headers; i++) {
		uint8_t ph[PHDR_SIZE];
		uint64_t place = (uint64_t)at + (uint64_t)i * PHDR_SIZE;

		if (!read_at(task, inode, place, ph, sizeof(ph)))
			return false;
		if (le32(ph) == PT_LOAD && !add_segment(image, ph))
			return false;
		if (le32(ph) == PT_NOTE && !add_notes(image, ph))
			return false;
	}
	return entry_good(image);
}

static uint64_t align4(uint64_t n)
{
	return (n + 3) & ~3ULL;
}

/* The layout of struct isa_note_param, spelled out byte by byte */
static bool read_param(struct task *task, const struct elf_image *image,
		       uint64_t at, struct isa_note_param *param)
{
	uint8_t raw[sizeof(*param)];

	if (!read_at(task, image->inode, at, raw, sizeof(raw)))
		return false;
	param->def = (int64_t)le64(raw);
	param->min = (int64_t)le64(raw + 8);
	param->max = (int64_t)le64(raw + 16);
	param->type = le32(raw + offsetof(struct isa_note_param, type));
	memcpy(param->flag, raw + offsetof(struct isa_note_param, flag),
	       sizeof(param->flag));
	memcpy(param->help, raw + offsetof(struct isa_note_param, help),
	       sizeof(param->help));
	return true;
}

int elf_next_param(struct task *task, const struct elf_image *image,
		   uint32_t *at, struct isa_note_param *param)
{
	while ((uint64_t)*at + NHDR_SIZE <= image->notes_size) {
		uint8_t h[NHDR_SIZE];
		char owner[sizeof(ISA_NOTE_OWNER)] = { 0 };
		uint64_t start = (uint64_t)image->notes + *at;
		uint64_t name_end, end;

		if (!read_at(task, image->inode, start, h, sizeof(h)))
			return -1;
		name_end = NHDR_SIZE + align4(le32(h));
		end = name_end + align4(le32(h + 4));
		if (*at + end > image->notes_size)
			return -1;
		*at += (uint32_t)end;
		if (le32(h) != sizeof(owner) || le32(h + 4) != sizeof(*param) ||
		    le32(h + 8) != ISA_NOTE_PARAM)
			continue;
		if (!read_at(task, image->inode, start + NHDR_SIZE, owner,
			     sizeof(owner)))
			return -1;
		if (memcmp(owner, ISA_NOTE_OWNER, sizeof(owner)) != 0)
			continue;
		return read_param(task, image, start + name_end, param) ? 1
									: -1;
	}
	return 0;
}
