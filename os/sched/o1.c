/*
 * The O(1) scheduler: two arrays of queues, one per priority; a task that
 * used its slice goes to the expired array, and the arrays are swapped when
 * the active one is empty. Tasks that sleep much earn up to five priorities
 * and may stay in the active array.
 *
 * Models      Linux 2.6.9 .. 2.6.22, as in 2.6.18: kernel/sched.c
 *             (recalc_task_prio, scheduler_tick, sched_fork, schedule).
 * Leaves out  real-time and batch classes, several CPUs.
 *
 * Priorities are 100 (nice -20, most urgent) .. 139; queue i of an array
 * holds priority 100 + i. "Jiffies" below are ticks of HZ.
 */
#include "os/sched/o1.h"

#include "os/kernel.h"

#define PRIOS	      40
#define PRIO_FIRST    100
#define PRIO_LAST     139
#define PRIO_MAX      140
#define MAX_BONUS     10
#define INTERACTIVE   2	 /* INTERACTIVE_DELTA: bonus 7 of 10 at nice 0 */
#define CHILD_PENALTY 95 /* % of whole bonus levels that a child inherits */
#define EXIT_WEIGHT   3
/* 30 % in 128ths, as the kernel divides */
#define ON_RUNQUEUE_128 38

struct prio_array {
	unsigned nr;
	uint64_t bitmap; /* bit i: queue i is not empty */
	struct list queue[PRIOS];
};

struct o1 {
	struct prio_array array[2];
	struct prio_array *active, *expired;
	unsigned nr_queued;
	bool expired_since;   /* expired_tick is valid */
	int64_t expired_tick; /* when the first task expired */
	int best_expired;     /* most urgent static priority in expired */
	int64_t ticks;	      /* so far */

	/* constants of this HZ, in ticks unless said otherwise */
	int64_t tick_ns;
	int64_t def_slice, min_slice;
	int64_t max_sleep; /* 1 s */
	int64_t granularity;
};

static void queue_add(struct task *t, struct prio_array *a, bool tail)
{
	unsigned i = (unsigned)(t->sched.prio - PRIO_FIRST);

	BUG_ON(t->sched.array || i >= PRIOS);
	if (tail)
		list_add_tail(&t->sched.link, &a->queue[i]);
	else
		list_add(&t->sched.link, &a->queue[i]);
	a->bitmap |= 1ULL << i;
	a->nr++;
	t->sched.array = a;
}

static void queue_del(struct task *t)
{
	struct prio_array *a = t->sched.array;
	unsigned i = (unsigned)(t->sched.prio - PRIO_FIRST);

	BUG_ON(!a || !a->nr || list_empty(&a->queue[i]));
	list_del(&t->sched.link);
	if (list_empty(&a->queue[i]))
		a->bitmap &= ~(1ULL << i);
	a->nr--;
	t->sched.array = NULL;
}

static void enqueue(struct o1 *s, struct task *t, struct prio_array *a)
{
	queue_add(t, a, true);
	s->nr_queued++;
}

static void dequeue(struct o1 *s, struct task *t)
{
	queue_del(t);
	s->nr_queued--;
}

/* 0..10: how much of the last second or so it slept, in whole tenths. */
static int64_t bonus_of(const struct o1 *s, const struct task *t)
{
	return t->sched.sleep_avg / s->tick_ns * MAX_BONUS / s->max_sleep;
}

static int effective_prio(const struct o1 *s, const struct task *t)
{
	int64_t prio = t->sched.static_prio - (bonus_of(s, t) - MAX_BONUS / 2);

	if (prio < PRIO_FIRST)
		return PRIO_FIRST;
	return prio > PRIO_LAST ? PRIO_LAST : (int)prio;
}

static int64_t slice_of(const struct o1 *s, const struct task *t)
{
	int prio = t->sched.static_prio;
	int64_t full = prio < 120 ? 4 * s->def_slice : s->def_slice;
	int64_t slice = full * (PRIO_MAX - prio) / (PRIOS / 2);

	return slice > s->min_slice ? slice : s->min_slice;
}

