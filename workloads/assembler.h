/*
 * The assembler's inside: what its files share. Nobody else includes this.
 *
 * The text is read once (source.c: includes and macros are gone then) and
 * gone through twice. The first pass only measures: it finds the place of
 * every label and is silent. Then the segments are laid out, and the second
 * pass evaluates everything again, reports errors and produces bytes.
 */
#pragma once

#include "cpu/isa.h"
#include "emu/diag.h"

/* One line of the program after includes and macros. */
struct source_line {
	struct diag_place at; /* column 0, or where a macro was used */
	const char *macro;    /* the macro it comes from, or NULL */
	char *text;
	unsigned before; /* columns before text: labels */
	uint32_t size;	 /* bytes it took in the first pass */
};

struct source {
	struct source_line *line;
	unsigned nr_lines, lines_room;
	struct source_macro *macro;
	unsigned nr_macros;
	unsigned depth;	     /* of includes and macros, against endless ones */
	unsigned expansions; /* for \@ */
	bool stopped;	     /* an error that would only repeat itself */
	struct diag *d;

	/* set before source_read; both may be NULL */
	const char *include_dir;
	const char *out; /* what will be written: must be no source */
};

/* Read path and all it includes. Errors go to d. */
void source_read(struct source *s, const char *path, struct diag *d);
void source_finish(struct source *s);

enum section_id {
	SECTION_TEXT,
	SECTION_RODATA,
	SECTION_DATA,
	SECTION_BSS,
	SECTION_COUNT
};

struct section {
	uint32_t at;	/* bytes so far, in this pass */
	uint32_t least; /* what .size asks for, of the whole segment */
	uint8_t *bytes;
	uint32_t room;
	uint32_t va; /* of its first byte; 0 in the first pass */
};

enum symbol_kind { SYMBOL_CONSTANT, SYMBOL_LABEL, SYMBOL_REGISTER };

struct symbol {
	char *name;
	enum symbol_kind kind;
	int64_t value; /* label: offset in its section until laid out */
	enum section_id section;
	unsigned line; /* index in source.line that defines it */
	bool known;    /* value can be used */
};

#define NEEDS_NAME  32
#define PROGRAM_TOP 0xc0000000u /* programs live below 3 GiB, as on i386 */

struct assembler {
	struct source source;
	struct diag *d;
	unsigned pass; /* 1 or 2 */
	unsigned line; /* index in source.line */

	enum section_id current;
	struct section section[SECTION_COUNT];

	struct symbol *symbol;
	unsigned nr_symbols;

	struct isa_note_param param[32];
	unsigned nr_params;
	char needs[8][NEEDS_NAME];
	unsigned nr_needs;

	bool has_entry, has_base;
	uint32_t entry;
	uint32_t base; /* address of the file's first byte */
};

#define SECTION_SIZE_MAX (64u << 20) /* in the file */
#define BSS_SIZE_MAX	 (1u << 30)

/*
 * An error on the present line, at this place in its text (NULL: the whole
 * line). Silent in the first pass.
 */
void asm_error(struct assembler *a, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Append bytes (NULL: zeroes) to the current section. */
void asm_emit(struct assembler *a, const void *bytes, uint32_t size);

uint32_t asm_size_max(enum section_id section);

/* Address of the next byte of the current section. */
uint32_t asm_here(const struct assembler *a);

bool text_equal(const char *a, const char *b);

/*
 * image.c: what the strings of notes may hold. A text is printable; a word
 * also has no blank, quote or backslash in it, nor a character of without.
 * Both may fill their size or end with a NUL.
 */
bool image_text(const char *s, size_t size);
bool image_word(const char *s, size_t size, const char *without);

/* symbol.c */
struct symbol *symbol_find(struct assembler *a, const char *name);

/* Define name here; NULL after an error (it exists already). */
struct symbol *symbol_define(struct assembler *a, const char *name,
			     enum symbol_kind kind, const char *at);
void symbol_suggest(struct assembler *a, const char *name, const char *at);

/* expr.c: all skip blanks before and move *p behind what they read. */
struct value {
	int64_t number;
	bool known; /* false: an error was reported, or the first pass */
};

#define NAME_MAX_LENGTH 40

void expr_blanks(const char **p);
bool expr_char(const char **p, char c);
bool expr_name(const char **p, char name[NAME_MAX_LENGTH]);
struct value expr_read(struct assembler *a, const char **p);
bool expr_register(struct assembler *a, const char **p, uint8_t *reg);

/* A quoted string into out; its length, or -1 after an error. */
int expr_string(struct assembler *a, const char **p, char *out, int size);

/* The comma between operands, or an error. */
bool expr_comma(struct assembler *a, const char **p);
bool expr_end(const char **p);

/* encode.c: the instruction at p, whose mnemonic begins there. */
void encode_line(struct assembler *a, const char *p);
void encode_bytes(const struct insn *insn, uint8_t out[ISA_INSN_SIZE]);

/* What an instruction is called and takes. */
struct insn_info {
	const char *name;
	const char *operands;
};
extern const struct insn_info insn_table[ISA_OP_COUNT];
extern const char *const insn_names[]; /* NULL-terminated */
bool insn_is_reference(uint8_t op);
uint8_t insn_flags_allowed(uint8_t op);

/* directive.c: the directive at p, which points at its dot. */
void directive_line(struct assembler *a, const char *p);

/* elfout.c */
#define ELFOUT_ALIGN 16384u /* of segments: the largest page of any machine */

/* Between the passes: find the address of every section. */
void elfout_layout(struct assembler *a);

/* Write the file; errors of the host go to d. */
bool elfout_write(struct assembler *a, const char *out);
