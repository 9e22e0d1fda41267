/*
 * Directives: what a line that begins with a dot does.
 *
 * Whatever takes room must know its size in the first pass already; a line
 * whose size changes between the passes is an error (asm.c).
 */
#include "workloads/assembler.h"

#include <stdlib.h>
#include <string.h>

struct directive {
	const char *name;
	void (*run)(struct assembler *a, const char *p, int64_t arg);
	int64_t arg;
};

/* A number from low to high; false (and an error) if it is none. */
static bool read_range(struct assembler *a, const char **p, int64_t low,
		       int64_t high, int64_t *out)
{
	const char *at;
	struct value v;

	expr_blanks(p);
	at = *p;
	v = expr_read(a, p);
	if (!v.known)
		return false;
	if (v.number < low || v.number > high) {
		asm_error(a, at, "%lld is not within %lld to %lld",
			  (long long)v.number, (long long)low, (long long)high);
		return false;
	}
	*out = v.number;
	return true;
}

static void line_ends(struct assembler *a, const char *p)
{
	if (!expr_end(&p))
		asm_error(a, p, "unexpected text after the directive");
}

static void do_section(struct assembler *a, const char *p, int64_t arg)
{
	a->current = (enum section_id)arg;
	line_ends(a, p);
}

static bool can_hold(struct assembler *a, const char *p)
{
	if (a->current != SECTION_BSS)
		return true;
	asm_error(a, p, ".bss holds only .space and .align");
	return false;
}

/* .byte .word .quad: numbers of arg bytes each */
static void do_numbers(struct assembler *a, const char *p, int64_t arg)
{
	uint8_t bytes[8];

	if (!can_hold(a, p))
		return;
	do {
		struct value v = expr_read(a, &p);

		for (unsigned i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)((uint64_t)v.number >> (8 * i));
		asm_emit(a, bytes, (uint32_t)arg);
	} while (expr_char(&p, ','));
	line_ends(a, p);
}

/* .ascii .asciz: arg bytes of zero follow */
static void do_strings(struct assembler *a, const char *p, int64_t arg)
{
	char text[256];
	int n;

	if (!can_hold(a, p))
		return;
	do {
		n = expr_string(a, &p, text, sizeof(text));
		if (n < 0)
			return;
		asm_emit(a, text, (uint32_t)n);
		asm_emit(a, NULL, (uint32_t)arg);
	} while (expr_char(&p, ','));
	line_ends(a, p);
}

static void do_space(struct assembler *a, const char *p, int64_t arg)
{
	int64_t n;

	(void)arg;
	if (!read_range(a, &p, 0, asm_size_max(a->current), &n))
		return;
	asm_emit(a, NULL, (uint32_t)n);
	line_ends(a, p);
}

static void do_align(struct assembler *a, const char *p, int64_t arg)
{
	int64_t n;
	uint32_t over;

	(void)arg;
	if (!read_range(a, &p, 1, 4096, &n))
		return;
	if (n & (n - 1)) {
		asm_error(a, p, "an alignment is a power of two");
		return;
	}
	/* a text segment's contents start behind its header, 16-aligned */
	if (n > ISA_INSN_SIZE && a->current == SECTION_TEXT) {
		asm_error(a, p, "text can be aligned to %d at most",
			  ISA_INSN_SIZE);
		return;
	}
	over = a->section[a->current].at & ((uint32_t)n - 1);
	if (over)
		asm_emit(a, NULL, (uint32_t)n - over);
	line_ends(a, p);
}

static void do_equ(struct assembler *a, const char *p, int64_t arg)
{
	char name[NAME_MAX_LENGTH];
	const char *at = p;
	struct symbol *s;
	struct value v;

	(void)arg;
	if (!expr_name(&p, name)) {
		asm_error(a, p, "expected a name");
		return;
	}
	if (!expr_comma(a, &p))
		return;
	v = expr_read(a, &p);
	s = symbol_define(a, name, SYMBOL_CONSTANT, at);
	if (!s)
		return;
	s->known = v.known;
	s->value = v.number;
	line_ends(a, p);
}

