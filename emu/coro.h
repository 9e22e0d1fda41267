/*
 * A stack of one's own: kernel code that sleeps in the middle of a function.
 *
 * One host thread runs one scheduler (the host's own stack) and any number of
 * coroutines. Switches go from the scheduler to a coroutine (coro_resume) and
 * back (coro_yield), never from coroutine to coroutine: sanitizers, valgrind
 * and gdb can follow that.
 */
#pragma once

#include "emu/types.h"

struct coro_pool;
struct coro;

/*
 * A pool of stacks of stack_size bytes, each with a guard page, reused as
 * coroutines come and go.
 */
struct coro_pool *coro_pool_new(size_t stack_size);

/* All coroutines of the pool must have been freed. Accepts NULL. */
void coro_pool_free(struct coro_pool *pool);

/* A coroutine that will run fn(arg) on its first resume. */
struct coro *coro_new(struct coro_pool *pool, void (*fn)(void *arg), void *arg);

/* Give the stack back, finished or not. Not from inside. Accepts NULL. */
void coro_free(struct coro *co);

/* Run co until it yields or its function returns. Scheduler only. */
void coro_resume(struct coro *co);

/* Go back to the scheduler. Only from inside the running coroutine. */
void coro_yield(struct coro *co);

/* Has the function returned? Such a coroutine must not be resumed. */
bool coro_done(const struct coro *co);

/* The coroutine that is running now, NULL on the scheduler's stack. */
struct coro *coro_current(const struct coro_pool *pool);
