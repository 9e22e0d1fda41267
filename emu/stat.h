/*
 * Named counters: a struct of uint64_t fields and a table of their names.
 * Counting is a plain add to the field; the table is for readers.
 */
#pragma once

#include "emu/types.h"

struct stat_name {
	const char *name; /* NULL ends a table */
	size_t offset;	  /* of a uint64_t in the struct */
	const char *help;
};

uint64_t stat_get(const struct stat_name *s, const void *base);

/* The entry of this name, or NULL. For set-up and reports only. */
const struct stat_name *stat_find(const struct stat_name *table,
				  const char *name);
