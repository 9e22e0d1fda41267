/*
 * The OOM killer of 2.6.18: who is chosen, by hand-worked points; and a
 * machine that really runs out, with and without somebody to kill.
 */
#include "tests/oskit.h"

/* Candidates that only the killer looks at */
struct cast {
	struct oskit *o;
	struct task task[4];
	struct mm mm[4];
};

/* Task i: pages of memory, CPU seconds, age in seconds. */
static void appear(struct cast *c, int i, uint64_t pages, uint64_t cpu,
		   simtime age)
{
	struct task *t = &c->task[i];
	struct kernel *k = c->o->k;

	memset(t, 0, sizeof(*t));
	t->k = k;
	t->pid = 100 + i;
	t->mm = &c->mm[i];
	t->mm->total_vm = pages;
	t->self.user_cycles = cpu * 1000000000;
	t->started = kernel_now(k) - age * NSEC_PER_SEC;
	list_init(&t->children);
	list_init(&t->sibling);
	list_init(&t->all);
	list_add_tail(&t->all, &k->tasks);
}

static void adopt(struct cast *c, int parent, int child)
{
	list_add_tail(&c->task[child].sibling, &c->task[parent].children);
}

/* Run the killer; the pid that went, 0 if nobody. Everybody leaves. */
static int kill_one(struct cast *c, uint64_t *points)
{
	struct kernel *k = c->o->k;
	const struct oom_record *before = k->oom_records;

	out_of_memory(k);
	for (int i = 0; i < 4; i++)
		if (c->task[i].all.next)
			list_del(&c->task[i].all);
	if (k->oom_records == before)
		return 0;
	BUG_ON(k->oom_records->next != before);
	*points = k->oom_records->points;
	return k->oom_records->pid;
}

static void test_size(struct cast *c)
{
	uint64_t points;

	appear(c, 0, 500, 0, 0);
	appear(c, 1, 900, 0, 0);
	appear(c, 2, 900, 0, 0); /* the first of equals goes */
	BUG_ON(kill_one(c, &points) != 101 || points != 900);
	BUG_ON(!(c->task[1].flags & TF_MEMDIE) || c->task[1].exit_signal != 9);
	BUG_ON(c->task[1].sched.slice != 250);
	BUG_ON(c->task[2].flags);
}

/*
 * At HZ 250 a CPU unit is 2048 ticks, 8.192 s: 40 s are 4 units, root 2. Age
 * 20000 s is 19 units, fourth root 2.
 */
static void test_merits(struct cast *c)
{
	uint64_t points;

	appear(c, 0, 1000, 40, 0);
	appear(c, 1, 499, 0, 0);
	BUG_ON(kill_one(c, &points) != 100 || points != 500);
	appear(c, 0, 1000, 40, 0);
	appear(c, 1, 501, 0, 0);
	BUG_ON(kill_one(c, &points) != 101 || points != 501);
	appear(c, 0, 1000, 0, 20000);
	appear(c, 1, 1000, 0, 16000); /* 15 units: root of root is 1 */
	BUG_ON(kill_one(c, &points) != 101 || points != 1000);
	appear(c, 0, 600, 0, 0);
	appear(c, 1, 1000, 0, 0);
	c->task[0].sched.nice = 1;
	BUG_ON(kill_one(c, &points) != 100 || points != 1200);
	appear(c, 0, 600, 0, 0);
	appear(c, 1, 1000, 0, 0);
	c->task[0].oom_adj = 2;
	BUG_ON(kill_one(c, &points) != 100 || points != 2400);
	appear(c, 0, 600, 0, 0);
	appear(c, 1, 1000, 0, 0);
	c->task[1].oom_adj = -17;
	BUG_ON(kill_one(c, &points) != 100);
}

/* Children add half; one of them goes in their parent's place. */
static void test_children(struct cast *c)
{
	uint64_t points;

	appear(c, 0, 400, 0, 0);
	appear(c, 1, 1000, 0, 0);
	appear(c, 2, 800, 0, 0);
	appear(c, 3, 600, 0, 0);
	adopt(c, 0, 2);
	adopt(c, 0, 3);
	/* 400 + (400 + 1) + (300 + 1) */
	BUG_ON(kill_one(c, &points) != 102 || points != 1102);
	BUG_ON(c->task[0].flags);
}

