/*
 * Sleeping and waking.
 *
 * Models      kernel/wait.c, kernel/timer.c (schedule_timeout) and the
 *             iowait count of kernel/sched.c (io_schedule), 2.6.18.
 * Leaves out  the hashing of wait queues: callers own theirs, and a key
 *             tells apart what shares one.
 *
 * A waiter lives on the stack of its sleeper. Whoever wakes it takes it off
 * the queue; the sleeper does so itself when a timeout or a signal was first.
 */
#include "os/wait.h"

#include "os/jiffies.h"
#include "os/kernel.h"

struct waiter {
	struct list link; /* on the queue; alone once woken */
	struct kernel *k;
	struct task *task;
	uint64_t key;
	bool exclusive;
	bool woken; /* by wake_up, not by its timeout or a signal */
	struct event timeout;
};

void wait_queue_init(struct wait_queue *q)
{
	list_init(&q->waiters);
}

void might_sleep(struct kernel *k)
{
	BUG_ON(k->cpu->irq_depth);
	BUG_ON(!k->current);
	BUG_ON(coro_current(k->coros) != k->current->co);
}

static void timeout_fire(void *arg)
{
	struct waiter *w = arg;

	sched_wake(w->k, w->task, false);
}

static void waiter_init(struct waiter *w, struct kernel *k, uint64_t key,
			enum wait_flags flags)
{
	list_init(&w->link);
	w->k = k;
	w->task = k->current;
	w->key = key;
	w->exclusive = flags & WAIT_EXCLUSIVE;
	w->woken = false;
	event_init(&w->timeout, timeout_fire, w);
}

/* The current task gives up the CPU until somebody makes it runnable. */
static void wait_asleep(struct kernel *k, struct waiter *w,
			enum wait_flags flags, const char *what)
{
	struct task *task = w->task;

	BUG_ON(task->state != TASK_RUNNING || task->waiting);
	/* a signal that is already there: do not even begin */
	if ((flags & WAIT_INTERRUPTIBLE) && (task->flags & TF_KILLED))
		return;

	task->waiting = w;
	task->wait_what = what;
	task->state = flags & WAIT_INTERRUPTIBLE ? TASK_INTERRUPTIBLE
						 : TASK_UNINTERRUPTIBLE;
	task->blocked_since = kernel_now(k);
	if (flags & WAIT_IO) {
		task->flags |= TF_IOWAIT;
		k->nr_iowait++;
	}
	trace_emit(k->trace, TR_BLOCK, (uint64_t)task->pid, trace_pack(what, 0),
		   w->key, 0);

	schedule(k);

	BUG_ON(task->state != TASK_RUNNING);
	if (flags & WAIT_IO) {
		task->flags &= ~(uint32_t)TF_IOWAIT;
		k->nr_iowait--;
	}
	task->waiting = NULL;
	task->wait_what = NULL;
}

void wait_on(struct kernel *k, struct wait_queue *q, uint64_t key,
	     enum wait_flags flags, const char *what)
{
	struct waiter w;

	might_sleep(k);
	waiter_init(&w, k, key, flags);
	list_add_tail(&w.link, &q->waiters);
	wait_asleep(k, &w, flags, what);
	list_del(&w.link);
}

/* Sleep on q, or on nothing if it is NULL, until woken or until the tick. */
static bool wait_until_tick(struct wait_queue *q, struct waiter *w,
			    int64_t tick, enum wait_flags flags,
			    const char *what)
{
	struct kernel *k = w->k;

	if (q)
		list_add_tail(&w->link, &q->waiters);
	event_post(k->events, &w->timeout, jiffies_time(k->config.hz, tick));
	wait_asleep(k, w, flags, what);
	event_cancel(k->events, &w->timeout);
	list_del(&w->link);
	return w->woken;
}

bool wait_timeout(struct kernel *k, struct wait_queue *q, uint64_t key,
		  enum wait_flags flags, simtime span, const char *what)
{
	unsigned hz = k->config.hz;
	struct waiter w;
	int64_t tick;

	might_sleep(k);
	BUG_ON(span <= 0);
	/* jiffies_in rounds down: of span - 1, plus 1, it rounds up */
	tick = jiffies_at(hz, kernel_now(k)) + jiffies_in(hz, span - 1) + 1;
	waiter_init(&w, k, key, flags);
	return wait_until_tick(q, &w, tick, flags, what);
}

void sleep_for(struct kernel *k, simtime span, enum wait_flags flags,
	       const char *what)
{
	struct waiter w;
	int64_t tick;

	might_sleep(k);
	BUG_ON(span < 0);
	/* run_hrtimer_queue leaves a timer that is due just at the tick */
	tick = jiffies_at(k->config.hz, kernel_now(k) + span) + 1;
	waiter_init(&w, k, 0, flags);
	wait_until_tick(NULL, &w, tick, flags, what);
}

void wait_abort(struct kernel *k, struct task *task)
{
	BUG_ON(!task->waiting);
	sched_wake(k, task, false);
}

void wait_forget(struct kernel *k, struct task *task)
{
	struct waiter *w = task->waiting;

	if (!w)
		return;
	event_cancel(k->events, &w->timeout);
	list_del(&w->link);
	if (task->flags & TF_IOWAIT)
		k->nr_iowait--;
	task->waiting = NULL;
}

void wake_up(struct kernel *k, struct wait_queue *q, uint64_t key, unsigned nr)
{
	list_each_safe (pos, tmp, &q->waiters) {
		struct waiter *w = container_of(pos, struct waiter, link);

		if (key && w->key && w->key != key)
			continue;
		if (w->exclusive && !nr)
			continue;
		if (w->exclusive)
			nr--;
		list_del(&w->link);
		w->woken = true;
		sched_wake(k, w->task, false);
	}
}
