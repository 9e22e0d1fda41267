/*
 * Sleeping and waking on a whole machine: when timeouts end, whom a wake-up
 * wakes, what idle time is called, and the order of a read-write lock.
 */
#include "tests/oskit.h"

#define MS NSEC_PER_MSEC

/* What the tasks of a test share. */
struct shared {
	struct oskit *o;
	struct wait_queue queue;
	struct rwsem sem;
	unsigned left;
	char log[64]; /* what happened, a letter each */
};

static struct shared *shared_new(struct oskit *o)
{
	struct shared *s = xcalloc(1, sizeof(*s));

	s->o = o;
	wait_queue_init(&s->queue);
	wait_queue_init(&s->sem.queue);
	return s;
}

static void note(struct shared *s, char what)
{
	size_t n = strlen(s->log);

	BUG_ON(n + 1 == sizeof(s->log));
	s->log[n] = what;
}

static void done(struct shared *s)
{
	if (--s->left == 0)
		s->o->k->stop = true;
}

static void start(struct shared *s, void (*fn)(void *arg))
{
	s->left++;
	kthread_new(s->o->k, "test", fn, s);
}

static void run(struct shared *s)
{
	BUG_ON(!sched_run(s->o->k));
	s->o->k->stop = false;
	oskit_check_time(s->o);
	BUG_ON(s->o->k->nr_iowait);
}

/* At HZ 250 ticks come every 4 ms from 0 on. */
static void timeouts(void *arg)
{
	struct shared *s = arg;
	struct kernel *k = s->o->k;
	simtime start;

	/* schedule_timeout: n ticks from the last one */
	cpu_spend(k->cpu, 1 * MS);
	wait_timeout(k, &s->queue, 0, WAIT_PLAIN, 8 * MS, "t");
	BUG_ON(kernel_now(k) != 8 * MS);
	cpu_spend(k->cpu, 3 * MS);
	wait_timeout(k, NULL, 0, WAIT_PLAIN, 1, "t");
	BUG_ON(kernel_now(k) != 12 * MS);
	wait_timeout(k, NULL, 0, WAIT_PLAIN, 4 * MS + 1, "t");
	BUG_ON(kernel_now(k) != 20 * MS);
	/* nanosleep: never less; a tick just then is not enough */
	sleep_for(k, 8 * MS, WAIT_PLAIN, "t");
	BUG_ON(kernel_now(k) != 32 * MS);
	cpu_spend(k->cpu, 1);
	start = kernel_now(k);
	sleep_for(k, 8 * MS - 2, WAIT_PLAIN, "t");
	BUG_ON(kernel_now(k) != 40 * MS || start != 32 * MS + 1);
	BUG_ON(!list_empty(&s->queue.waiters));
	BUG_ON(k->current->blocked != (8 - 1 + 1 + 8 + 12 + 8) * MS - 1);
	done(s);
}

/* Woken before its time: true, and no timer is left behind. */
static void sleeper_with_timeout(void *arg)
{
	struct shared *s = arg;
	bool woken = wait_timeout(s->o->k, &s->queue, 0, WAIT_PLAIN,
				  NSEC_PER_SEC, "t");

	note(s, woken ? 'w' : 't');
	woken = wait_timeout(s->o->k, &s->queue, 0, WAIT_PLAIN, 40 * MS, "t");
	note(s, woken ? 'w' : 't');
	done(s);
}

static void waker_after_20ms(void *arg)
{
	struct shared *s = arg;

	sleep_for(s->o->k, 20 * MS, WAIT_PLAIN, "t");
	wake_up(s->o->k, &s->queue, 0, WAKE_ALL);
	done(s);
}

static void sleep_keyed(struct shared *s, uint64_t key, enum wait_flags flags,
			char name)
{
	wait_on(s->o->k, &s->queue, key, flags, "test");
	note(s, name);
	done(s);
}

static void plain_1(void *arg)
{
	sleep_keyed(arg, 1, WAIT_PLAIN, 'a');
}

static void plain_2(void *arg)
{
	sleep_keyed(arg, 2, WAIT_PLAIN, 'b');
}

