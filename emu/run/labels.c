/*
 * Labels by name: a hash table with open addressing.
 *
 * Models      nothing.
 * Leaves out  removal. The order of the table is never seen.
 * Seen in     script.c.
 */
#include "emu/run/labels.h"

#include "emu/bug.h"
#include "emu/digest.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 64

/* The place of a name: where it is, or the free one where it would be. */
static struct label *place_of(const struct labels *l, const char *name)
{
	struct digest hash;
	uint64_t at;

	digest_init(&hash);
	digest_bytes(&hash, name, strlen(name));
	at = digest_value(&hash);
	while (l->list[at & (l->room - 1)].name &&
	       strcmp(l->list[at & (l->room - 1)].name, name) != 0)
		at++;
	return &l->list[at & (l->room - 1)];
}

struct label *labels_find(const struct labels *l, const char *name)
{
	struct label *label;

	if (!l->room)
		return NULL;
	label = place_of(l, name);
	return label->name ? label : NULL;
}

/* At least half of the places are free, or searches would be long. */
static void grow(struct labels *l)
{
	struct labels old = *l;

	l->room = old.room ? 2 * old.room : ROOM_LEAST;
	l->list = xcalloc(l->room, sizeof(*l->list));
	for (unsigned i = 0; i < old.room; i++)
		if (old.list[i].name)
			*place_of(l, old.list[i].name) = old.list[i];
	free(old.list);
}

struct label *labels_get(struct labels *l, const char *name)
{
	struct label *label = labels_find(l, name);

	if (label)
		return label;
	if (2 * l->count >= l->room)
		grow(l);
	label = place_of(l, name);
	label->name = name;
	l->count++;
	return label;
}

void labels_finish(struct labels *l)
{
	free(l->list);
	*l = (struct labels){ 0 };
}
