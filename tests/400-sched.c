/*
 * The O(1) scheduler's rules as tables: slices, bonus, interactivity, what
 * sleeping earns and running costs, forking, the two arrays. Expected figures
 * are worked out by hand from kernel/sched.c of 2.6.18.
 */
#include "os/kernel.h"

#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC

/* A kernel with nothing but a clock of one cycle per ns, and a scheduler */
struct rig {
	struct events events;
	struct ram ram;
	struct cpu cpu;
	struct kernel k;
	const struct sched_ops *ops;
	void *state;
};

static void rig_init(struct rig *r, unsigned hz)
{
	const struct tlb_geometry geometry = { 16, 4 };

	memset(r, 0, sizeof(*r));
	ram_init(&r->ram, 16);
	events_init(&r->events);
	cpu_init(&r->cpu, 0, 1000000, 0, &r->events, &r->ram, geometry,
		 geometry);
	r->k.cpu = &r->cpu;
	r->k.events = &r->events;
	r->k.config.hz = hz;
	r->ops = sched_policies[0];
	BUG_ON(strcmp(r->ops->slot.name, "o1") != 0);
	r->state = xcalloc(1, r->ops->slot.size);
	r->ops->init(&r->k, r->state);
	/* let there be a past */
	cpu_charge(&r->cpu, 100 * NSEC_PER_SEC);
}

static void rig_finish(struct rig *r)
{
	free(r->state);
	cpu_finish(&r->cpu);
	events_finish(&r->events);
	ram_finish(&r->ram);
}

/* A user task (its mm is only compared with NULL) that never ran */
static void user_task(struct rig *r, struct task *t, int nice)
{
	memset(t, 0, sizeof(*t));
	t->k = &r->k;
	t->mm = (struct mm *)(void *)r;
	list_init(&t->sched.link);
	t->sched.nice = nice;
	r->ops->fork(&r->k, r->state, t, NULL);
}

static void queue_new_task(struct rig *r, struct task *t)
{
	r->ops->wake_new(&r->k, r->state, t, NULL);
}

static struct task *pick(struct rig *r, struct task *prev)
{
	r->cpu.need_resched = false;
	r->k.current = r->ops->pick(&r->k, r->state, prev);
	return r->k.current;
}

/* One tick of run time for the current task, and what follows from it */
static void tick(struct rig *r)
{
	cpu_charge(&r->cpu, NSEC_PER_SEC / r->k.config.hz);
	r->ops->tick(&r->k, r->state, r->k.current);
	if (r->cpu.need_resched)
		pick(r, r->k.current);
}

static void test_slices(void)
{
	static const struct {
		unsigned hz;
		int nice;
		uint32_t ticks;
	} rows[] = {
		{ 250, -20, 200 },  { 250, -10, 150 }, { 250, 0, 25 },
		{ 250, 10, 12 },    { 250, 19, 1 },    { 1000, -20, 800 },
		{ 1000, -10, 600 }, { 1000, 0, 100 },  { 1000, 10, 50 },
		{ 1000, 19, 5 },    { 100, 0, 10 },    { 100, 19, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig r;
		struct task t;

		rig_init(&r, rows[i].hz);
		user_task(&r, &t, rows[i].nice);
		BUG_ON(t.sched.slice != rows[i].ticks);
		rig_finish(&r);
	}
}

static void test_bonus(void)
{
	static const struct {
		int nice, slept_ms, prio;
	} rows[] = {
		{ 0, 0, 125 },	  { 0, 99, 125 },     { 0, 100, 124 },
		{ 0, 499, 121 },  { 0, 500, 120 },    { 0, 700, 118 },
		{ 0, 1000, 115 }, { -20, 1000, 100 }, { -20, 0, 105 },
		{ 19, 0, 139 },	  { 19, 1000, 134 },
	};
	struct rig r;

	rig_init(&r, 250);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct task t;

		user_task(&r, &t, rows[i].nice);

		t.sched.sleep_avg = rows[i].slept_ms * MS;
		r.ops->nice(&r.k, r.state, &t);
		BUG_ON(t.sched.prio != rows[i].prio);
	}
	rig_finish(&r);
}

