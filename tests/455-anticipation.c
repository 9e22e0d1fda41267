/*
 * Waiting for a process' next read: how long, for whom, and what ends it;
 * anticipatory elevator of 2.6.18. Worked out by hand from its rules.
 */
#include "tests/workerkit.h"

#define MS	   NSEC_PER_MSEC
#define AT(n)	   ((sector)(n)*SECTORS_PER_PAGE)
#define FAR	   (BK_SECTORS / 2)
#define ANTIC_1000 6 /* ticks at 1000 Hz: HZ / 150 */

static struct bk *machine(unsigned hz, simtime service)
{
	return bk_new("anticipatory", NULL, hz, 1, service);
}

/* One read: ticks after the one before, and sectors from its end. */
struct habit {
	int64_t think;
	sector jump;
};

/* A reader stops, and another process wants the disk at once. */
struct stop {
	struct worker reader;
	const struct habit *habit; /* or NULL: of each of its reads */
	bool leave;		   /* exit, or sleep */
	bool write;		   /* the other's is a write */
	sector place;		   /* of the other's */
	simtime asked;		   /* when that was submitted */
};

/* At 1000 Hz. A sleep ends at the first tick after its time. */
static void read_habits(struct worker *w, const struct habit *habit)
{
	struct kernel *k = &w->b->k;
	sector at = w->base;

	for (unsigned i = 0; i < w->count; i++) {
		simtime tick = kernel_now(k) / MS * MS;

		if (habit[i].think)
			sleep_for(k,
				  tick + habit[i].think * MS - MS / 2 -
					  kernel_now(k),
				  WAIT_PLAIN, "think");
		at += habit[i].jump;
		bk_io(w->b, w->task, at, 1, false);
		bk_wait(w->b, w->task);
		at += SECTORS_PER_PAGE;
	}
}

static void reader_stops(void *arg)
{
	struct stop *s = arg;

	if (s->habit)
		read_habits(&s->reader, s->habit);
	else
		read_singles(&s->reader);
	if (!s->leave)
		sleep_for(&s->reader.b->k, NSEC_PER_SEC, WAIT_PLAIN, "stay");
}

static void newcomer(void *arg)
{
	struct stop *s = arg;
	struct bk *b = s->reader.b;

	while (b->bios_done < s->reader.count)
		wait_on(&b->k, &b->done, 0, WAIT_PLAIN, "newcomer");
	sched_yield_cpu(&b->k); /* the reader sleeps or exits now */
	bk_io(b, 1, s->place, 1, s->write);
	s->asked = kernel_now(&b->k);
	wake_up(&b->k, &b->done, 0, WAKE_ALL);
	bk_wait(b, 1);
}

/* Ticks that the other one's request had to wait for. */
static int64_t waited(unsigned hz, struct stop s)
{
	struct bk *b = machine(hz, MS / 2);
	simtime tick = NSEC_PER_SEC / hz;
	const struct bk_entry *last;
	int64_t ticks;

	s.reader.b = b;
	kthread_new(&b->k, "reader", reader_stops, &s);
	kthread_new(&b->k, "newcomer", newcomer, &s);
	bk_run(b);
	last = &b->log[b->logged - 1];
	BUG_ON(last->start != s.place);
	ticks = last->at / tick - s.asked / tick;
	bk_free(b);
	return ticks;
}

