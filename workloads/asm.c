/*
 * The assembler: two passes over the lines of a program.
 *
 * Leaves out relocation and linking: one text is one image, libraries lie at
 * fixed addresses, and what is shared between programs is included.
 */
#include "workloads/asm.h"

#include "emu/bug.h"
#include "workloads/assembler.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BASE 0x08048000u /* where i386 Linux programs begin */

void asm_error(struct assembler *a, const char *at, const char *fmt, ...)
{
	const struct source_line *l = &a->source.line[a->line];
	struct diag_place place = l->at;
	char text[256];
	va_list args;

	if (a->pass == 1)
		return;
	if (at && !l->macro)
		place.column = l->before + (unsigned)(at - l->text) + 1;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (l->macro)
		diag_error(a->d, place, "in macro '%s': %s", l->macro, text);
	else
		diag_error(a->d, place, "%s", text);
}

uint32_t asm_size_max(enum section_id section)
{
	return section == SECTION_BSS ? BSS_SIZE_MAX : SECTION_SIZE_MAX;
}

void asm_emit(struct assembler *a, const void *bytes, uint32_t size)
{
	struct section *s = &a->section[a->current];

	if (size > asm_size_max(a->current) - s->at) {
		asm_error(a, NULL, "the section grows beyond %u bytes",
			  asm_size_max(a->current));
		return;
	}
	if (a->pass == 2 && bytes && s->at + size > s->room) {
		uint32_t room = s->at + size + s->room;

		s->bytes = xrealloc(s->bytes, room);
		memset(s->bytes + s->room, 0, room - s->room);
		s->room = room;
	}
	if (a->pass == 2 && bytes)
		memcpy(s->bytes + s->at, bytes, size);
	s->at += size;
}

uint32_t asm_here(const struct assembler *a)
{
	const struct section *s = &a->section[a->current];

	return s->va + s->at;
}

/* A label: measured in the first pass, checked in the second. */
static void label_line(struct assembler *a, const char *name, const char *at)
{
	struct symbol *s = symbol_define(a, name, SYMBOL_LABEL, at);

	if (!s || a->pass == 2)
		return;
	s->section = a->current;
	s->value = a->section[a->current].at;
}

static void run_line(struct assembler *a, const char *p)
{
	char name[NAME_MAX_LENGTH];
	const char *start;

	expr_blanks(&p);
	start = p;
	if (expr_name(&p, name) && *p == ':') {
		label_line(a, name, start);
		p++;
		if (!expr_end(&p))
			run_line(a, p);
		return;
	}
	if (*start == '.')
		directive_line(a, start);
	else
		encode_line(a, start);
}

static uint32_t total(const struct assembler *a)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < SECTION_COUNT; i++)
		sum += a->section[i].at;
	return sum;
}

static void run_pass(struct assembler *a, unsigned pass)
{
	a->pass = pass;
	a->current = SECTION_TEXT;
	a->nr_params = 0;
	a->nr_needs = 0;
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		a->section[i].at = 0;
	for (a->line = 0; a->line < a->source.nr_lines; a->line++) {
		struct source_line *l = &a->source.line[a->line];
		uint32_t before = total(a);
		unsigned errors = diag_errors(a->d);

		run_line(a, l->text);
		if (pass == 1)
			l->size = total(a) - before;
		else if (l->size != total(a) - before &&
			 errors == diag_errors(a->d))
			asm_error(a, NULL,
				  "the size must be known here: "
				  "define its names earlier");
	}
}

/* Register names begin anew in the second pass; labels get addresses. */
static void settle_symbols(struct assembler *a)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < a->nr_symbols; i++) {
		struct symbol *s = &a->symbol[i];

		if (s->kind == SYMBOL_REGISTER) {
			free(s->name);
			continue;
		}
		if (s->kind == SYMBOL_LABEL) {
			s->value += a->section[s->section].va;
			s->known = true;
		}
		a->symbol[kept++] = *s;
	}
	a->nr_symbols = kept;
}

/* What seems missing may stand on a line that is wrong: only if all are good.
 */
static void check_whole(struct assembler *a, const char *path, bool good)
{
	struct diag_place at = { .file = path };
	const struct section *bss = &a->section[SECTION_BSS];
	const struct section *text = &a->section[SECTION_TEXT];

	if ((uint64_t)bss->va + bss->least > PROGRAM_TOP || bss->va < a->base)
		diag_error(a->d, at, "the program ends beyond 3 GiB");
	if (!good)
		return;
	if (!a->has_entry && !a->has_base)
		diag_error(a->d, at,
			   "neither .entry (a program) nor .base "
			   "(a library)");
	else if (a->has_entry &&
		 (a->entry < text->va || a->entry - text->va >= text->at ||
		  a->entry % ISA_INSN_SIZE))
		diag_error(a->d, at, "the entry 0x%x is not an instruction",
			   a->entry);
}

static void finish(struct assembler *a)
{
	for (unsigned i = 0; i < a->nr_symbols; i++)
		free(a->symbol[i].name);
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		free(a->section[i].bytes);
	free(a->symbol);
	source_finish(&a->source);
	free(a);
}

enum asm_result asm_build(const char *path, const char *include_dir,
			  const char *out, struct diag *d)
{
	struct assembler *a = xcalloc(1, sizeof(*a));
	unsigned before = diag_errors(d);
	enum asm_result result = ASM_WRONG;

	a->d = d;
	a->base = DEFAULT_BASE;
	a->source.out = out;
	a->source.include_dir = include_dir;
	source_read(&a->source, diag_keep(d, path), d);
	if (diag_errors(d) == before) {
		run_pass(a, 1);
		elfout_layout(a);
		settle_symbols(a);
		run_pass(a, 2);
		check_whole(a, diag_keep(d, path), diag_errors(d) == before);
	}
	if (diag_errors(d) == before)
		result = elfout_write(a, out) ? ASM_DONE : ASM_UNWRITTEN;
	finish(a);
	return result;
}

bool asm_file(const char *path, const char *include_dir, const char *out,
	      struct diag *d)
{
	return asm_build(path, include_dir, out, d) == ASM_DONE;
}
