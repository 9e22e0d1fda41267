/*
 * Who runs next. The slot's competitors are in os/sched/: o1 is the O(1)
 * scheduler of 2.6.9 .. 2.6.22.
 */
#pragma once

#include "os/wait.h"

/* What a task has for the scheduler; embedded in struct task. */
struct sched_task {
	struct list link; /* on a run queue */
	bool queued;
	bool interactive_credit_from_irq; /* how it was woken last */
	int nice; /* -20..19 */
	int static_prio; /* 120 + nice */
	int prio; /* 100..139, lower runs first */
	uint32_t slice; /* ticks left */
	bool first_slice; /* not used up since fork */
	int64_t sleep_avg; /* ns, 0..1 s */
	simtime stamp; /* when it last ran, slept or was queued */
	bool non_interactive; /* woke from a long sleep */
	uint64_t ran_at; /* cycles when it was last put on a CPU */
};

struct kernel;
struct task;

/* Make the run queues. */
void sched_init(struct kernel *k);
void sched_finish(struct kernel *k);

/* A task that never ran; parent NULL for kernel threads. Does not queue. */
void sched_fork(struct kernel *k, struct task *child, struct task *parent);

/* First wake-up: the child goes before its parent on the queue. */
void sched_wake_new(struct kernel *k, struct task *child,
		    struct task *parent);
void sched_exit(struct kernel *k, struct task *task);

/*
 * Make a sleeping task runnable; sets need_resched if it should preempt.
 * sync: the waker is about to sleep itself. From tasks and callbacks.
 */
void sched_wake(struct kernel *k, struct task *task, bool sync);

/*
 * Give the CPU to the best runnable task: returns when this one runs again.
 * A task that is not in state TASK_RUNNING leaves the queue (voluntary).
 */
SLEEPS void schedule(struct kernel *k);

/* If need_resched is set: let somebody else run. A voluntary point. */
SLEEPS void cond_resched(struct kernel *k);

/* One timer tick. Callback. */
void sched_tick(struct kernel *k);

/* sched_yield(2), nice(2). */
SLEEPS void sched_yield_cpu(struct kernel *k);
void sched_set_nice(struct kernel *k, struct task *task, int nice);

unsigned sched_nr_running(const struct kernel *k);

/*
 * The CPU's main loop, on the host's stack: run tasks, else idle, until
 * k->stop is set. False if nothing can ever happen again.
 */
bool sched_run(struct kernel *k);
