/*
 * Chance, by name. Every consumer draws from a stream of its own, seeded from
 * the run's seed and the consumer's name, so adding one never shifts another.
 * All draws are integers made from integer tables: the same on every host.
 */
#pragma once

#include "emu/types.h"

struct rng {
	uint64_t state; /* xorshift64*, never 0 */
};

/* Start the stream called name of the run with this seed. */
void rng_init(struct rng *r, uint64_t seed, const char *name);

/*
 * One step of xorshift64*: x ^= x >> 12; x ^= x << 25; x ^= x >> 27; the
 * output is x * 0x2545F4914F6CDD1D. Programs' own generators use it too.
 */
static inline uint64_t rng_step(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545F4914F6CDD1DULL;
}

/* Scale one output to 0..n-1 by its high half; n at most 2^32. */
static inline uint64_t rng_scale(uint64_t output, uint64_t n)
{
	return ((output >> 32) * n) >> 32;
}

static inline uint64_t rng_next(struct rng *r)
{
	return rng_step(&r->state);
}

/* 0..n-1, n from 1 to 2^32. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return rng_scale(rng_next(r), n);
}

/*
 * Exponentially distributed with this mean (any unit, below 2^57), from a
 * table, rounded to nearest.
 */
uint64_t rng_exponential(struct rng *r, uint64_t mean);

/*
 * A table for ranks 0..n-1 with weight 1 / (rank + 1)^theta; theta in
 * 1/1024ths, 0..2048. Draw with one 64-bit output. Cost: O(n) once, O(1)
 * per draw (alias method, integer).
 */
struct zipf;
struct zipf *zipf_new(uint32_t n, uint32_t theta_1024);
void zipf_free(struct zipf *z);
uint32_t zipf_draw(const struct zipf *z, uint64_t output);
