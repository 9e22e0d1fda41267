/*
 * A command line against a program's parameters.
 *
 * Options are given as "-n 5", "--vm 5" or "--vm=5"; a switch stands alone.
 * The help of a choice ends in its letters, in brackets: "which [abz]".
 */
#include "emu/bug.h"
#include "emu/param.h"
#include "emu/quantity.h"
#include "workloads/assembler.h"
#include "workloads/image.h"

#include <stdlib.h>
#include <string.h>

struct arguments {
	const struct image *image;
	struct diag *d;
	struct diag_place at;
	const char *program;
	bool given[IMAGE_PARAMS];
};

/* The parameter called by the first length bytes of word, or -1. */
static int find(const struct image *image, const char *word, size_t length)
{
	for (unsigned i = 0; i < image->nr_params; i++) {
		const char *flag = image->param[i].flag;

		if (strnlen(flag, sizeof(image->param[i].flag)) == length &&
		    memcmp(flag, word, length) == 0)
			return (int)i;
	}
	return -1;
}

static void unknown(const struct arguments *c, const char *word)
{
	char flags[IMAGE_PARAMS][24] = { { 0 } };
	const char *names[IMAGE_PARAMS + 1] = { NULL };
	char list[24 * IMAGE_PARAMS + 1] = "";
	const char *near;
	size_t used = 0;

	for (unsigned i = 0; i < c->image->nr_params; i++) {
		size_t n = strnlen(c->image->param[i].flag,
				   sizeof(c->image->param[i].flag));

		memcpy(flags[i], c->image->param[i].flag, n);
		names[i] = flags[i];
		list[used++] = ' ';
		memcpy(list + used, flags[i], n + 1);
		used += n;
	}
	near = diag_suggest(word, names);
	if (near)
		diag_error(c->d, c->at,
			   "%s: unknown option '%s'; did you mean '%s'?",
			   c->program, word, near);
	else if (!used)
		diag_error(c->d, c->at, "%s: takes no arguments, got '%s'",
			   c->program, word);
	else
		diag_error(c->d, c->at, "%s: unknown option '%s' (it takes%s)",
			   c->program, word, list);
}

/* The letters a choice allows: the brackets at the end of its help. */
static bool letter_allowed(const struct isa_note_param *p, char letter)
{
	char help[sizeof(p->help) + 1] = { 0 };
	const char *open;

	memcpy(help, p->help, sizeof(p->help));
	open = strrchr(help, '[');
	if (open && strchr(open, ']'))
		return letter != '[' && letter != ']' &&
		       strchr(open, letter) != NULL;
	return letter >= p->min && letter <= p->max;
}

static bool choice(const struct arguments *c, const struct isa_note_param *p,
		   const char *value, int64_t *out)
{
	if (!value[0] || value[1] || !letter_allowed(p, value[0])) {
		diag_error(c->d, c->at, "%s: %.*s: unknown choice '%s' (%.*s)",
			   c->program, (int)sizeof(p->flag), p->flag, value,
			   (int)sizeof(p->help), p->help);
		return false;
	}
	*out = (unsigned char)value[0];
	return true;
}

static bool all_digits(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

/* Bytes and seconds, as programs take them. */
static bool bare_number(const struct arguments *c, enum param_type type,
			const char *context, const char *value, int64_t *out)
{
	const struct quantity *q =
		type == PARAM_TIME ? &quantity_time : &quantity_size;
	char given[64], why[128];

	(void)snprintf(given, sizeof(given), "%.60s%s", value,
		       type == PARAM_TIME ? "s" : "B");
	if (quantity_parse(q, given, out, why, sizeof(why)))
		return true;
	/* the unit was not typed, so the message must not have it */
	diag_error(c->d, c->at, "%s: '%s' is too large", context, value);
	return false;
}

static bool number(const struct arguments *c, const struct isa_note_param *p,
		   const char *value, int64_t *out)
{
	enum param_type type = p->type == ISA_PARAM_SIZE   ? PARAM_SIZE
			       : p->type == ISA_PARAM_TIME ? PARAM_TIME
							   : PARAM_INT;
	char context[64];

	(void)snprintf(context, sizeof(context), "%.30s %.*s", c->program,
		       (int)sizeof(p->flag), p->flag);
	if (all_digits(value) && type != PARAM_INT)
		return bare_number(c, type, context, value, out);
	return param_parse(type, value, out, context, c->d, c->at);
}

void image_param_print(const struct isa_note_param *p, int64_t value, char *out,
		       size_t size)
{
	if (p->type == ISA_PARAM_CHOICE)
		(void)snprintf(out, size, "%c", (char)value);
	else if (p->type == ISA_PARAM_SIZE)
		quantity_print(&quantity_size, value, out, size);
	else if (p->type == ISA_PARAM_TIME)
		quantity_print(&quantity_time, value, out, size);
	else
		quantity_print(&quantity_int, value, out, size);
}

static bool take_value(const struct arguments *c,
		       const struct isa_note_param *p, const char *value,
		       int64_t *out)
{
	if (p->type == ISA_PARAM_CHOICE)
		return choice(c, p, value, out);
	if (!number(c, p, value, out))
		return false;
	if (*out < p->min || *out > p->max) {
		char low[32], high[32];

		image_param_print(p, p->min, low, sizeof(low));
		image_param_print(p, p->max, high, sizeof(high));
		diag_error(c->d, c->at, "%s: %.*s %s is not within %s to %s",
			   c->program, (int)sizeof(p->flag), p->flag, value,
			   low, high);
		return false;
	}
	return true;
}

/* One option; *next is the word behind it and moves on if it was used. */
static bool take_word(struct arguments *c, const char *word, char *const *words,
		      unsigned *next, int64_t *values)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	int i = find(c->image, word, length);
	const struct isa_note_param *p;

	if (i < 0) {
		unknown(c, word);
		/* what follows is most likely its value: one slip, not two */
		if (word[0] == '-' && !equals && words[*next] &&
		    words[*next][0] != '-')
			(*next)++;
		return false;
	}
	p = &c->image->param[i];
	if (c->given[i])
		diag_error(c->d, c->at, "%s: %.*s is given twice", c->program,
			   (int)length, word);
	c->given[i] = true;
	if (p->type == ISA_PARAM_SWITCH) {
		values[i] = 1;
		if (equals)
			diag_error(c->d, c->at, "%s: %.*s takes no value",
				   c->program, (int)length, word);
		return !equals;
	}
	if (equals)
		return take_value(c, p, equals + 1, &values[i]);
	if (!words[*next]) {
		diag_error(c->d, c->at, "%s: %s needs a value (%.*s)",
			   c->program, word, (int)sizeof(p->help), p->help);
		return false;
	}
	return take_value(c, p, words[(*next)++], &values[i]);
}

bool image_arguments(const struct image *image, char *const *words,
		     unsigned nr_words, int64_t *values, struct diag *d,
		     struct diag_place at)
{
	char **list = xcalloc(nr_words + 1, sizeof(char *));
	struct arguments c = { .image = image, .d = d, .at = at };
	unsigned before = diag_errors(d);
	unsigned next = 1;

	BUG_ON(!nr_words);
	c.program = words[0];
	memcpy((void *)list, (const void *)words, nr_words * sizeof(char *));
	for (unsigned i = 0; i < image->nr_params; i++)
		values[i] = image->param[i].def;
	while (next < nr_words) {
		const char *word = list[next++];

		take_word(&c, word, list, &next, values);
	}
	free((void *)list);
	return diag_errors(d) == before;
}
