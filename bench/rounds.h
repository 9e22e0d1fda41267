/*
 * Five rounds of the same work, measured in CPU time of this process: on a
 * shared host the wall clock tells more about the neighbours.
 *
 *   struct rounds r = { 0 };
 *   while (rounds_left(&r)) { ...; round_done(&r, operations); }
 *   rounds_print(&r, "what");
 */
#pragma once

#include "emu/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 5

struct rounds {
	unsigned count;
	int64_t started;       /* CPU time in ns */
	uint64_t rate[ROUNDS]; /* operations a second */
};

static inline int64_t rounds_cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* Starts a round, if there is one left. */
static inline bool rounds_left(struct rounds *r)
{
	r->started = rounds_cpu_time();
	return r->count < ROUNDS;
}

static inline void round_done(struct rounds *r, uint64_t operations)
{
	uint64_t ns = (uint64_t)(rounds_cpu_time() - r->started);

	/* Millions of operations take no longer than 10 s: this fits. */
	r->rate[r->count++] = operations * NSEC_PER_SEC / (ns ? ns : 1);
}

static inline int rounds_compare(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return (*a < *b) - (*a > *b);
}

/* "what: 12.34 M/s best, 12.01 M/s median of 5" */
static inline void rounds_print(struct rounds *r, const char *what)
{
	unsigned long long best;
	unsigned long long median;

	qsort(r->rate, r->count, sizeof(r->rate[0]), rounds_compare);
	best = r->rate[0] / 10000;
	median = r->rate[r->count / 2] / 10000;
	printf("%s: %llu.%02llu M/s best, %llu.%02llu M/s median of %u\n", what,
	       best / 100, best % 100, median / 100, median % 100, r->count);
}
