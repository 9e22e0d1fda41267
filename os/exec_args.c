/*
 * A command line against the parameters that a program declares.
 *
 * Models      what a real program's getopt does with its arguments.
 * Leaves out  messages: a command that is wrong fails to execute. Commands of
 *             a scenario were checked, with messages, before power-on.
 */
#include "os/exec_args.h"

#include <string.h>

bool exec_args_split(struct exec_args *args, const char *command)
{
	size_t length = strlen(command);
	char *at = args->text;

	memset(args, 0, sizeof(*args));
	if (length > EXEC_COMMAND_MAX)
		return false;
	memcpy(args->text, command, length + 1);
	for (;;) {
		while (*at == ' ')
			*at++ = '\0';
		if (!*at)
			return args->nr_words > 0;
		if (args->nr_words == EXEC_WORDS)
			return false;
		args->word[args->nr_words++] = at;
		while (*at && *at != ' ')
			at++;
	}
}

const char *exec_args_program(const struct exec_args *args)
{
	const char *slash = strrchr(args->word[0], '/');

	return slash ? slash + 1 : args->word[0];
}

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* Digits; *text moves behind them. False: none, or too many. */
static bool take_digits(const char **text, int64_t *n)
{
	const char *p = *text;

	for (*n = 0; *p >= '0' && *p <= '9'; p++) {
		if (*n > (INT64_MAX - 9) / 10)
			return false;
		*n = *n * 10 + (*p - '0');
	}
	if (p == *text)
		return false;
	*text = p;
	return true;
}

static bool parse_number(const char *text, int64_t *n)
{
	bool negative = *text == '-';

	text += negative;
	if (!take_digits(&text, n) || *text)
		return false;
	if (negative)
		*n = -*n;
	return true;
}

struct unit {
	const char *name; /* NULL ends a table */
	int64_t factor;
};

static const struct unit size_units[] = {
	{ "", 1 },	  { "B", 1 },	    { "K", 1 << 10 },
	{ "M", 1 << 20 }, { "G", 1 << 30 }, { NULL, 0 },
};

static const struct unit time_units[] = {
	{ "", NSEC_PER_SEC },
	{ "s", NSEC_PER_SEC },
	{ "ms", NSEC_PER_MSEC },
	{ "us", NSEC_PER_USEC },
	{ "ns", 1 },
	{ "min", 60 * NSEC_PER_SEC },
	{ "h", 3600 * NSEC_PER_SEC },
	{ NULL, 0 },
};

/* A number with an optional fraction and a unit: 50M, 2.5ms. */
static bool parse_scaled(const char *text, const struct unit *unit, int64_t *n)
{
	int64_t whole, fraction = 0, scale = 1;

	if (!take_digits(&text, &whole))
		return false;
	if (*text == '.') {
		const char *start = ++text;

		if (!take_digits(&text, &fraction) || text - start > 9)
			return false;
		for (; start < text; start++)
			scale *= 10;
	}
	while (unit->name && !same(unit->name, text))
		unit++;
	if (!unit->name || whole > INT64_MAX / unit->factor - 1)
		return false;
	/* at most 10^9 * 3600 * 10^9: fits */
	*n = whole * unit->factor + fraction * unit->factor / scale;
	return true;
}

static bool parse_value(const struct isa_note_param *param, const char *text,
			int64_t *n)
{
	switch (param->type) {
	case ISA_PARAM_NUMBER:
		return parse_number(text, n);
	case ISA_PARAM_SIZE:
		return parse_scaled(text, size_units, n);
	case ISA_PARAM_TIME:
		return parse_scaled(text, time_units, n);
	case ISA_PARAM_CHOICE:
		*n = (unsigned char)text[0];
		return text[0] && !text[1];
	default:
		return false;
	}
}

/* The word that is this option, or 0. */
static unsigned find_flag(const struct exec_args *args, const char *flag)
{
	for (unsigned i = 1; i < args->nr_words; i++)
		if (!(args->used >> i & 1) && same(args->word[i], flag))
			return i;
	return 0;
}

bool exec_args_value(struct exec_args *args, const struct isa_note_param *param)
{
	char flag[sizeof(param->flag) + 1] = { 0 };
	int64_t value = param->def;
	unsigned at;

	if (args->nr_values == ELF_PARAMS)
		return false;
	memcpy(flag, param->flag, sizeof(param->flag));
	at = find_flag(args, flag);
	if (at) {
		args->used |= 1u << at;
		value = 1;
	}
	if (at && param->type != ISA_PARAM_SWITCH) {
		if (++at >= args->nr_words ||
		    !parse_value(param, args->word[at], &value) ||
		    value < param->min || value > param->max)
			return false;
		args->used |= 1u << at;
	}
	args->value[args->nr_values++] = value;
	return true;
}

bool exec_args_all_used(const struct exec_args *args)
{
	for (unsigned i = 1; i < args->nr_words; i++)
		if (!(args->used >> i & 1))
			return false;
	return true;
}
