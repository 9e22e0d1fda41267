/*
 * The labels of a script's programs, found without looking at all lines.
 */
#pragma once

#include "emu/types.h"

struct label {
	const char *name; /* not copied; NULL: this place is free */
	unsigned timed;	  /* 1 + index of the timed line that has it, 0 none */
	unsigned number;  /* the last that was tried behind it: hello#2 */
};

/* All zero is an empty one. */
struct labels {
	struct label *list; /* a hash table, its room a power of two */
	unsigned count, room;
};

/* What is known of the label; NULL: nobody has it. */
struct label *labels_find(const struct labels *l, const char *name);

/* The same, made if need be. Older pointers are void. */
struct label *labels_get(struct labels *l, const char *name);
void labels_finish(struct labels *l);
