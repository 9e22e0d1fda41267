/*
 * The drive's list of bad sectors.
 *
 * Models what IBM's and Hitachi's specifications call the automatic
 * reassignment: an unreadable sector becomes a candidate and is moved when it
 * is next written. Leaves out sectors slipped at the factory, whose only
 * effect is a shift by one sector.
 */
#include "disk/defect.h"

#include "emu/bug.h"

#include <stdlib.h>
#include <string.h>

void defects_init(struct defects *t, uint32_t spares)
{
	*t = (struct defects){ .spares = spares };
}

void defects_finish(struct defects *t)
{
	free(t->list);
	*t = (struct defects){ 0 };
}

static unsigned defects_index(const struct defects *t, sector s)
{
	unsigned low = 0, high = t->count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (t->list[middle].sector >= s)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct defect *defects_find(const struct defects *t, sector first,
			    uint64_t sectors)
{
	unsigned i;

	if (t->count == 0)
		return NULL;
	i = defects_index(t, first);
	if (i == t->count || t->list[i].sector - first >= sectors)
		return NULL;
	return &t->list[i];
}

void defects_set(struct defects *t, sector s, enum defect_kind kind,
		 uint32_t value)
{
	unsigned i = defects_index(t, s);

	if (i == t->count || t->list[i].sector != s) {
		if (t->count == t->room) {
			t->room = t->room ? 2 * t->room : 16;
			t->list = xrealloc(t->list, t->room * sizeof(*t->list));
		}
		memmove(&t->list[i + 1], &t->list[i],
			(t->count - i) * sizeof(*t->list));
		t->count++;
	}
	t->list[i] = (struct defect){ s, kind, value };
}

void defects_clear(struct defects *t, sector s)
{
	unsigned i = defects_index(t, s);

	BUG_ON(i == t->count || t->list[i].sector != s);
	t->count--;
	memmove(&t->list[i], &t->list[i + 1],
		(t->count - i) * sizeof(*t->list));
}

bool defects_move(struct defects *t, sector s)
{
	if (t->spares_used == t->spares)
		return false;
	defects_set(t, s, DEFECT_MOVED, t->spares_used++);
	return true;
}