/* How far below its static priority a task must be to count: DELTA(p). */
static int64_t delta_of(const struct task *t)
{
	return (int64_t)(t->sched.nice + 20) * MAX_BONUS / PRIOS -
	       20 * MAX_BONUS / PRIOS + INTERACTIVE;
}

static bool interactive(const struct task *t)
{
	return t->sched.prio <= t->sched.static_prio - delta_of(t);
}

/* INTERACTIVE_SLEEP: the most that one long sleep can earn, ns. */
static int64_t ceiling_of(const struct o1 *s, const struct task *t)
{
	int64_t level = MAX_BONUS / 2 + delta_of(t) + 1;

	return (s->max_sleep * level / MAX_BONUS - 1) * s->tick_ns;
}

/* Account for a sleep (or a wait on the queue) that lasted until now. */
static void gain(const struct o1 *s, struct task *t, simtime now)
{
	int64_t slept = now - t->sched.stamp;
	int64_t ceiling = ceiling_of(s, t);
	int64_t *avg = &t->sched.sleep_avg;

	if (slept <= 0)
		return;
	if (t->mm && slept > ceiling && *avg < ceiling) {
		*avg = ceiling;
		t->sched.sleep = SLEEP_NONINTERACTIVE;
		return;
	}
	if (t->mm && t->sched.sleep == SLEEP_NONINTERACTIVE) {
		/* waiting for a disk does not make a task interactive */
		if (*avg >= ceiling)
			return;
		if (*avg + slept >= ceiling)
			slept = ceiling - *avg;
	}
	*avg += slept;
	if (*avg > s->max_sleep * s->tick_ns)
		*avg = s->max_sleep * s->tick_ns;
}

static void preempt_current(struct kernel *k, const struct task *t)
{
	if (!k->current || t->sched.prio < k->current->sched.prio)
		k->cpu->need_resched = true;
}

static void o1_init(struct kernel *k, void *state)
{
	struct o1 *s = state;
	int64_t hz = k->config.hz;

	for (int a = 0; a < 2; a++)
		for (int i = 0; i < PRIOS; i++)
			list_init(&s->array[a].queue[i]);
	s->active = &s->array[0];
	s->expired = &s->array[1];
	s->best_expired = PRIO_MAX;
	s->tick_ns = NSEC_PER_SEC / hz;
	s->def_slice = hz / 10;
	s->min_slice = hz * 5 / 1000 ? hz * 5 / 1000 : 1;
	s->max_sleep = s->def_slice * MAX_BONUS;
	s->granularity = hz / 100 ? hz / 100 : 1;
}

/* Does the active array keep the expired one from its turn for too long? */
static bool expired_starving(const struct o1 *s, const struct task *current)
{
	if (current->sched.static_prio > s->best_expired)
		return true;
	return s->expired_since &&
	       s->ticks - s->expired_tick > s->max_sleep * s->nr_queued;
}

/* The slice is used up: which array is next? */
static void slice_end(struct kernel *k, struct o1 *s, struct task *t)
{
	queue_del(t);
	k->cpu->need_resched = true;
	t->sched.prio = effective_prio(s, t);
	t->sched.slice = (uint32_t)slice_of(s, t);
	t->sched.first_slice = false;
	if (!s->expired_since) {
		s->expired_since = true;
		s->expired_tick = s->ticks;
	}
	if (interactive(t) && !expired_starving(s, t)) {
		queue_add(t, s->active, true);
		return;
	}
	queue_add(t, s->expired, true);
	if (t->sched.static_prio < s->best_expired)
		s->best_expired = t->sched.static_prio;
}

/* Interactive tasks of one priority take turns within their slices. */
static void round_robin(struct kernel *k, struct o1 *s, struct task *t)
{
	int64_t level = MAX_BONUS - bonus_of(s, t);
	int64_t turn = s->granularity << ((level ? level : 1) - 1);
	int64_t used = slice_of(s, t) - t->sched.slice;

	if (!interactive(t) || used % turn || t->sched.slice < turn)
		return;
	queue_del(t);
	queue_add(t, s->active, true);
	k->cpu->need_resched = true;
}

