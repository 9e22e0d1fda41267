/*
 * The kernel's own view of a program file: checked again, whatever checked it
 * before, because it comes from a disk.
 */
#pragma once

#include "cpu/isa.h"
#include "os/fs.h"

#define ELF_SEGMENTS 8
#define ELF_PARAMS   32

struct elf_segment {
	vaddr va; /* congruent to offset modulo a page */
	uint32_t offset;
	uint32_t file_size, memory_size; /* bytes; memory is the larger */
	uint32_t flags;			 /* VM_READ, VM_WRITE, VM_EXEC */
};

struct elf_image {
	struct inode *inode;
	vaddr entry;
	struct elf_segment segment[ELF_SEGMENTS]; /* ascending, disjoint */
	unsigned nr_segments;
	uint32_t notes, notes_size; /* place in the file; size 0: none */
};

/* Read and check the headers. False: not a program that can run. */
SLEEPS bool elf_read(struct task *task, struct inode *inode,
		     struct elf_image *image);

/*
 * Read the next declared parameter. at is a position in the notes, 0 at
 * first. 1: param is filled; 0: there is none left; -1: a bad file.
 */
SLEEPS int elf_next_param(struct task *task, const struct elf_image *image,
			  uint32_t *at, struct isa_note_param *param);
