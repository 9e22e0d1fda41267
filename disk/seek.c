/*
 * Seek curves from measured points or from the three figures of a data sheet.
 *
 *   table  straight lines between points, and on past the last one
 *   sqrt   a + b sqrt(d) up to a distance x, then the straight line that
 *          continues it with the same slope; x is found by bisection so that
 *          the weighted mean is the data sheet's average
 *   lee    t1 + A sqrt(d-1) + B (d-1): the three-point formula of Lee, also
 *          in DiskSim's documentation
 *
 * All in integers, so that a curve is the same on every host: square roots
 * carry 16 fractional bits, b another 8.
 *
 * Leaves out: asymmetry of inward and outward seeks, and thermal effects.
 */
#include "disk/seek.h"

#include "emu/bug.h"

#include <stdlib.h>

#define ROOT_BITS 16
#define B_BITS	  8

/* sqrt(d) with ROOT_BITS fractional bits, rounded down. */
static uint32_t seek_root(uint32_t d)
{
	uint64_t square = (uint64_t)d << (2 * ROOT_BITS), root = 0;

	for (uint64_t bit = 1ULL << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= square)
			root |= bit;
	return (uint32_t)root;
}

static uint32_t seek_time_checked(int64_t ns)
{
	BUG_ON(ns < 0 || ns > UINT32_MAX);
	return (uint32_t)ns;
}

static void seek_from_points(struct seek *s, const struct drive_spec *spec)
{
	const struct seek_point *p = spec->point;
	unsigned i = 0;

	BUG_ON(spec->nr_points < 2);
	for (uint32_t d = 1; d < s->cylinders; d++) {
		int64_t run, rise, part;

		while (i + 2 < spec->nr_points && p[i + 1].cylinders <= d)
			i++;
		run = (int64_t)p[i + 1].cylinders - p[i].cylinders;
		rise = p[i + 1].time - p[i].time;
		part = rise * ((int64_t)d - p[i].cylinders);
		part += part < 0 ? -run / 2 : run / 2;
		s->time[d] = seek_time_checked(p[i].time + part / run);
	}
}

/* One member of the family of curves that go through both ends. */
struct joined {
	uint32_t x;	 /* distance of the join */
	int64_t a;	 /* ns */
	int64_t b;	 /* ns per sqrt(cylinder), B_BITS */
	int64_t at_join; /* ns at x */
	int64_t slope;	 /* ns per cylinder, 24 fractional bits */
};

/*
 * Equal value and slope at x leave one free parameter: the curve must reach
 * full at the longest distance D, so
 * b = (full - t1) / (sqrt(x)/2 + D/(2 sqrt(x)) - 1) and a = t1 - b.
 */
static struct joined seek_join(const struct drive_spec *spec, uint32_t x,
			       uint32_t root)
{
	int64_t span = spec->full_stroke - spec->track_to_track;
	int64_t longest = spec->cylinders - 1;
	int64_t below = ((x + longest) << ROOT_BITS) - 2 * (int64_t)root;
	struct joined j = { .x = x };

	j.b = span * 2 * root * (1 << B_BITS) / below;
	j.a = spec->track_to_track - (j.b >> B_BITS);
	j.at_join = j.a + ((j.b * root) >> (ROOT_BITS + B_BITS));
	j.slope = (j.b << (24 + ROOT_BITS - B_BITS)) / (2 * (int64_t)root);
	return j;
}

static int64_t seek_joined(const struct joined *j, uint32_t d, uint32_t root)
{
	if (d <= j->x)
		return j->a + ((j->b * root) >> (ROOT_BITS + B_BITS));
	return j->at_join + ((j->slope * (int64_t)(d - j->x)) >> 24);
}

static simtime seek_joined_mean(const struct seek *s, const struct joined *j)
{
	int64_t longest = (int64_t)s->cylinders - 1, sum = 0;

	/* s->time holds the square roots up to here */
	for (uint32_t d = 1; d < s->cylinders; d++)
		sum += seek_joined(j, d, s->time[d]) * (longest + 1 - d);
	return sum / (longest * (longest + 1) / 2);
}

/* The mean rises with x: find the first x whose mean is not below average. */
static void seek_from_sheet(struct seek *s, const struct drive_spec *spec)
{
	uint32_t low = 1, high = s->cylinders - 1;
	struct joined j;

	for (uint32_t d = 1; d < s->cylinders; d++)
		s->time[d] = seek_root(d);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		j = seek_join(spec, middle, s->time[middle]);
		if (seek_joined_mean(s, &j) < spec->average_seek)
			low = middle + 1;
		else
			high = middle;
	}
	j = seek_join(spec, low, s->time[low]);
	for (uint32_t d = 1; d < s->cylinders; d++)
		s->time[d] = seek_time_checked(seek_joined(&j, d, s->time[d]));
}

static void seek_from_lee(struct seek *s, const struct drive_spec *spec)
{
	simtime t1 = spec->track_to_track, avg = spec->average_seek;
	simtime full = spec->full_stroke;
	int64_t a3 = -10 * t1 + 15 * avg - 5 * full; /* 3 sqrt(C) A */
	int64_t b3 = 7 * t1 - 15 * avg + 8 * full;   /* 3 C B */
	int64_t root_c = seek_root(s->cylinders);

	for (uint32_t d = 1; d < s->cylinders; d++) {
		int64_t root = seek_root(d - 1);

		s->time[d] = seek_time_checked(
			t1 + a3 * root / (3 * root_c) +
			b3 * (int64_t)(d - 1) / (3 * (int64_t)s->cylinders));
	}
}

void seek_init(struct seek *s, const struct drive_spec *spec)
{
	s->cylinders = (uint32_t)spec->cylinders;
	s->time = xcalloc(s->cylinders, sizeof(*s->time));
	if (spec->seek == SEEK_TABLE)
		seek_from_points(s, spec);
	else if (spec->seek == SEEK_SQRT)
		seek_from_sheet(s, spec);
	else
		seek_from_lee(s, spec);
	s->time[0] = 0;
}

void seek_finish(struct seek *s)
{
	free(s->time);
	s->time = NULL;
}

simtime seek_mean(const struct seek *s)
{
	int64_t longest = (int64_t)s->cylinders - 1, sum = 0;

	for (uint32_t d = 1; d < s->cylinders; d++)
		sum += (int64_t)s->time[d] * (longest + 1 - d);
	return sum / (longest * (longest + 1) / 2);
}
