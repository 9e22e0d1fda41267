/*
 * Sleeping and waking. The kernel is not preempted and host code runs on one
 * thread, so between testing a condition and wait_on nothing can happen
 * unless cpu_spend or another SLEEPS function is called in between.
 */
#pragma once

#include "emu/list.h"

struct kernel;
struct task;

/* Marks every function that may switch to another task. */
#define SLEEPS

struct wait_queue {
	struct list waiters; /* in order of arrival */
};

enum wait_flags {
	WAIT_PLAIN = 0,
	WAIT_IO = 1, /* counts as iowait while the CPU is idle */
	WAIT_EXCLUSIVE = 2, /* a wake-up of n wakes at most n of these */
	WAIT_INTERRUPTIBLE = 4, /* a signal ends it; gains interactivity */
};

void wait_queue_init(struct wait_queue *q);

/* BUG inside an event callback or outside a task. */
void might_sleep(struct kernel *k);

/*
 * Sleep until woken. key tells apart what is waited for on a shared queue
 * (a frame number, say); 0 is woken by any wake-up. The caller tests its
 * condition again. what names the wait in traces: a short constant.
 */
SLEEPS void wait_on(struct kernel *k, struct wait_queue *q, uint64_t key,
		    enum wait_flags flags, const char *what);

/* The same for at most span ns; true if woken before the time was over. */
SLEEPS bool wait_timeout(struct kernel *k, struct wait_queue *q, uint64_t key,
			 enum wait_flags flags, simtime span,
			 const char *what);

/* Sleep for span ns. */
SLEEPS void sleep_for(struct kernel *k, simtime span, enum wait_flags flags,
		      const char *what);

/*
 * Wake waiters whose key matches (or is 0, or key is 0): all plain ones and
 * at most nr exclusive ones, first come first. From tasks and callbacks.
 */
void wake_up(struct kernel *k, struct wait_queue *q, uint64_t key,
	     unsigned nr);

#define WAKE_ALL UINT32_MAX