static void plain_any(void *arg)
{
	sleep_keyed(arg, 0, WAIT_PLAIN, 'c');
}

static void exclusive_1(void *arg)
{
	sleep_keyed(arg, 1, WAIT_EXCLUSIVE, 'x');
}

static void exclusive_2(void *arg)
{
	sleep_keyed(arg, 1, WAIT_EXCLUSIVE, 'y');
}

static void wake_step(struct shared *s, uint64_t key, unsigned nr)
{
	wake_up(s->o->k, &s->queue, key, nr);
	sleep_for(s->o->k, 8 * MS, WAIT_PLAIN, "t");
	note(s, '|');
}

static void wake_in_steps(void *arg)
{
	struct shared *s = arg;

	sleep_for(s->o->k, 8 * MS, WAIT_PLAIN, "t");
	wake_step(s, 3, 1); /* any */
	wake_step(s, 1, 1);
	wake_step(s, 0, 0);
	wake_step(s, 1, 1);
	BUG_ON(!list_empty(&s->queue.waiters));
	done(s);
}

/* Idle time counts as iowait while somebody sleeps that way, else as idle. */
static void idle_accounts(void *arg)
{
	struct shared *s = arg;
	struct kernel *k = s->o->k;
	struct cpu_account before = k->cpu->account;

	sleep_for(k, 100 * MS - 1, WAIT_IO, "disk");
	BUG_ON(k->cpu->account.iowait - before.iowait != 100 * MS);
	BUG_ON(k->cpu->account.idle != before.idle);
	sleep_for(k, 100 * MS - 1, WAIT_PLAIN, "rest");
	BUG_ON(k->cpu->account.idle - before.idle != 100 * MS);
	BUG_ON(k->cpu->account.iowait - before.iowait != 100 * MS);
	done(s);
}

static void reader(struct shared *s, char in, char out)
{
	rwsem_read(s->o->k, &s->sem);
	note(s, in);
	sleep_for(s->o->k, 20 * MS, WAIT_PLAIN, "t");
	note(s, out);
	rwsem_read_done(s->o->k, &s->sem);
	done(s);
}

static void reader_1(void *arg)
{
	reader(arg, 'r', 'R');
}

/* Comes while reader_1 is in and the writer waits: goes behind the writer. */
static void reader_2(void *arg)
{
	struct shared *s = arg;

	sleep_for(s->o->k, 8 * MS, WAIT_PLAIN, "t");
	reader(s, 's', 'S');
}

static void writer(void *arg)
{
	struct shared *s = arg;

	sleep_for(s->o->k, 4 * MS, WAIT_PLAIN, "t");
	BUG_ON(!rwsem_held(&s->sem));
	rwsem_write(s->o->k, &s->sem);
	note(s, 'w');
	sleep_for(s->o->k, 20 * MS, WAIT_PLAIN, "t");
	note(s, 'W');
	rwsem_write_done(s->o->k, &s->sem);
	done(s);
}

static void test(struct oskit *o, void (*const *tasks)(void *arg),
		 const char *log)
{
	struct shared *s = shared_new(o);

	for (; *tasks; tasks++)
		start(s, *tasks);
	run(s);
	BUG_ON(strcmp(s->log, log) != 0);
	free(s);
}

int main(void)
{
	struct oskit o;

	oskit_init(&o);
	oskit_boot(&o);
	test(&o, (void (*const[])(void *)){ timeouts, NULL }, "");
	test(&o,
	     (void (*const[])(void *)){ sleeper_with_timeout, waker_after_20ms,
					NULL },
	     "wt");
	test(&o,
	     (void (*const[])(void *)){ plain_1, exclusive_1, plain_2,
					exclusive_2, plain_any, wake_in_steps,
					NULL },
	     "c|ax|b|y|");
	test(&o, (void (*const[])(void *)){ idle_accounts, NULL }, "");
	test(&o, (void (*const[])(void *)){ reader_1, writer, reader_2, NULL },
	     "rRwWsS");
	test(&o, (void (*const[])(void *)){ reader_1, reader_1, NULL }, "rrRR");
	oskit_finish(&o);
	return 0;
}