/* Does a task with this nice and bonus stay active when its slice ends? */
static bool stays_active(int nice, int64_t bonus)
{
	struct rig r;
	struct task a, b;
	struct prio_array *active;
	bool stays;

	rig_init(&r, 1000);
	user_task(&r, &a, nice);
	user_task(&r, &b, 19);
	a.sched.sleep_avg = bonus * 100 * MS;
	r.ops->nice(&r.k, r.state, &a);
	queue_new_task(&r, &a);
	queue_new_task(&r, &b);
	active = b.sched.array;
	BUG_ON(pick(&r, NULL) != &a);
	a.sched.slice = 1;
	r.ops->tick(&r.k, r.state, &a);
	BUG_ON(!r.cpu.need_resched);
	stays = a.sched.array == active;
	rig_finish(&r);
	return stays;
}

static void test_interactive(void)
{
	/* the smallest bonus that counts as interactive; 11: none does */
	static const struct {
		int nice;
		int64_t bonus;
	} rows[] = { { -20, 2 }, { -10, 4 }, { 0, 7 }, { 10, 9 }, { 19, 11 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int64_t bonus = 0; bonus <= 10; bonus++)
			BUG_ON(stays_active(rows[i].nice, bonus) !=
			       (bonus >= rows[i].bonus));
}

/* sleep_avg in ms after a sleep of slept ms from avg ms */
static int64_t after_sleep(struct rig *r, struct task *t, int64_t avg,
			   int64_t slept, bool disk)
{
	t->sched.sleep_avg = avg * MS;
	t->sched.sleep = SLEEP_NORMAL;
	t->sched.stamp = kernel_now(&r->k);
	cpu_charge(&r->cpu, (uint64_t)(slept * MS));
	r->ops->wake(&r->k, r->state, t, false, disk);
	t->state = TASK_INTERRUPTIBLE;
	r->ops->pick(&r->k, r->state, t); /* takes it off the queue again */
	t->state = TASK_RUNNING;
	return t->sched.sleep_avg / MS;
}

static void test_sleep(void)
{
	struct rig r;
	struct task t, kthread;

	rig_init(&r, 250);
	user_task(&r, &t, 0);
	/* the ceiling at nice 0 is 800 ms less one tick of 4 ms */
	BUG_ON(after_sleep(&r, &t, 100, 300, false) != 400);
	BUG_ON(after_sleep(&r, &t, 600, 700, false) != 1000);
	BUG_ON(after_sleep(&r, &t, 0, 5000, false) != 796);
	BUG_ON(after_sleep(&r, &t, 790, 100, true) != 796);
	BUG_ON(after_sleep(&r, &t, 900, 100, true) != 900);
	BUG_ON(after_sleep(&r, &t, 0, 50, true) != 50);
	/* a kernel thread has no ceiling */
	user_task(&r, &kthread, 0);
	kthread.mm = NULL;
	BUG_ON(after_sleep(&r, &kthread, 0, 5000, true) != 1000);
	rig_finish(&r);
}

static void test_run(void)
{
	static const struct {
		int64_t before, run, after; /* ms */
	} rows[] = { { 80, 50, 30 },
		     { 500, 50, 490 },
		     { 30, 60, 0 },
		     { 1000, 3000, 900 } };
	struct rig r;

	rig_init(&r, 250);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct task t;

		user_task(&r, &t, 0);

		t.sched.sleep_avg = rows[i].before * MS;
		queue_new_task(&r, &t);
		pick(&r, NULL);
		cpu_charge(&r.cpu, (uint64_t)(rows[i].run * MS));
		t.state = TASK_INTERRUPTIBLE;
		BUG_ON(pick(&r, &t));
		BUG_ON(t.sched.sleep_avg != rows[i].after * MS);
		BUG_ON(t.sched.array);
	}
	rig_finish(&r);
}

