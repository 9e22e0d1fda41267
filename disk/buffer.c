/*
 * The drive's buffer memory.
 *
 * Models a segmented read buffer with least-recently-used replacement, and a
 * write cache as a sorted list of dirty extents with a limit. Leaves out that
 * both share one memory: the limit of the write cache is a number of its own.
 */
#include "disk/buffer.h"

#include "emu/bug.h"

#include <stdlib.h>
#include <string.h>

void buffer_init(struct buffer *b, const struct drive_spec *spec)
{
	uint64_t all = (uint64_t)(spec->segments * spec->segment_sectors);

	*b = (struct buffer){ 0 };
	b->nr_segments = (unsigned)spec->segments;
	b->segment_sectors = (uint32_t)spec->segment_sectors;
	b->segment = xcalloc(b->nr_segments + 1, sizeof(*b->segment));
	b->dirty_limit = (uint64_t)spec->dirty_sectors;
	if (b->dirty_limit == 0)
		b->dirty_limit = all / 2;
	b->dirty_room = 16;
	b->dirty = xcalloc(b->dirty_room, sizeof(*b->dirty));
}

void buffer_finish(struct buffer *b)
{
	free(b->segment);
	free(b->dirty);
	*b = (struct buffer){ 0 };
}

struct segment *buffer_find(struct buffer *b, sector s)
{
	struct segment *found = NULL;

	for (unsigned i = 0; i < b->nr_segments; i++) {
		struct segment *seg = &b->segment[i];

		if (seg->used && s >= seg->data.first && s <= seg->data.end &&
		    (!found || seg->used > found->used))
			found = seg;
	}
	return found;
}

void buffer_touch(struct buffer *b, struct segment *seg)
{
	seg->used = ++b->stamp;
}

struct segment *buffer_start(struct buffer *b, sector s)
{
	struct segment *oldest = b->segment;

	if (b->nr_segments == 0)
		return NULL;
	for (unsigned i = 1; i < b->nr_segments; i++)
		if (b->segment[i].used < oldest->used)
			oldest = &b->segment[i];
	oldest->data = (struct extent){ s, s };
	buffer_touch(b, oldest);
	return oldest;
}

void buffer_extend(const struct buffer *b, struct segment *seg, sector end)
{
	BUG_ON(end < seg->data.end);
	seg->data.end = end;
	if (end - seg->data.first > b->segment_sectors)
		seg->data.first = end - b->segment_sectors;
}

/*
 * A segment stays one range: of the parts before and after the overwritten
 * sectors it keeps the part before, since reading goes upwards.
 */
void buffer_invalidate(struct buffer *b, sector first, uint32_t sectors)
{
	for (unsigned i = 0; i < b->nr_segments; i++) {
		struct segment *seg = &b->segment[i];

		if (!seg->used || first >= seg->data.end ||
		    first + sectors <= seg->data.first)
			continue;
		if (first > seg->data.first)
			seg->data.end = first;
		else
			seg->used = 0;
	}
}

/* The first dirty extent that ends after s. */
static unsigned buffer_dirty_after(const struct buffer *b, sector s)
{
	unsigned low = 0, high = b->nr_dirty;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (b->dirty[middle].end > s)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Replace n extents from the i-th on by one, or (e NULL) by nothing. */
static void buffer_splice(struct buffer *b, unsigned i, unsigned n,
			  const struct extent *e)
{
	unsigned put = e ? 1 : 0;

	BUG_ON(i + n > b->nr_dirty);
	for (unsigned j = i; j < i + n; j++)
		b->dirty_sectors -= b->dirty[j].end - b->dirty[j].first;
	if (b->nr_dirty + put > b->dirty_room) {
		b->dirty_room *= 2;
		b->dirty =
			xrealloc(b->dirty, b->dirty_room * sizeof(*b->dirty));
	}
	memmove(&b->dirty[i + put], &b->dirty[i + n],
		(b->nr_dirty - i - n) * sizeof(*b->dirty));
	b->nr_dirty += put;
	b->nr_dirty -= n;
	if (e) {
		b->dirty[i] = *e;
		b->dirty_sectors += e->end - e->first;
	}
}

void buffer_dirty(struct buffer *b, sector first, uint32_t sectors)
{
	struct extent e = { first, first + sectors };
	/* one that ends right at first is a neighbour, too */
	unsigned i = buffer_dirty_after(b, first ? first - 1 : 0), n = 0;

	while (i + n < b->nr_dirty && b->dirty[i + n].first <= e.end) {
		const struct extent *d = &b->dirty[i + n];

		if (d->first < e.first)
			e.first = d->first;
		if (d->end > e.end)
			e.end = d->end;
		n++;
	}
	buffer_splice(b, i, n, &e);
}

bool buffer_is_dirty(const struct buffer *b, sector first, uint32_t sectors)
{
	unsigned i = buffer_dirty_after(b, first);

	return i < b->nr_dirty && b->dirty[i].first <= first &&
	       b->dirty[i].end >= first + sectors;
}

void buffer_clean(struct buffer *b, sector first, uint32_t sectors)
{
	sector end = first + sectors;
	unsigned i = buffer_dirty_after(b, first);

	while (i < b->nr_dirty && b->dirty[i].first < end) {
		struct extent d = b->dirty[i];
		struct extent before = { d.first, first };
		struct extent after = { end, d.end };

		buffer_splice(b, i, 1, NULL);
		if (before.first < before.end)
			buffer_splice(b, i++, 0, &before);
		if (after.first < after.end)
			buffer_splice(b, i++, 0, &after);
	}
}

struct extent buffer_take(struct buffer *b, unsigned i, uint32_t most)
{
	struct extent e;

	BUG_ON(i >= b->nr_dirty);
	e = b->dirty[i];
	if (e.end - e.first > most)
		e.end = e.first + most;
	buffer_clean(b, e.first, (uint32_t)(e.end - e.first));
	return e;
}
