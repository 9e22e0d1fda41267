/*
 * Processes that do I/O, for tests of elevators.
 */
#pragma once

#include "tests/blockkit.h"

/* A process that does some I/O; task is its index in bk.pending. */
struct worker {
	struct bk *b;
	unsigned task;
	simtime begin, think;
	sector base, step;
	unsigned count;
};

static inline void read_singles(void *arg)
{
	struct worker *w = arg;

	for (unsigned i = 0; i < w->count; i++) {
		bk_io(w->b, w->task, w->base + i * w->step, 1, false);
		bk_wait(w->b, w->task);
		if (w->think)
			sleep_for(&w->b->k, w->think, WAIT_PLAIN, "think");
	}
}

static inline void write_singles(void *arg)
{
	struct worker *w = arg;

	sleep_for(&w->b->k, w->begin, WAIT_PLAIN, "begin");
	for (unsigned i = 0; i < w->count; i++)
		bk_io(w->b, w->task, w->base + i * w->step, 1, true);
	bk_wait(w->b, w->task);
}

static inline void start(struct worker *w, void (*fn)(void *arg))
{
	kthread_new(&w->b->k, "worker", fn, w);
}