static void tick_of_task(struct kernel *k, struct o1 *s, struct task *t)
{
	/* it yielded, say, and runs only because schedule is still to come */
	if (t->sched.array != s->active) {
		k->cpu->need_resched = true;
		return;
	}
	BUG_ON(!t->sched.slice);
	if (--t->sched.slice == 0)
		slice_end(k, s, t);
	else
		round_robin(k, s, t);
}

static void o1_tick(struct kernel *k, void *state, struct task *task)
{
	struct o1 *s = state;

	s->ticks = (int64_t)(kernel_now(k) / s->tick_ns);
	tick_of_task(k, s, task);
}

/* The child gets half of what its parent has left, so forking gains nothing */
static void o1_fork(struct kernel *k, void *state, struct task *child,
		    struct task *parent)
{
	struct o1 *s = state;
	struct sched_task *c = &child->sched;

	c->static_prio = 120 + c->nice;
	c->sleep = SLEEP_NORMAL;
	c->stamp = kernel_now(k);
	if (!parent) {
		c->sleep_avg = 0;
		c->slice = (uint32_t)slice_of(s, child);
		c->first_slice = false;
		c->prio = effective_prio(s, child);
		return;
	}
	c->sleep_avg = parent->sched.sleep_avg;
	c->slice = (parent->sched.slice + 1) / 2;
	c->first_slice = true;
	parent->sched.slice /= 2;
	if (!parent->sched.slice) {
		parent->sched.slice = 1;
		tick_of_task(k, s, parent);
	}
}

/*
 * percent of the bonus, in whole levels: at every fork a parent loses the
 * fraction, and a child a level more.
 */
static int64_t truncated_avg(const struct o1 *s, const struct task *t,
			     int64_t percent)
{
	int64_t level = bonus_of(s, t) * percent / 100;

	return level * s->max_sleep / MAX_BONUS * s->tick_ns;
}

static void o1_wake_new(struct kernel *k, void *state, struct task *child,
			struct task *parent)
{
	struct o1 *s = state;
	struct sched_task *c = &child->sched;

	if (!parent) {
		enqueue(s, child, s->active);
		preempt_current(k, child);
		return;
	}
	c->sleep_avg = truncated_avg(s, child, CHILD_PENALTY);
	c->prio = effective_prio(s, child);
	if (parent->sched.array) {
		/* right before its parent, in its parent's place */
		struct prio_array *a = parent->sched.array;

		c->prio = parent->sched.prio;
		list_add_tail(&c->link, &parent->sched.link);
		c->array = a;
		a->nr++;
		s->nr_queued++;
	} else {
		enqueue(s, child, s->active);
	}
	k->cpu->need_resched = true;
	parent->sched.sleep_avg = truncated_avg(s, parent, 100);
}

static void o1_release(void *state, const struct task *task,
		       struct task *parent)
{
	const struct o1 *s = state;
	struct sched_task *p = &parent->sched;
	int64_t most = slice_of(s, task);

	if (task->sched.first_slice) {
		p->slice += task->sched.slice;
		if (p->slice > most)
			p->slice = (uint32_t)most;
	}
	if (task->sched.sleep_avg < p->sleep_avg)
		p->sleep_avg = p->sleep_avg / (EXIT_WEIGHT + 1) * EXIT_WEIGHT +
			       task->sched.sleep_avg / (EXIT_WEIGHT + 1);
}

