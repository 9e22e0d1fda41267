/*
 * The user's errors: collected, then printed together.
 *
 *   scenarios/x.yaml:14:11: error: token: unknown policy 'prio'; did you
 *   mean 'priority'?
 *
 * A message is one line. line 0 means the whole file; file NULL means the
 * command line.
 */
#pragma once

#include "emu/types.h"

#include <stdio.h>

struct diag_place {
	const char *file; /* not copied: must outlive the diag */
	unsigned line;	  /* from 1; 0 unknown */
	unsigned column;  /* from 1; 0 unknown */
};

struct diag;

struct diag *diag_new(void);
void diag_free(struct diag *d);

/* A copy of s that lives as long as d: for file names that come and go. */
const char *diag_keep(struct diag *d, const char *s);

/* Add an error (or a warning) at a place. printf format. */
void diag_error(struct diag *d, struct diag_place at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *d, struct diag_place at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

unsigned diag_errors(const struct diag *d);

/*
 * Print everything collected, sorted by file, line, column, the same message
 * at the same place once; and forget it.
 */
void diag_print(struct diag *d, FILE *to);

/*
 * The name in the NULL-terminated list that word was probably meant to be:
 * smallest edit distance, at most a third of the word's length; else the only
 * name that word begins. NULL if there is none. Case does not count.
 */
const char *diag_suggest(const char *word, const char *const *names);
