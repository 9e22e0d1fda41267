/*
 * Readers of named counters.
 *
 * Models      nothing. Counting itself is a plain add in the owner's code.
 * Leaves out  lookup on a hot path: names are for set-up and reports.
 */
#include "emu/stat.h"

#include <string.h>

uint64_t stat_get(const struct stat_name *s, const void *base)
{
	uint64_t value;

	memcpy(&value, (const char *)base + s->offset, sizeof(value));
	return value;
}

const struct stat_name *stat_find(const struct stat_name *table,
				  const char *name)
{
	for (; table->name; table++) {
		if (strcmp(table->name, name) == 0)
			return table;
	}
	return NULL;
}