/* Waiting on the queue counts in full, by 30 %, or not at all. */
static void test_waiting(void)
{
	static const struct {
		bool irq, disk;
		int64_t gain; /* ns for 100 ms of waiting */
	} rows[] = { { true, false, 100 * MS },
		     { false, false, 100 * MS * 38 / 128 },
		     { true, true, 0 } };
	struct rig r;

	rig_init(&r, 250);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct task t;

		user_task(&r, &t, 0);

		t.sched.sleep_avg = 200 * MS;
		t.sched.stamp = kernel_now(&r.k);
		r.cpu.irq_depth = rows[i].irq;
		r.ops->wake(&r.k, r.state, &t, false, rows[i].disk);
		r.cpu.irq_depth = 0;
		cpu_charge(&r.cpu, 100 * MS);
		BUG_ON(pick(&r, NULL) != &t);
		BUG_ON(t.sched.sleep_avg != 200 * MS + rows[i].gain);
		t.state = TASK_INTERRUPTIBLE;
		pick(&r, &t);
	}
	rig_finish(&r);
}

static void test_fork(void)
{
	struct rig r;
	struct task parent, child = { 0 };

	rig_init(&r, 250);
	user_task(&r, &parent, 0);
	queue_new_task(&r, &parent);
	pick(&r, NULL);
	parent.sched.sleep_avg = 750 * MS;
	child.mm = parent.mm;
	list_init(&child.sched.link);
	r.ops->fork(&r.k, r.state, &child, &parent);
	BUG_ON(child.sched.slice != 13 || parent.sched.slice != 12);
	r.ops->wake_new(&r.k, r.state, &child, &parent);
	BUG_ON(child.sched.sleep_avg != 600 * MS);
	BUG_ON(parent.sched.sleep_avg != 700 * MS);
	BUG_ON(child.sched.prio != parent.sched.prio || !r.cpu.need_resched);
	BUG_ON(pick(&r, &parent) != &child);

	/* the child's unused slice goes back; a lazier child wakes it up less
	 */
	child.sched.sleep_avg = 100 * MS;
	r.ops->release(r.state, &child, &parent);
	BUG_ON(parent.sched.slice != 25);
	BUG_ON(parent.sched.sleep_avg != 550 * MS);
	/* but never more than a whole slice */
	r.ops->release(r.state, &child, &parent);
	BUG_ON(parent.sched.slice != 25);
	rig_finish(&r);
}

/* A parent with one tick left loses it by forking: off to expired. */
static void test_fork_last_tick(void)
{
	struct rig r;
	struct task parent, child = { 0 };
	struct prio_array *active;

	rig_init(&r, 250);
	user_task(&r, &parent, 0);
	queue_new_task(&r, &parent);
	pick(&r, NULL);
	active = parent.sched.array;
	parent.sched.slice = 1;
	r.ops->fork(&r.k, r.state, &child, &parent);
	BUG_ON(child.sched.slice != 1 || parent.sched.slice != 25);
	BUG_ON(parent.sched.array == active);
	rig_finish(&r);
}

/* Hogs share by their slices, one round of the arrays after the other. */
static void test_alternation(void)
{
	struct rig r;
	struct task t[3];
	unsigned ran[3] = { 0 };

	rig_init(&r, 250);
	for (int i = 0; i < 3; i++) {
		user_task(&r, &t[i], i == 2 ? 10 : 0);
		queue_new_task(&r, &t[i]);
	}
	pick(&r, NULL);
	for (int i = 0; i < 10 * (25 + 25 + 12); i++) {
		ran[r.k.current - t]++;
		tick(&r);
	}
	BUG_ON(ran[0] != 250 || ran[1] != 250 || ran[2] != 120);
	rig_finish(&r);
}

/* An interactive task that never tires can not hold up others for ever. */
static void test_starvation(void)
{
	struct rig r;
	struct task a, b;
	unsigned waited = 0, longest = 0;

	rig_init(&r, 250);
	user_task(&r, &a, 0);
	user_task(&r, &b, 0);
	queue_new_task(&r, &b);
	pick(&r, NULL);
	b.sched.slice = 1;
	queue_new_task(&r, &a);
	for (int i = 0; i < 250 * 30; i++) {
		a.sched.sleep_avg = 1000 * MS;
		waited = r.k.current == &b ? 0 : waited + 1;
		longest = waited > longest ? waited : longest;
		tick(&r);
	}
	/*
	 * A second for each of the two, and the end of a slice; twice, since
	 * after the swap the better priority goes first again.
	 */
	BUG_ON(longest < 1000 || longest > 1080);
	rig_finish(&r);
}

