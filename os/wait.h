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

/*
 * Timeouts end at timer ticks, as they do in a kernel of 2006, which looks
 * at its timers once a tick.
 */

struct wait_queue {
	struct list waiters; /* in order of arrival */
};

enum wait_flags {
	WAIT_PLAIN = 0,
	WAIT_IO = 1,		/* counts as iowait while the CPU is idle */
	WAIT_EXCLUSIVE = 2,	/* a wake-up of n wakes at most n of these */
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

/*
 * The same for at most span ns, rounded up to n ticks; true if woken before
 * the time was over. The wait ends at the n-th tick from now, so that it may
 * last up to one tick less (models schedule_timeout, kernel/timer.c).
 */
SLEEPS bool wait_timeout(struct kernel *k, struct wait_queue *q, uint64_t key,
			 enum wait_flags flags, simtime span, const char *what);

/*
 * Sleep for span ns, never less: until the first tick after its end
 * (models nanosleep, kernel/hrtimer.c without high resolution). A signal
 * ends it early if flags say interruptible.
 */
SLEEPS void sleep_for(struct kernel *k, simtime span, enum wait_flags flags,
		      const char *what);

/* End task's wait, whatever it is: for signals. From tasks and callbacks. */
void wait_abort(struct kernel *k, struct task *task);

/*
 * Take a sleeper's wait away without running it again, timeout and all: the
 * machine is being torn down.
 */
void wait_forget(struct kernel *k, struct task *task);

/*
 * Wake waiters whose key matches (or is 0, or key is 0): all plain ones and
 * at most nr exclusive ones, first come first. From tasks and callbacks.
 */
void wake_up(struct kernel *k, struct wait_queue *q, uint64_t key, unsigned nr);

#define WAKE_ALL UINT32_MAX
