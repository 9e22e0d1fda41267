/*
 * Options of the command line, GNU style: --name VALUE, --name=VALUE, -x,
 * and -- to end them.
 *
 * Models      getopt_long, but with tables that fill structs.
 * Leaves out  abbreviated names and letters run together.
 * Seen in     every subcommand.
 */
#include "emu/run/options.h"

#include "emu/diag.h"
#include "emu/run/config.h"
#include "emu/run/fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 32

enum { HELP = -1, WRONG = -2 };

void options_help(const struct usage_text *usage)
{
	printf("usage: faultline %s %s\n\n%s\n\n", usage->name, usage->synopsis,
	       usage->about);
	for (const struct option_spec *o = usage->options; o->name; o++) {
		char left[64];

		snprintf(left, sizeof(left), "%c%c%s--%s%s%s",
			 o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
			 o->letter ? ", " : "  ", o->name, o->value ? " " : "",
			 o->value ? o->value : "");
		printf("  %-26s %s\n", left, o->help);
	}
	printf("  -h, --%-20s %s\n", "help", "print this");
	printf("  -V, --%-20s %s\n", "version", "print the version");
}

void options_version(void)
{
	puts("faultline " FAULTLINE_VERSION);
}

static int complain(const struct usage_text *usage, const char *what,
		    const char *word)
{
	fprintf(stderr, "faultline: %s: %s '%s'; see 'faultline %s --help'\n",
		usage->name, what, word, usage->name);
	return WRONG;
}

static int unknown_option(const struct usage_text *usage, const char *word)
{
	const char *names[OPTIONS_MAX + 3];
	unsigned n = 0;
	const char *meant;

	for (; usage->options[n].name && n < OPTIONS_MAX; n++)
		names[n] = usage->options[n].name;
	names[n++] = "help";
	names[n++] = "version";
	names[n] = NULL;
	meant = word[0] == '-' && word[1] == '-' ? diag_suggest(word + 2, names)
						 : NULL;
	if (!meant)
		return complain(usage, "unknown option", word);
	fprintf(stderr,
		"faultline: %s: unknown option '%s'; did you mean '--%s'?\n",
		usage->name, word, meant);
	return WRONG;
}

/* The option that word is, with *value behind its '=' if there is one. */
static const struct option_spec *find_option(const struct usage_text *usage,
					     const char *word,
					     const char **value)
{
	*value = NULL;
	for (const struct option_spec *o = usage->options; o->name; o++) {
		size_t n = strlen(o->name);

		if (o->letter && word[0] == '-' && word[1] == o->letter &&
		    !word[2])
			return o;
		if (word[1] != '-' || strncmp(word + 2, o->name, n) != 0)
			continue;
		if (word[2 + n] == '=')
			*value = word + 3 + n;
		if (word[2 + n] == '=' || word[2 + n] == '\0')
			return o;
	}
	return NULL;
}

/* Digits only: no sign, no blank, nothing that would be cut off silently. */
static int store_number(const struct usage_text *usage, uint64_t *field,
			const char *value)
{
	if (!*value || value[strspn(value, "0123456789")])
		return complain(usage, "not a number:", value);
	errno = 0;
	*field = strtoull(value, NULL, 10);
	if (errno)
		return complain(usage, "not 0 to 18446744073709551615:", value);
	return 0;
}

static int store(const struct usage_text *usage, const struct option_spec *o,
		 void *base, const char *value)
{
	void *field = (char *)base + o->offset;
	struct option_list *list;

	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)field = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)field = value;
		return 0;
	case OPTION_NUMBER:
		return store_number(usage, field, value);
	default:
		list = field;
		if (list->count == OPTION_LIST_MAX)
			return complain(usage, "too many of option", o->name);
		list->text[list->count++] = value;
		return 0;
	}
}

/* One option at argv[i]; returns how many words it took, or an error. */
static int take(const struct usage_text *usage, void *base, int left,
		char **argv)
{
	const char *value;
	const struct option_spec *o = find_option(usage, argv[0], &value);
	int taken = 1, error;

	if (!o)
		return unknown_option(usage, argv[0]);
	if (o->type == OPTION_FLAG && value)
		return complain(usage, "this option takes no value:", argv[0]);
	if (o->type != OPTION_FLAG && !value) {
		if (left < 2)
			return complain(usage, "a value is missing after",
					argv[0]);
		value = argv[1];
		taken = 2;
	}
	error = store(usage, o, base, value);
	return error ? error : taken;
}

int options_parse(const struct usage_text *usage, void *base, int argc,
		  char **argv)
{
	int kept = 0;

	for (int i = 1; i < argc;) {
		int taken;

		if (streq(argv[i], "--")) {
			while (++i < argc)
				argv[++kept] = argv[i];
			break;
		}
		if (streq(argv[i], "--help") || streq(argv[i], "-h")) {
			options_help(usage);
			return HELP;
		}
		if (streq(argv[i], "--version") || streq(argv[i], "-V")) {
			options_version();
			return HELP;
		}
		if (argv[i][0] != '-' || !argv[i][1]) {
			argv[++kept] = argv[i++];
			continue;
		}
		taken = take(usage, base, argc - i, argv + i);
		if (taken < 0)
			return taken;
		i += taken;
	}
	return kept;
}