static void o1_wake(struct kernel *k, void *state, struct task *task, bool sync,
		    bool disk)
{
	struct o1 *s = state;
	struct sched_task *t = &task->sched;
	simtime now = kernel_now(k);

	if (disk)
		t->sleep = SLEEP_NONINTERACTIVE;
	gain(s, task, now);
	t->prio = effective_prio(s, task);
	if (t->sleep == SLEEP_NORMAL)
		t->sleep = k->cpu->irq_depth ? SLEEP_INTERRUPTED
					     : SLEEP_INTERACTIVE;
	t->stamp = now;
	enqueue(s, task, s->active);
	if (!sync)
		preempt_current(k, task);
}

/* What prev earned by sleeping it spends by running. */
static void charge_run(const struct o1 *s, struct task *prev, simtime now)
{
	int64_t run = now - prev->sched.stamp;
	int64_t bonus = bonus_of(s, prev);

	if (run > s->max_sleep * s->tick_ns)
		run = s->max_sleep * s->tick_ns;
	prev->sched.sleep_avg -= run / (bonus ? bonus : 1);
	if (prev->sched.sleep_avg < 0)
		prev->sched.sleep_avg = 0;
	prev->sched.stamp = now;
}

/* next waited on the queue since it was woken: that may count as sleep. */
static void credit_wait(struct o1 *s, struct task *next, simtime now)
{
	struct sched_task *t = &next->sched;
	struct prio_array *a = t->array;
	int64_t waited = now - t->stamp;
	int prio;

	if (t->sleep == SLEEP_INTERACTIVE)
		waited = waited * ON_RUNQUEUE_128 / 128;
	else if (t->sleep != SLEEP_INTERRUPTED)
		waited = 0;
	if (waited) {
		gain(s, next, t->stamp + waited);
		prio = effective_prio(s, next);
		if (prio != t->prio) {
			queue_del(next);
			t->prio = prio;
			queue_add(next, a, true);
		}
	}
	t->sleep = SLEEP_NORMAL;
}

static void swap_arrays(struct o1 *s)
{
	struct prio_array *emptied = s->active;

	BUG_ON(emptied->bitmap);
	s->active = s->expired;
	s->expired = emptied;
	s->expired_since = false;
	s->best_expired = PRIO_MAX;
}

static struct task *o1_pick(struct kernel *k, void *state, struct task *prev)
{
	struct o1 *s = state;
	simtime now = kernel_now(k);
	struct task *next = NULL;

	if (prev && prev->state != TASK_RUNNING)
		dequeue(s, prev);
	if (s->nr_queued) {
		if (!s->active->nr)
			swap_arrays(s);
		next = list_first(
			&s->active->queue[__builtin_ctzll(s->active->bitmap)],
			struct task, sched.link);
		/* a running prev neither waited nor slept */
		if (next != prev)
			credit_wait(s, next, now);
		else
			next->sched.sleep = SLEEP_NORMAL;
	}
	if (prev)
		charge_run(s, prev, now);
	if (next)
		next->sched.stamp = now;
	return next;
}

static void o1_yield(struct kernel *k, void *state, struct task *task)
{
	struct o1 *s = state;

	(void)k;
	queue_del(task);
	queue_add(task, s->expired, true);
}

static void o1_nice(struct kernel *k, void *state, struct task *task)
{
	struct o1 *s = state;
	struct prio_array *a = task->sched.array;
	int old = task->sched.prio;

	if (a)
		queue_del(task);
	task->sched.static_prio = 120 + task->sched.nice;
	task->sched.prio = effective_prio(s, task);
	if (!a)
		return;
	queue_add(task, a, true);
	if (task->sched.prio < old ||
	    (task->sched.prio > old && task == k->current))
		k->cpu->need_resched = true;
}

const struct sched_ops sched_o1 = {
	.slot = {
		.name = "o1",
		.models = "Linux 2.6.9 .. 2.6.22: priorities, a bonus for "
			  "sleeping",
		.size = sizeof(struct o1),
	},
	.init = o1_init,
	.fork = o1_fork,
	.wake_new = o1_wake_new,
	.release = o1_release,
	.wake = o1_wake,
	.pick = o1_pick,
	.tick = o1_tick,
	.yield = o1_yield,
	.nice = o1_nice,
};
