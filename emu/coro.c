/*
 * Coroutines: pooled stacks and who runs on them.
 *
 * Models      nothing; kernel code blocks in the middle of a function here.
 * Leaves out  more than one host thread, and growing stacks: they are as
 *             large as the pool says, and the page below each is forbidden.
 *
 * AddressSanitizer and valgrind are told of every stack and, the former, of
 * every switch; both would take another stack for damage otherwise.
 */
#include "emu/coro.h"

#include "emu/bug.h"
#include "emu/context.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef HAVE_VALGRIND
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) 0U
#define VALGRIND_STACK_DEREGISTER(id)	   ((void)(id))
#endif

#ifndef __has_feature
#define __has_feature(feature) 0 /* NOLINT: gcc does not know clang's name */
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#define IF_ASAN(call) (call)
#else
#define IF_ASAN(call) ((void)0)
#endif

/* About to leave for this stack; the fake stack, if any, is kept in save. */
static inline void fiber_leave(void **save, const void *low, size_t size)
{
	(void)save, (void)low, (void)size;
	IF_ASAN(__sanitizer_start_switch_fiber(save, low, size));
}

/* Arrived with this fake stack; low and size tell where we came from. */
static inline void
fiber_arrive(void *saved, const void **low,
	     size_t *size) /* NOLINT(readability-non-const-parameter) */
{
	(void)saved, (void)low, (void)size;
	IF_ASAN(__sanitizer_finish_switch_fiber(saved, low, size));
}

/* Belongs to its pool for ever; to the caller from coro_new to coro_free. */
struct coro {
	struct context context; /* first: debuggers start from it */
	struct coro_pool *pool;
	void (*fn)(void *arg);
	void *arg;
	bool done;

	char *low; /* the stack, stack_size bytes; a guard page lies below */
	unsigned valgrind_id;
	void *fake_stack; /* the address sanitizer's, while suspended */

	struct coro *next_free;
};

struct coro_pool {
	size_t stack_size;
	size_t guard_size;
	struct context scheduler;
	struct coro *current;
	struct coro *free;
	unsigned in_use;

	/* The scheduler's own stack, as the address sanitizer sees it. */
	const void *scheduler_low;
	size_t scheduler_size;
};

struct coro_pool *coro_pool_new(size_t stack_size)
{
	struct coro_pool *pool = xcalloc(1, sizeof(*pool));
	long page = sysconf(_SC_PAGESIZE);

	BUG_ON(page <= 0);
	BUG_ON(!stack_size);
	pool->guard_size = (size_t)page;
	pool->stack_size =
		(stack_size + pool->guard_size - 1) & ~(pool->guard_size - 1);
	context_init(&pool->scheduler);
	return pool;
}

static void unmap_stack(struct coro_pool *pool, struct coro *co)
{
	VALGRIND_STACK_DEREGISTER(co->valgrind_id);
	IF_ASAN(__lsan_unregister_root_region(co->low, pool->stack_size));
	/* What is mapped here next must not inherit the red zones. */
	IF_ASAN(__asan_unpoison_memory_region(co->low, pool->stack_size));
	BUG_ON(munmap(co->low - pool->guard_size,
		      pool->guard_size + pool->stack_size));
}

void coro_pool_free(struct coro_pool *pool)
{
	struct coro *co;

	if (!pool)
		return;
	BUG_ON(pool->in_use);
	while ((co = pool->free)) {
		pool->free = co->next_free;
		unmap_stack(pool, co);
		free(co);
	}
	context_finish(&pool->scheduler);
	free(pool);
}

/* A coroutine with a fresh stack, of which untouched pages cost nothing. */
static struct coro *map_stack(struct coro_pool *pool)
{
	struct coro *co = xcalloc(1, sizeof(*co));
	char *map = mmap(
		NULL, pool->guard_size + pool->stack_size,
		PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	BUG_ON(map == MAP_FAILED);
	BUG_ON(mprotect(map, pool->guard_size, PROT_NONE));
	co->pool = pool;
	co->low = map + pool->guard_size;
	co->valgrind_id =
		VALGRIND_STACK_REGISTER(co->low, co->low + pool->stack_size);
	/* Memory that only a suspended coroutine knows is not lost. */
	IF_ASAN(__lsan_register_root_region(co->low, pool->stack_size));
	return co;
}

__attribute__((always_inline)) static inline void
switch_to_scheduler(struct coro *co)
{
	struct coro_pool *pool = co->pool;

	pool->current = NULL;
	/* One that is done has no use for its fake stack any more. */
	fiber_leave(co->done ? NULL : &co->fake_stack, pool->scheduler_low,
		    pool->scheduler_size);
	context_switch(&co->context, &pool->scheduler);
	fiber_arrive(co->fake_stack, &pool->scheduler_low,
		     &pool->scheduler_size);
}

static void run(void *arg)
{
	struct coro *co = arg;

	fiber_arrive(NULL, &co->pool->scheduler_low, &co->pool->scheduler_size);
	co->fn(co->arg);
	co->done = true;
	switch_to_scheduler(co);
	/* coro_resume refuses it now. */
	BUG_ON(co->done);
}

struct coro *coro_new(struct coro_pool *pool, void (*fn)(void *arg), void *arg)
{
	struct coro *co = pool->free;

	if (co)
		pool->free = co->next_free;
	else
		co = map_stack(pool);

	/* The last user's frames may have left red zones behind. */
	IF_ASAN(__asan_unpoison_memory_region(co->low, pool->stack_size));
	co->next_free = NULL;
	co->fake_stack = NULL;
	co->fn = fn;
	co->arg = arg;
	co->done = false;
	context_make(&co->context, co->low, pool->stack_size, run, co);
	pool->in_use++;
	return co;
}

void coro_free(struct coro *co)
{
	if (!co)
		return;
	BUG_ON(co->pool->current == co);
	BUG_ON(!co->pool->in_use);
	BUG_ON(!co->fn);
	co->fn = NULL; /* freed twice would be seen */
	co->next_free = co->pool->free;
	co->pool->free = co;
	co->pool->in_use--;
}

void coro_resume(struct coro *co)
{
	struct coro_pool *pool = co->pool;
	void *fake_stack = NULL;

	BUG_ON(pool->current);
	BUG_ON(co->done || !co->fn);
	pool->current = co;
	fiber_leave(&fake_stack, co->low, pool->stack_size);
	context_switch(&pool->scheduler, &co->context);
	fiber_arrive(fake_stack, NULL, NULL);
	BUG_ON(pool->current);
}

void coro_yield(struct coro *co)
{
	BUG_ON(co->pool->current != co);
	switch_to_scheduler(co);
}

bool coro_done(const struct coro *co)
{
	return co->done;
}

struct coro *coro_current(const struct coro_pool *pool)
{
	return pool->current;
}
