/*
 * Command-line options as data: one table per subcommand gives parsing,
 * errors with suggestions, and --help.
 */
#pragma once

#include "emu/types.h"

enum option_type {
	OPTION_FLAG,   /* bool: no value */
	OPTION_TEXT,   /* const char * */
	OPTION_NUMBER, /* uint64_t, in digits */
	OPTION_LIST,   /* const char **: may be given often, see option_list */
};

struct option_spec {
	const char *name; /* "variant" for --variant; NULL ends a table */
	char letter;	  /* 'V' for -V; 0: none */
	enum option_type type;
	size_t offset;	   /* in the options struct */
	const char *value; /* what the value is called in help */
	const char *help;
};

/* What a subcommand says of itself. */
struct usage_text {
	const char *name;     /* "run" */
	const char *synopsis; /* "[OPTION]... SCENARIO" */
	const char *about;    /* one or more lines */
	const struct option_spec *options;
};

#define OPTION_LIST_MAX 64

/* Texts of an OPTION_LIST, in order, NULL-terminated. */
struct option_list {
	const char *text[OPTION_LIST_MAX + 1];
	unsigned count;
};

/*
 * Fill base from argv; what are no options are moved to the front of
 * argv + 1, and their number is returned. --help and --version print and
 * return -1. Errors are printed and give -2.
 */
int options_parse(const struct usage_text *usage, void *base, int argc,
		  char **argv);

void options_help(const struct usage_text *usage);

/* Print which version of the program this is. */
void options_version(void);