/* Ticks until an interactive task of this bonus makes room for its like */
static unsigned turn_of(int64_t bonus)
{
	struct rig r;
	struct task t[2];
	unsigned ticks = 0;

	rig_init(&r, 250);
	for (int i = 0; i < 2; i++) {
		user_task(&r, &t[i], 0);
		t[i].sched.sleep_avg = bonus * 100 * MS;
		r.ops->nice(&r.k, r.state, &t[i]);
		queue_new_task(&r, &t[i]);
	}
	pick(&r, NULL);
	while (r.k.current == &t[0] && ticks < 100) {
		ticks++;
		r.k.current->sched.sleep_avg = bonus * 100 * MS;
		tick(&r);
	}
	rig_finish(&r);
	return ticks;
}

/* A turn that would leave less than one turn of the slice does not end. */
static void test_last_turn(void)
{
	struct rig r;
	struct task t;

	rig_init(&r, 250);
	user_task(&r, &t, 0);
	t.sched.sleep_avg = 700 * MS; /* turns of 8 ticks */
	r.ops->nice(&r.k, r.state, &t);
	queue_new_task(&r, &t);
	pick(&r, NULL);
	t.sched.slice = 25 - 15;
	r.ops->tick(&r.k, r.state, &t);
	BUG_ON(!r.cpu.need_resched);
	r.cpu.need_resched = false;
	t.sched.slice = 25 - 23;
	r.ops->tick(&r.k, r.state, &t);
	BUG_ON(r.cpu.need_resched || t.sched.slice != 1);
	rig_finish(&r);
}

static void test_preemption(void)
{
	struct rig r;
	struct task running, better, equal;

	rig_init(&r, 250);
	user_task(&r, &running, 0);
	user_task(&r, &better, -1);
	user_task(&r, &equal, 0);
	queue_new_task(&r, &running);
	pick(&r, NULL);
	r.ops->wake(&r.k, r.state, &equal, false, true);
	BUG_ON(r.cpu.need_resched);
	r.ops->wake(&r.k, r.state, &better, true, true);
	BUG_ON(r.cpu.need_resched);
	better.state = TASK_UNINTERRUPTIBLE;
	pick(&r, &better);
	better.state = TASK_RUNNING;
	r.k.current = &running;
	r.ops->wake(&r.k, r.state, &better, false, true);
	BUG_ON(!r.cpu.need_resched);
	BUG_ON(pick(&r, &running) != &better);
	rig_finish(&r);
}

/* A task that yields comes after all who have time left. */
static void test_yield(void)
{
	struct rig r;
	struct task t[3];

	rig_init(&r, 250);
	for (int i = 0; i < 3; i++) {
		user_task(&r, &t[i], i == 2 ? 19 : 0);
		queue_new_task(&r, &t[i]);
	}
	BUG_ON(pick(&r, NULL) != &t[0]);
	r.ops->yield(&r.k, r.state, &t[0]);
	BUG_ON(pick(&r, &t[0]) != &t[1]);
	r.ops->yield(&r.k, r.state, &t[1]);
	BUG_ON(pick(&r, &t[1]) != &t[2]);
	r.ops->yield(&r.k, r.state, &t[2]);
	BUG_ON(pick(&r, &t[2]) != &t[0]);
	rig_finish(&r);
}

int main(void)
{
	test_slices();
	test_bonus();
	test_interactive();
	test_sleep();
	test_run();
	test_waiting();
	test_fork();
	test_fork_last_tick();
	test_alternation();
	test_starvation();
	BUG_ON(turn_of(10) != 2 || turn_of(9) != 2 || turn_of(8) != 4);
	BUG_ON(turn_of(7) != 8);
	test_last_turn();
	test_preemption();
	test_yield();
	return 0;
}