/* While somebody is dying nobody else goes, whoever asks. */
static void test_patience(struct cast *c)
{
	uint64_t points;

	appear(c, 0, 400, 0, 0);
	appear(c, 1, 100, 0, 0);
	c->task[1].flags = TF_EXITING;
	BUG_ON(kill_one(c, &points) != 0);
	appear(c, 0, 400, 0, 0);
	appear(c, 1, 100, 0, 0);
	c->task[1].flags = TF_MEMDIE;
	BUG_ON(kill_one(c, &points) != 0);
	/* one that has given its memory back does not count */
	appear(c, 0, 400, 0, 0);
	appear(c, 1, 100, 0, 0);
	c->task[1].flags = TF_EXITING;
	c->task[1].mm = NULL;
	BUG_ON(kill_one(c, &points) != 100);
}

static void choose(void *arg)
{
	struct cast *c = arg;
	struct kernel *k = c->o->k;
	simtime before;

	sleep_for(k, 30000 * NSEC_PER_SEC, WAIT_PLAIN, "age");
	before = kernel_now(k);
	test_size(c);
	/* the caller naps to the next tick */
	BUG_ON(kernel_now(k) <= before);
	BUG_ON(kernel_now(k) > before + 4 * NSEC_PER_MSEC);
	test_merits(c);
	test_children(c);
	test_patience(c);
	k->stop = true;
}

static void test_choice(void)
{
	struct cast *c = xcalloc(1, sizeof(*c));
	struct oskit o;

	oskit_init(&o);
	oskit_boot(&o);
	c->o = &o;
	kthread_new(o.k, "choose", choose, c);
	BUG_ON(!sched_run(o.k));
	oskit_finish(&o);
	free(c);
}

/* Map and write size bytes, then exit with 5 or sleep for long. */
static void install_hog(struct oskit *o, const char *name, int64_t size,
			bool stays)
{
	struct oskit_program p = { 0 };

	emit_li(&p, 3, 3);
	emit_li(&p, 4, -1);
	emit_sys(&p, 9, 0, size); /* mmap */
	emit_li(&p, 5, size);
	emit_li(&p, 6, 4096);
	emit_li(&p, 7, 20000); /* slow enough for kswapd to write */
	emit(&p, (struct insn){ .op = ISA_SWEEP,
				.flags = ISA_WRITE,
				.a = 0,
				.b = 5,
				.c = 6,
				.d = 7 });
	if (stays)
		emit_sys(&p, 12, 1000 * NSEC_PER_SEC, 0);
	emit_sys(&p, 1, 5, 0);
	install(o, name, &p);
}

/* The big one goes; the small one lives to its end. */
static void test_run_out(void)
{
	unsigned left = 1;
	struct oskit o;
	struct ending e = { .o = &o, .left = &left };

	oskit_init(&o);
	o.config.swap_pages = 1024;
	oskit_boot(&o);
	install_hog(&o, "small", 1 << 20, true);
	install_hog(&o, "big", 100 << 20, false);
	task_start(o.k, "small", 0, NULL, NULL);
	task_start(o.k, "big", 0, on_ending, &e);
	BUG_ON(!sched_run(o.k));
	BUG_ON(e.signal != 9 || !o.k->oom_records || o.k->panicked);
	BUG_ON(strcmp(o.k->oom_records->name, "big") != 0);
	BUG_ON(o.k->vmstat.oom_kill != 1 || o.k->oom_records->next);
	BUG_ON(!o.k->vmstat.pswpout);
	oskit_check_time(&o);
	kernel_check(o.k);
	/* the machine goes on: there is room again */
	o.k->stop = false;
	install_hog(&o, "next", 4 << 20, false);
	BUG_ON(oskit_run(&o, "next").status != 5);
	oskit_finish(&o);
}

/* Only init is there: the kernel gives up, and that is a result. */
static void test_panic(void)
{
	struct oskit o;

	oskit_init(&o);
	o.config.swap_pages = 0;
	oskit_boot(&o);
	install_hog(&o, "init", 100 << 20, false);
	task_start(o.k, "init", 0, NULL, NULL);
	BUG_ON(o.k->init->pid != 1);
	BUG_ON(!sched_run(o.k));
	BUG_ON(!o.k->panicked || o.k->vmstat.oom_kill);
	BUG_ON(!strstr(o.k->panicked, "no killable processes"));
	oskit_check_time(&o);
	oskit_finish(&o);
}

int main(void)
{
	test_choice();
	test_run_out();
	test_panic();
	return 0;
}
