/*
 * Five rounds of the same work, measured in CPU time of this process: on a
 * shared host the wall clock tells more about the neighbours.
 *
 *   struct rounds r = { 0 };
 *   while (rounds_left(&r)) { ...; round_done(&r, operations); }
 *   rounds_print(&r, "what", (struct target){ floor, goal });
 *
 * Every line of every benchmark has the same columns: see bench/run.sh.
 */
#pragma once

#include "emu/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 5

/* What we expect, in thousands a second; 0: nothing in particular. */
struct target {
	uint64_t floor;
	uint64_t goal;
};

#define NO_TARGET ((struct target){ 0, 0 })

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

/* A round of which the caller measured only a part. */
static inline void round_took(struct rounds *r, uint64_t operations, int64_t ns)
{
	/* Millions of operations take no longer than 10 s: this fits. */
	r->rate[r->count++] =
		operations * NSEC_PER_SEC / (uint64_t)(ns > 0 ? ns : 1);
}

static inline void round_done(struct rounds *r, uint64_t operations)
{
	round_took(r, operations, rounds_cpu_time() - r->started);
}

static inline int rounds_compare(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return (*a < *b) - (*a > *b);
}

/* "150", "1.5", or "-" for 0: thousands as millions. */
static inline const char *rounds_millions(uint64_t thousands, char text[24])
{
	if (!thousands)
		return "-";
	if (thousands % 1000)
		snprintf(text, 24, "%lu.%lu", thousands / 1000,
			 thousands % 1000 / 100);
	else
		snprintf(text, 24, "%lu", thousands / 1000);
	return text;
}

/* The best round against the target: what the host took away is not ours. */
static inline const char *rounds_verdict(uint64_t best, struct target t)
{
	if (!t.floor)
		return "";
	if (best / 1000 < t.floor)
		return "below the floor";
	return best / 1000 < t.goal ? "below the goal" : "good";
}

/* Millions a second: best, median, floor, goal; and how that is. */
static inline void rounds_print(struct rounds *r, const char *what,
				struct target t)
{
	char floor[24];
	char goal[24];
	uint64_t best;
	uint64_t median;

	qsort(r->rate, r->count, sizeof(r->rate[0]), rounds_compare);
	best = r->rate[0];
	median = r->rate[r->count / 2];
	printf("%-40s %7lu.%02lu %7lu.%02lu %6s %6s  M/s  %s\n", what,
	       best / 1000000, best / 10000 % 100, median / 1000000,
	       median / 10000 % 100, rounds_millions(t.floor, floor),
	       rounds_millions(t.goal, goal), rounds_verdict(best, t));
	(void)fflush(stdout);
}

/* value, floor and goal in thousandths; less is better. */
static inline void print_less(const char *what, uint64_t value, struct target t,
			      const char *unit)
{
	char floor[24];
	char goal[24];
	const char *verdict = value > t.floor  ? "above the floor"
			      : value > t.goal ? "above the goal"
					       : "good";

	printf("%-40s %7lu.%02lu %10s %6s %6s  %-3s  %s\n", what, value / 1000,
	       value / 10 % 100, "", rounds_millions(t.floor, floor),
	       rounds_millions(t.goal, goal), unit, verdict);
	(void)fflush(stdout);
}

/* Memory of this process by a field of /proc/self/status, KB. */
static inline uint64_t resident(const char *field)
{
	FILE *f = fopen("/proc/self/status", "r");
	size_t length = strlen(field);
	char line[128];
	uint64_t kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, field, length) == 0)
			kib = strtoull(line + length, NULL, 10);
	if (f)
		(void)fclose(f);
	return kib * 1024 / 1000;
}