static void do_reg(struct assembler *a, const char *p, int64_t arg)
{
	char name[NAME_MAX_LENGTH];
	const char *at = p;
	struct symbol *s;
	uint8_t reg;

	(void)arg;
	if (!expr_name(&p, name)) {
		asm_error(a, p, "expected a name");
		return;
	}
	if (!expr_comma(a, &p))
		return;
	if (!expr_register(a, &p, &reg)) {
		asm_error(a, p, "expected a register");
		return;
	}
	s = symbol_define(a, name, SYMBOL_REGISTER, at);
	if (s)
		s->value = reg;
	line_ends(a, p);
}

static void do_size(struct assembler *a, const char *p, int64_t arg)
{
	static const char *const names[] = { ".text", ".rodata", ".data",
					     ".bss", NULL };
	char name[NAME_MAX_LENGTH];
	const char *at = p;
	unsigned which = 0;
	int64_t n;

	(void)arg;
	if (!expr_name(&p, name))
		name[0] = 0;
	while (names[which] && !text_equal(names[which], name))
		which++;
	if (!names[which]) {
		asm_error(a, at, "expected .text, .rodata, .data or .bss");
		return;
	}
	if (!expr_comma(a, &p) ||
	    !read_range(a, &p, 0, asm_size_max((enum section_id)which), &n))
		return;
	a->section[which].least = (uint32_t)n;
	line_ends(a, p);
}

static void do_entry(struct assembler *a, const char *p, int64_t arg)
{
	int64_t n;

	(void)arg;
	if (a->has_entry && a->pass == 1)
		return;
	a->has_entry = true;
	if (!read_range(a, &p, 0, PROGRAM_TOP - 1LL, &n))
		return;
	a->entry = (uint32_t)n;
	line_ends(a, p);
}

static void do_base(struct assembler *a, const char *p, int64_t arg)
{
	int64_t n;

	(void)arg;
	if (!read_range(a, &p, ELFOUT_ALIGN, PROGRAM_TOP - 1LL, &n))
		return;
	if (n % ELFOUT_ALIGN) {
		asm_error(a, p, "a base is a multiple of %u", ELFOUT_ALIGN);
		return;
	}
	a->has_base = true;
	a->base = (uint32_t)n;
	line_ends(a, p);
}

static void do_needs(struct assembler *a, const char *p, int64_t arg)
{
	char name[NEEDS_NAME] = { 0 };

	(void)arg;
	if (a->nr_needs == sizeof(a->needs) / sizeof(a->needs[0])) {
		asm_error(a, p, "too many .needs");
		return;
	}
	if (expr_string(a, &p, name, sizeof(name) - 1) <= 0 ||
	    !image_word(name, sizeof(name), "/")) {
		asm_error(a, p, "expected the name of a file");
		return;
	}
	memcpy(a->needs[a->nr_needs++], name, sizeof(name));
	line_ends(a, p);
}

static bool read_type(struct assembler *a, const char **p, uint32_t *type)
{
	static const char *const names[] = { "number", "switch", "size",
					     "time",   "choice", NULL };
	char name[NAME_MAX_LENGTH];
	const char *at;

	expr_blanks(p);
	at = *p;
	if (!expr_name(p, name))
		name[0] = 0;
	for (*type = 0; names[*type]; (*type)++) {
		if (text_equal(names[*type], name))
			return true;
	}
	asm_error(a, at, "expected a type: number, switch, size, time, choice");
	return false;
}

/* "-n", TYPE, DEFAULT, MIN, MAX, "help" */
static bool read_param(struct assembler *a, const char **p,
		       struct isa_note_param *n)
{
	const char *at;

