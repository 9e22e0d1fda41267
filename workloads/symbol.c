/*
 * Names: labels, constants (.equ, .param) and register names (.reg).
 *
 * One name space, one definition per name; only a register name may be given
 * anew, since it is a note to the reader about what the register holds now.
 * Programs have a few hundred names, so the list is simply searched.
 */
#include "workloads/assembler.h"

#include "emu/bug.h"

#include <stdlib.h>
#include <string.h>

struct symbol *symbol_find(struct assembler *a, const char *name)
{
	for (unsigned i = 0; i < a->nr_symbols; i++) {
		if (text_equal(a->symbol[i].name, name))
			return &a->symbol[i];
	}
	return NULL;
}

static struct symbol *add(struct assembler *a, const char *name)
{
	struct symbol *s;

	a->symbol =
		xrealloc(a->symbol, (a->nr_symbols + 1) * sizeof(*a->symbol));
	s = &a->symbol[a->nr_symbols++];
	*s = (struct symbol){ .name = xstrdup(name) };
	return s;
}

/* The number of a register called "r7" or "sp"; -1 if it is none. */
static int register_number(const char *name)
{
	int n;

	if (text_equal(name, "sp"))
		return ISA_SP;
	if (name[0] != 'r' || name[1] < '0' || name[1] > '9')
		return -1;
	n = name[1] - '0';
	if (name[2] >= '0' && name[2] <= '9' && !name[3])
		n = 10 * n + name[2] - '0';
	else if (name[2])
		return -1;
	return n < ISA_REGS ? n : -1;
}

bool expr_register(struct assembler *a, const char **p, uint8_t *reg)
{
	char name[NAME_MAX_LENGTH];
	const char *start = *p;
	struct symbol *s;
	int n;

	if (!expr_name(p, name))
		return false;
	n = register_number(name);
	s = n < 0 ? symbol_find(a, name) : NULL;
	if (s && s->kind == SYMBOL_REGISTER)
		n = (int)s->value;
	if (n < 0) {
		*p = start;
		return false;
	}
	*reg = (uint8_t)n;
	return true;
}

struct symbol *symbol_define(struct assembler *a, const char *name,
			     enum symbol_kind kind, const char *at)
{
	struct symbol *s = symbol_find(a, name);
	bool again = s && s->kind == SYMBOL_REGISTER && kind == SYMBOL_REGISTER;

	if (register_number(name) >= 0) {
		asm_error(a, at, "'%s' is a register", name);
		return NULL;
	}
	if (s && s->line != a->line && !again) {
		struct diag_place first = a->source.line[s->line].at;

		asm_error(a, at, "'%s' is defined already, at %s:%u", name,
			  first.file, first.line);
		return NULL;
	}
	if (!s)
		s = add(a, name);
	s->kind = kind;
	s->line = a->line;
	return s;
}

void symbol_suggest(struct assembler *a, const char *name, const char *at)
{
	const char **names = xcalloc(a->nr_symbols + 1, sizeof(const char *));
	const char *near;

	for (unsigned i = 0; i < a->nr_symbols; i++)
		names[i] = a->symbol[i].name;
	near = diag_suggest(name, names);
	if (near)
		asm_error(a, at, "'%s' is not defined; did you mean '%s'?",
			  name, near);
	else
		asm_error(a, at, "'%s' is not defined", name);
	free((void *)names);
}
