/*
 * Who runs next. The slot's competitors are in os/sched/: o1 is the O(1)
 * scheduler of 2.6.9 .. 2.6.22.
 */
#pragma once

#include "os/slot.h"
#include "os/wait.h"

/* How a sleeper was woken: what its time on the run queue is worth to it. */
enum sched_sleep {
	SLEEP_NORMAL,	      /* no credit for waiting */
	SLEEP_NONINTERACTIVE, /* a long or a disk sleep: no credit either */
	SLEEP_INTERACTIVE,    /* woken by a task: 30 % */
	SLEEP_INTERRUPTED,    /* woken by an interrupt: all of it */
};

struct prio_array;

/* What a task has for the scheduler; embedded in struct task. */
struct sched_task {
	struct list link; /* on a run queue; a running task stays on it */
	struct prio_array *array; /* which one; NULL: on none */
	int nice;		  /* -20..19 */
	int static_prio;	  /* 120 + nice */
	int prio;		  /* 100..139, lower runs first */
	uint32_t slice;		  /* ticks left */
	bool first_slice;	  /* not used up since fork */
	enum sched_sleep sleep;
	int64_t sleep_avg; /* ns, 0..1 s */
	simtime stamp;	   /* when it last ran, slept or was queued */
};

struct kernel;
struct task;

/*
 * A scheduler. Hooks never sleep and spend no time: the caller charges. They
 * may set cpu->need_resched.
 */
struct sched_ops {
	struct slot slot;
	void (*init)(struct kernel *k, void *state);
	/* a child that never ran; parent is current, or NULL. Not queued. */
	void (*fork)(struct kernel *k, void *state, struct task *child,
		     struct task *parent);
	/* its first wake-up */
	void (*wake_new)(struct kernel *k, void *state, struct task *child,
			 struct task *parent);
	/* task, a zombie, is released by parent */
	void (*release)(void *state, const struct task *task,
			struct task *parent);
	/* queue a sleeper; disk: its sleep was uninterruptible */
	void (*wake)(struct kernel *k, void *state, struct task *task,
		     bool sync, bool disk);
	/* prev (NULL: idle) stops; it left the queue unless it is runnable */
	struct task *(*pick)(struct kernel *k, void *state, struct task *prev);
	void (*tick)(struct kernel *k, void *state, struct task *task);
	void (*yield)(struct kernel *k, void *state, struct task *task);
	void (*nice)(struct kernel *k, void *state, struct task *task);
};

/* All schedulers, NULL-terminated; the first is the default. */
extern const struct sched_ops *const sched_policies[];

/* Make the run queues. */
void sched_init(struct kernel *k);
void sched_finish(struct kernel *k);

/* A task that never ran; parent NULL for kernel threads. Does not queue. */
void sched_fork(struct kernel *k, struct task *child, struct task *parent);

/* First wake-up: the child goes before its parent on the queue. */
void sched_wake_new(struct kernel *k, struct task *child, struct task *parent);

/* parent releases the zombie task (release_task): time left goes back. */
void sched_exit(struct kernel *k, struct task *task, struct task *parent);

/*
 * Make a sleeping task runnable; sets need_resched if it should preempt.
 * sync: the waker is about to sleep itself. Harmless for a task that does
 * not sleep. From tasks and callbacks.
 */
void sched_wake(struct kernel *k, struct task *task, bool sync);

/*
 * Give the CPU to the best runnable task: returns when this one runs again.
 * A task that is not in state TASK_RUNNING leaves the queue (voluntary).
 */
SLEEPS void schedule(struct kernel *k);

/*
 * A voluntary point: interrupts that are due come in, and if need_resched is
 * set somebody else may run. Stops here when the machine is to stop.
 */
SLEEPS void cond_resched(struct kernel *k);

/* One timer tick. Callback. */
void sched_tick(struct kernel *k);

/* sched_yield(2): behind everybody who still has time to run. */
SLEEPS void sched_yield_cpu(struct kernel *k);

/* nice(2): clamped to -20..19. */
void sched_set_nice(struct kernel *k, struct task *task, int nice);

unsigned sched_nr_running(const struct kernel *k);

/*
 * If k->stop is set, or the host interrupts: back to who called sched_run,
 * until it runs again.
 */
SLEEPS void sched_pause(struct kernel *k);

/*
 * The machine can not go on (models panic()): a result, told in k->panicked.
 * Does not return.
 */
SLEEPS _Noreturn void kernel_panic(struct kernel *k, const char *why);

/*
 * The CPU's main loop, on the host's stack: run tasks, else idle, until
 * k->stop is set, or the host interrupts (k->interrupt). False if nothing can
 * ever happen again. May be called again after k->stop was cleared.
 */
bool sched_run(struct kernel *k);