static void check_waits(void)
{
	const struct worker steady = { .count = 20,
				       .base = AT(1000),
				       .step = 8 };
	const struct worker twice = { .count = 2, .base = AT(1000), .step = 8 };
	/* 65536 sectors apart, and a bit less */
	const struct worker jumping = { .count = 20, .step = 65536 };
	const struct worker slow = { .count = 20, .step = 8, .think = 9 * MS };
	const sector end = AT(1020), near = end + 8192, past = end + 8200;

	BUG_ON(waited(1000, (struct stop){ steady, NULL, .place = FAR }) !=
	       ANTIC_1000);
	BUG_ON(waited(250, (struct stop){ steady, NULL, .place = FAR }) != 1);
	/* writes wait as well; and one who exited is waited for */
	BUG_ON(waited(1000, (struct stop){ steady, NULL, .place = FAR,
					   .write = true }) != ANTIC_1000);
	BUG_ON(waited(1000, (struct stop){ steady, NULL, .place = FAR,
					   .leave = true }) != ANTIC_1000);
	/* a near read of somebody else will do; a write will not */
	BUG_ON(waited(1000, (struct stop){ steady, NULL, .place = near }) != 0);
	BUG_ON(waited(1000,
		      (struct stop){ steady, NULL, .place = end - 4096 }) != 0);
	BUG_ON(waited(1000,
		      (struct stop){ steady, NULL, .place = end - 4104 }) !=
	       ANTIC_1000);
	BUG_ON(waited(1000, (struct stop){ steady, NULL, .place = past }) !=
	       ANTIC_1000);
	BUG_ON(waited(1000, (struct stop){ steady, NULL, .place = near,
					   .write = true }) != ANTIC_1000);
	/*
	 * What is nearer than the reader's usual jump of 65528 will do. After
	 * 19 samples their number, always rounded down, makes 66588 of it.
	 */
	BUG_ON(waited(1000, (struct stop){ jumping,
					   .place = 65536 * 19 + 65000 }) != 0);
	BUG_ON(waited(1000, (struct stop){ jumping, NULL,
					   .place = 65536 * 19 + 68000 }) !=
	       ANTIC_1000);
	/* one who thinks for 9 ticks is not waited for */
	BUG_ON(waited(1000, (struct stop){ slow, NULL, .place = FAR }) != 0);
	/* means start too high: 4 ticks after one sample, too much at 250 Hz */
	BUG_ON(waited(1000, (struct stop){ twice, NULL, .place = FAR }) !=
	       ANTIC_1000);
	BUG_ON(waited(250, (struct stop){ twice, NULL, .place = FAR }) != 0);
}

/* Three reads, or two, with these pauses: is the reader waited for? */
static bool worth_it(int64_t first, int64_t second)
{
	const struct habit habit[] = { { 0, 0 }, { first, 0 }, { second, 0 } };
	struct worker w = { .count = second ? 3 : 2, .base = AT(1000) };

	return waited(1000, (struct stop){ w, habit, .place = FAR }) ==
	       ANTIC_1000;
}

/*
 * Means by hand. The first read is no sample. After a pause of t ticks there
 * are 32 samples and 32 t in all, which with the rounding is a mean of
 * (32 t + 128) / 32. The second, of u: 60 samples, (224 t + 256 u) / 8 in all.
 */
static void check_thinking(void)
{
	BUG_ON(!worth_it(2, 0)); /* 192 / 32 = 6 */
	BUG_ON(worth_it(3, 0));	 /* 224 / 32 = 7 */
	BUG_ON(!worth_it(3, 6)); /* (276 + 128) / 60 = 6 */
	BUG_ON(worth_it(3, 7));	 /* (308 + 128) / 60 = 7 */
	BUG_ON(!worth_it(2, 6)); /* (248 + 128) / 60 = 6 */
	BUG_ON(worth_it(2, 8));	 /* (312 + 128) / 60 = 7 */
}

/*
 * Jumps of 100000 and 200000 sectors: 32 samples, 3200000; then 60 samples,
 * (7 * 3200000 + 256 * 200000) / 8 = 9200000, a mean of 153333. A newcomer who
 * is nearer than that will do.
 */
static void check_jumping(void)
{
	static const struct habit habit[] = { { 0, 0 },
					      { 0, 100000 },
					      { 0, 200000 } };
	const struct worker w = { .count = 3, .base = AT(1000) };
	const sector end = AT(1003) + 300000;

	BUG_ON(waited(1000, (struct stop){ w, habit, .place = end + 153328 }) !=
	       0);
	BUG_ON(waited(1000, (struct stop){ w, habit, .place = end + 153336 }) !=
	       ANTIC_1000);
}

/*
 * The longer the wait, the further away a read may lie that ends it: after 3
 * ms, 8 times 8192 sectors. Some time before that, somebody asked for FAR.
 */
struct late {
	struct stop stop;
	sector place;
};

