/*
 * How many times a second a coroutine is resumed and yields.
 *
 * Prints millions of pairs a second of CPU time, best and median of 5 rounds,
 * for one coroutine and for many in turn.
 */
#include "bench/rounds.h"
#include "emu/bug.h"
#include "emu/coro.h"

#include <stdlib.h>

#define PAIRS 4000000
#define MANY  1024

struct spinner {
	struct coro *co;
};

static void spin(void *arg)
{
	struct spinner *s = arg;

	for (;;)
		coro_yield(s->co);
}

static void measure(unsigned count, const char *name)
{
	struct coro_pool *pool = coro_pool_new((size_t)64 * 1024);
	struct spinner *spinners = xcalloc(count, sizeof(*spinners));
	struct rounds rounds = { 0 };
	unsigned turns = PAIRS / count;

	for (unsigned i = 0; i < count; i++)
		spinners[i].co = coro_new(pool, spin, &spinners[i]);
	while (rounds_left(&rounds)) {
		for (unsigned i = 0; i < turns; i++) {
			for (unsigned k = 0; k < count; k++)
				coro_resume(spinners[k].co);
		}
		round_done(&rounds, (uint64_t)turns * count);
	}
	for (unsigned i = 0; i < count; i++)
		coro_free(spinners[i].co);
	coro_pool_free(pool);
	free(spinners);
	rounds_print(&rounds, name, (struct target){ 10000, 25000 });
}

int main(void)
{
	measure(1, "coroutine switches and back, 1 coroutine");
	measure(64, "coroutine switches and back, 64 in turn");
	measure(MANY, "coroutine switches and back, 1024 in turn");
	return 0;
}
