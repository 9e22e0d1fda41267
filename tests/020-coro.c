/*
 * Coroutines: many at once, deep ones, stacks used again, and what happens to
 * those who misuse them.
 */
#include "emu/bug.h"
#include "emu/coro.h"
#include "tests/child.h"

#include <stdlib.h>
#include <string.h>

#define STACK ((size_t)64 * 1024)
#define MANY  1000

struct worker {
	struct coro_pool *pool;
	struct coro *co;
	unsigned rounds;
	uint64_t sum;
	uintptr_t stack; /* the address of a local variable */
};

/* Values that the compiler likes to keep in registers across the switch. */
static void work(void *arg)
{
	struct worker *w = arg;
	uint64_t a = 1;
	uint64_t b = 2;
	uint64_t c = w->rounds;

	w->stack = (uintptr_t)&c;
	for (unsigned i = 0; i < w->rounds; i++) {
		BUG_ON(coro_current(w->pool) != w->co);
		coro_yield(w->co);
		a += b;
		b ^= c + i;
		w->sum += a;
	}
}

/* What work() must leave in sum. */
static uint64_t expected_sum(unsigned rounds)
{
	uint64_t a = 1;
	uint64_t b = 2;
	uint64_t sum = 0;

	for (unsigned i = 0; i < rounds; i++) {
		a += b;
		b ^= rounds + i;
		sum += a;
	}
	return sum;
}

static void test_many(void)
{
	struct coro_pool *pool = coro_pool_new(STACK);
	struct worker *workers = xcalloc(MANY, sizeof(*workers));
	unsigned running = MANY;

	for (unsigned i = 0; i < MANY; i++) {
		workers[i].pool = pool;
		workers[i].rounds = i % 17;
		workers[i].co = coro_new(pool, work, &workers[i]);
	}
	BUG_ON(coro_current(pool));
	while (running) {
		for (unsigned i = 0; i < MANY; i++) {
			if (coro_done(workers[i].co))
				continue;
			coro_resume(workers[i].co);
			running -= coro_done(workers[i].co);
		}
	}
	for (unsigned i = 0; i < MANY; i++) {
		BUG_ON(workers[i].sum != expected_sum(i % 17));
		coro_free(workers[i].co);
	}
	coro_pool_free(pool);
	free(workers);
}

static unsigned deepen(struct coro *co, unsigned depth)
{
	volatile char frame[256];

	memset((char *)frame, (int)depth, sizeof(frame));
	if (!depth) {
		coro_yield(co);
		return 0;
	}
	return deepen(co, depth - 1) + (frame[depth % 256] == (char)depth);
}

static void dive(void *arg)
{
	struct worker *w = arg;

	w->sum = deepen(w->co, w->rounds);
}

static void test_deep(void)
{
	struct coro_pool *pool = coro_pool_new(STACK);
	struct worker w = { .pool = pool, .rounds = 60 };

	w.co = coro_new(pool, dive, &w);
	coro_resume(w.co);
	BUG_ON(coro_done(w.co));
	coro_resume(w.co);
	BUG_ON(!coro_done(w.co));
	BUG_ON(w.sum != 60);
	coro_free(w.co);
	coro_pool_free(pool);
}

/*
 * A stack that is given back half way is the next one to be used, and what
 * its last user left on it (red zones, too) is no matter.
 */
static void test_reuse(void)
{
	struct coro_pool *pool = coro_pool_new(STACK);
	struct worker shallow = { .pool = pool, .rounds = 1 };
	uintptr_t first = 0;

	for (unsigned i = 0; i < 10000; i++) {
		struct worker deep = { .pool = pool, .rounds = 40 };

		deep.co = coro_new(pool, dive, &deep);
		coro_resume(deep.co);
		coro_free(deep.co);

		shallow.co = coro_new(pool, work, &shallow);
		coro_resume(shallow.co);
		coro_free(shallow.co);
		BUG_ON(first && first != shallow.stack);
		first = shallow.stack;
	}
	coro_free(NULL);
	coro_pool_free(pool);
	coro_pool_free(NULL);
}

/*
 * Far enough to leave the stack, not its neighbours below: without a guard
 * page between them nobody would notice.
 */
static void overflow(void *arg)
{
	struct coro_pool *pool = coro_pool_new(STACK);
	struct worker w[4] = { { .rounds = 320 } };

	(void)arg;
	for (unsigned i = 0; i < 4; i++)
		w[i].co = coro_new(pool, dive, &w[i]);
	coro_resume(w[0].co);
}

static void resume_done(void *arg)
{
	struct coro_pool *pool = arg;
	struct worker w = { .pool = pool };

	w.co = coro_new(pool, work, &w);
	coro_resume(w.co);
	coro_resume(w.co);
}

static void free_twice(void *arg)
{
	struct worker w = { .pool = arg };

	w.co = coro_new(arg, work, &w);
	coro_free(w.co);
	coro_free(w.co);
}

static void pool_in_use(void *arg)
{
	struct worker w = { .pool = arg };

	w.co = coro_new(arg, work, &w);
	coro_pool_free(arg);
}

static void yield_outside(void *arg)
{
	struct worker w = { .pool = arg, .rounds = 2 };

	w.co = coro_new(arg, work, &w);
	coro_resume(w.co);
	coro_yield(w.co);
}

static void test_misuse(void)
{
	struct coro_pool *pool = coro_pool_new(STACK);

	BUG_ON(!child_dies(overflow, NULL));
	BUG_ON(!child_aborts(resume_done, pool));
	BUG_ON(!child_aborts(free_twice, pool));
	BUG_ON(!child_aborts(pool_in_use, pool));
	BUG_ON(!child_aborts(yield_outside, pool));
	coro_pool_free(pool);
}

int main(void)
{
	test_many();
	test_deep();
	test_reuse();
	test_misuse();
	return 0;
}