static void late_reader(void *arg)
{
	struct late *l = arg;
	struct bk *b = l->stop.reader.b;

	while (!l->stop.asked)
		wait_on(&b->k, &b->done, 0, WAIT_PLAIN, "late");
	sleep_for(&b->k, 2 * MS + MS / 2, WAIT_PLAIN, "late");
	bk_io(b, 2, l->place, 1, false);
	bk_wait(b, 2);
}

/* Ticks from the reader's last read to the next that is served. */
static int64_t patience(sector place)
{
	struct bk *b = machine(1000, MS / 2);
	struct late l = {
		.stop = { .reader = { .b = b,
				      .count = 20,
				      .base = AT(10000),
				      .step = 8 },
			  .place = FAR },
		.place = place,
	};
	int64_t ticks;

	kthread_new(&b->k, "reader", reader_stops, &l.stop);
	kthread_new(&b->k, "newcomer", newcomer, &l.stop);
	kthread_new(&b->k, "late", late_reader, &l);
	bk_run(b);
	BUG_ON(b->logged != 22 || b->log[20].start != place);
	ticks = b->log[20].at / MS - b->log[19].done / MS;
	bk_free(b);
	return ticks;
}

static void check_patience(void)
{
	BUG_ON(patience(AT(10020) + 65536) != 3);
	BUG_ON(patience(AT(10020) - 32768) != 3);
	BUG_ON(patience(AT(10020) + 65536 + 8) != ANTIC_1000);
}

/* Readers that come, read and exit; a resident asks for the disk after each. */
#define LEAVERS 9

struct leavers {
	struct bk *b;
	struct wait_queue begin; /* the next one's turn */
	unsigned turn;
	unsigned gone;
	bool waited[LEAVERS]; /* did the resident wait? */
};

struct leaver {
	struct leavers *all;
	unsigned number;
};

static void leaver(void *arg)
{
	struct leaver *l = arg;
	struct leavers *all = l->all;
	struct worker w = { .b = all->b, .count = 5, .step = 8 };

	w.base = AT(10000 * (sector)(l->number + 1));
	while (all->turn != l->number + 1)
		wait_on(&all->b->k, &all->begin, 0, WAIT_PLAIN, "turn");
	read_singles(&w);
	all->gone++;
	wake_up(&all->b->k, &all->begin, 0, WAKE_ALL);
}

static void resident(void *arg)
{
	struct leavers *all = arg;
	struct bk *b = all->b;

	for (unsigned i = 0; i < LEAVERS; i++) {
		simtime asked;

		all->turn = i + 1;
		wake_up(&b->k, &all->begin, 0, WAKE_ALL);
		while (all->gone != i + 1)
			wait_on(&b->k, &all->begin, 0, WAIT_PLAIN, "gone");
		sched_yield_cpu(&b->k);
		asked = kernel_now(&b->k);
		bk_io(b, 1, FAR + AT(100000) * i, 1, false);
		bk_wait(b, 1);
		all->waited[i] = b->log[b->logged - 1].at - asked > MS;
		/* until nobody is waited for any more */
		sleep_for(&b->k, 50 * MS, WAIT_PLAIN, "pause");
	}
}

/*
 * Each wait in vain for one who exited brings exit_no_coop an eighth nearer to
 * 256: 32, 60, 84, 105, 123, 139, and that is more than half. From the seventh
 * on nobody who exited is waited for.
 */
static void check_leavers(void)
{
	struct bk *b = machine(1000, MS / 2);
	struct leavers all = { .b = b };
	struct leaver l[LEAVERS];

	wait_queue_init(&all.begin);
	kthread_new(&b->k, "resident", resident, &all);
	for (unsigned i = 0; i < LEAVERS; i++) {
		l[i] = (struct leaver){ &all, i };
		kthread_new(&b->k, "leaver", leaver, &l[i]);
	}
	bk_run(b);
	for (unsigned i = 0; i < LEAVERS; i++)
		BUG_ON(all.waited[i] != (i < 6));
	bk_free(b);
}

int main(void)
{
	check_waits();
	check_thinking();
	check_jumping();
	check_patience();
	check_leavers();
	return 0;
}