	expr_blanks(p);
	at = *p;
	if (expr_string(a, p, n->flag, sizeof(n->flag)) < 0 ||
	    !expr_comma(a, p) || !read_type(a, p, &n->type) ||
	    !expr_comma(a, p) ||
	    !read_range(a, p, INT64_MIN, INT64_MAX, &n->def) ||
	    !expr_comma(a, p) ||
	    !read_range(a, p, INT64_MIN, INT64_MAX, &n->min) ||
	    !expr_comma(a, p) ||
	    !read_range(a, p, n->min, INT64_MAX, &n->max) ||
	    !expr_comma(a, p) ||
	    expr_string(a, p, n->help, sizeof(n->help)) < 0)
		return false;
	if (n->flag[0] != '-' || !n->flag[1] ||
	    !image_word(n->flag, sizeof(n->flag), "=")) {
		asm_error(a, at, "an option is '-' and a word");
		return false;
	}
	for (unsigned i = 0; i < a->nr_params; i++) {
		if (strncmp(a->param[i].flag, n->flag, sizeof(n->flag)) == 0) {
			asm_error(a, at, "the option is there already");
			return false;
		}
	}
	if (!image_text(n->help, sizeof(n->help))) {
		asm_error(a, at, "the help has unprintable characters");
		return false;
	}
	if (n->def < n->min || n->def > n->max) {
		asm_error(a, at, "the default is out of range");
		return false;
	}
	return true;
}

static void do_param(struct assembler *a, const char *p, int64_t arg)
{
	struct isa_note_param n = { 0 };
	char name[NAME_MAX_LENGTH];
	const char *at = p;
	struct symbol *s;

	(void)arg;
	if (a->nr_params == sizeof(a->param) / sizeof(a->param[0])) {
		asm_error(a, p, "too many parameters");
		return;
	}
	if (!expr_name(&p, name)) {
		asm_error(a, p, "expected a name");
		return;
	}
	s = symbol_define(a, name, SYMBOL_CONSTANT, at);
	if (s) {
		s->known = true;
		s->value = 8 * (int64_t)a->nr_params;
	}
	/* counted even if wrong, so that the header keeps its size */
	if (expr_comma(a, &p) && read_param(a, &p, &n))
		line_ends(a, p);
	a->param[a->nr_params++] = n;
}

static const struct directive directives[] = {
	{ ".align", do_align, 0 },
	{ ".ascii", do_strings, 0 },
	{ ".asciz", do_strings, 1 },
	{ ".base", do_base, 0 },
	{ ".bss", do_section, SECTION_BSS },
	{ ".byte", do_numbers, 1 },
	{ ".data", do_section, SECTION_DATA },
	{ ".entry", do_entry, 0 },
	{ ".equ", do_equ, 0 },
	{ ".needs", do_needs, 0 },
	{ ".param", do_param, 0 },
	{ ".quad", do_numbers, 8 },
	{ ".reg", do_reg, 0 },
	{ ".rodata", do_section, SECTION_RODATA },
	{ ".size", do_size, 0 },
	{ ".space", do_space, 0 },
	{ ".text", do_section, SECTION_TEXT },
	{ ".word", do_numbers, 4 },
	{ NULL, NULL, 0 },
};

/* All names, with those that source.c understands, for suggestions. */
static const char *const directive_names[] = {
	".align", ".ascii", ".asciz", ".base", ".bss",	   ".byte",
	".data",  ".endm",  ".entry", ".equ",  ".include", ".macro",
	".needs", ".param", ".quad",  ".reg",  ".rodata",  ".size",
	".space", ".text",  ".word",  NULL,
};

void directive_line(struct assembler *a, const char *p)
{
	const struct directive *dir = directives;
	char name[NAME_MAX_LENGTH];
	const char *start = p;
	const char *near;

	(void)expr_name(&p, name);
	while (dir->name && !text_equal(dir->name, name))
		dir++;
	if (dir->name) {
		dir->run(a, p, dir->arg);
		return;
	}
	near = diag_suggest(name, directive_names);
	asm_error(a, start, "unknown directive '%s'%s%s%s", name,
		  near ? "; did you mean '" : "", near ? near : "",
		  near ? "'?" : "");
}
