/*
 * The write cache's list of dirty extents against a plain map of sectors,
 * and the replacement of read segments.
 */
#include "disk/buffer.h"

#include "emu/bug.h"
#include "emu/rng.h"

#define SECTORS 512u
#define ROUNDS	20000u

static void set(bool *map, sector first, uint64_t n, bool dirty)
{
	for (uint64_t i = 0; i < n; i++)
		map[first + i] = dirty;
}

static bool all(const bool *map, sector first, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (!map[first + i])
			return false;
	return true;
}

/* Same sectors; and extents as long as can be, in order. */
static void check_same(const struct buffer *b, const bool *map)
{
	unsigned extent = 0;
	uint64_t count = 0;

	for (sector s = 0; s < SECTORS; s++) {
		if (!map[s])
			continue;
		count++;
		BUG_ON(extent >= b->nr_dirty);
		if (s == 0 || !map[s - 1])
			BUG_ON(b->dirty[extent].first != s);
		if (s + 1 == SECTORS || !map[s + 1])
			BUG_ON(b->dirty[extent++].end != s + 1);
	}
	BUG_ON(extent != b->nr_dirty || count != b->dirty_sectors);
}

static void check_dirty(struct buffer *b)
{
	static bool map[SECTORS];
	struct rng r;

	rng_init(&r, 1, "buffer");
	for (unsigned i = 0; i < ROUNDS; i++) {
		sector first = rng_below(&r, SECTORS - 16);
		uint32_t n = 1 + (uint32_t)rng_below(&r, 16);
		uint64_t what = rng_below(&r, 4);

		if (what == 0 && b->nr_dirty) {
			unsigned at = (unsigned)rng_below(&r, b->nr_dirty);
			struct extent e = buffer_take(b, at, n);

			BUG_ON(e.end - e.first > n || e.first >= e.end);
			BUG_ON(!all(map, e.first, e.end - e.first));
			set(map, e.first, e.end - e.first, false);
		} else if (what == 1) {
			buffer_clean(b, first, n);
			set(map, first, n, false);
		} else {
			buffer_dirty(b, first, n);
			set(map, first, n, true);
		}
		check_same(b, map);
		BUG_ON(buffer_is_dirty(b, first, n) != all(map, first, n));
	}
}

static void check_segments(struct buffer *b)
{
	struct segment *a, *c, *d;

	BUG_ON(buffer_find(b, 100));
	a = buffer_start(b, 100);
	buffer_extend(b, a, 120);
	c = buffer_start(b, 500);
	buffer_extend(b, c, 508);
	BUG_ON(a == c);
	BUG_ON(buffer_find(b, 100) != a || buffer_find(b, 119) != a);
	BUG_ON(buffer_find(b, 120) != a); /* reading could go on there */
	BUG_ON(buffer_find(b, 121) || buffer_find(b, 99));

	/* longer than a segment: the oldest sectors are dropped */
	buffer_extend(b, a, 100 + 64 + 10);
	BUG_ON(buffer_find(b, 109) || buffer_find(b, 110) != a);

	/* the least recently used goes: c, since a was touched */
	buffer_touch(b, a);
	d = buffer_start(b, 900);
	BUG_ON(d != c || buffer_find(b, 500));

	/* an overwrite keeps what lies before it, or nothing */
	buffer_invalidate(b, 150, 8);
	BUG_ON(buffer_find(b, 149) != a || buffer_find(b, 151));
	buffer_invalidate(b, 100, 20);
	BUG_ON(buffer_find(b, 120));
}

int main(void)
{
	static struct drive_spec spec;
	struct buffer b;

	drive_defaults(&spec);
	spec.segments = 2;
	spec.segment_sectors = 64;
	buffer_init(&b, &spec);
	BUG_ON(b.dirty_limit != 64);
	check_dirty(&b);
	check_segments(&b);
	buffer_finish(&b);
	drive_finish(&spec);
	return 0;
}
