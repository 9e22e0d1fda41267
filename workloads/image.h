/*
 * Program images: ELF files of class 32 with our machine number, read and
 * written with libelf. The bench uses this on the host side; the emulated
 * kernel's own loader is os/elf.c.
 */
#pragma once

#include "cpu/isa.h"
#include "emu/diag.h"

struct image_segment {
	uint32_t va;	 /* page-aligned start of the mapping */
	uint32_t offset; /* in the file, congruent to va modulo a page */
	uint32_t file_size, memory_size;
	bool write, exec;
};

#define IMAGE_SEGMENTS 8
#define IMAGE_PARAMS   32
#define IMAGE_NEEDS    8

/* An image that was read and found good. Owns its bytes. */
struct image {
	char *name;	/* file name without folder and suffix */
	uint8_t *bytes; /* the whole file */
	uint64_t size;	/* of the file, as installed on the emulated disk */
	uint32_t entry; /* 0: a library, cannot be run */
	struct image_segment segment[IMAGE_SEGMENTS];
	unsigned nr_segments;
	struct isa_note_param param[IMAGE_PARAMS];
	unsigned nr_params;
	/* files it opens when it runs (libraries): to be installed with it */
	char needs[IMAGE_NEEDS][32];
	unsigned nr_needs;
};

/*
 * Read an ELF file. Everything wrong with it is an error at file:0:0 ("not an
 * ELF file", "segment 2 overlaps segment 1", ...). NULL if there was one.
 */
struct image *image_read(const char *path, struct diag *d);
void image_free(struct image *image);

/*
 * Check a command line against the image's parameters: unknown options,
 * missing or bad values are errors at the place, with suggestions. values
 * gets one number per parameter. words[0] is the program.
 */
bool image_arguments(const struct image *image, char *const *words,
		     unsigned nr_words, int64_t *values, struct diag *d,
		     struct diag_place at);

/* A parameter's value as a command line would have it. */
void image_param_print(const struct isa_note_param *p, int64_t value, char *out,
		       size_t size);

/* Print segments, parameters and disassembly as assembler text. */
void image_dump(const struct image *image, FILE *to);
