/*
 * CFQ of 2.6.18: slices, idling, and what becomes of a swap cluster.
 */
#include "tests/blockkit.h"

#define MS   NSEC_PER_MSEC
#define TICK (4 * MS) /* HZ 250 */

static struct bk *machine(simtime service)
{
	return bk_new("cfq", NULL, 250, 1, service);
}

/* A process that does some I/O; task is its index in bk.pending. */
struct worker {
	struct bk *b;
	unsigned task;
	simtime begin; /* when it starts */
	simtime think; /* CPU time between two waits */
	sector base;
	sector step; /* sectors between two reads */
	unsigned count;
};

static void worker_new(struct worker *w, void (*fn)(void *arg))
{
	kthread_new(&w->b->k, "worker", fn, w);
}

static void worker_begin(struct worker *w)
{
	if (w->begin)
		sleep_for(&w->b->k, w->begin, WAIT_PLAIN, "begin");
}

/* Clusters of eight pages, each page a bio, as swap readahead submits. */
static void read_clusters(void *arg)
{
	struct worker *w = arg;

	worker_begin(w);
	for (unsigned i = 0; i < w->count; i++) {
		for (sector page = 0; page < 8; page++)
			bk_io(w->b, w->task,
			      w->base + (sector)i * 64 + page * 8, 1, false);
		bk_wait(w->b, w->task);
		cpu_spend(&w->b->cpu, (uint64_t)w->think);
	}
}

static void read_singles(void *arg)
{
	struct worker *w = arg;

	worker_begin(w);
	for (unsigned i = 0; i < w->count; i++) {
		bk_io(w->b, w->task, w->base + i * w->step, 1, false);
		bk_wait(w->b, w->task);
		cpu_spend(&w->b->cpu, (uint64_t)w->think);
	}
}

static void write_singles(void *arg)
{
	struct worker *w = arg;

	worker_begin(w);
	for (unsigned i = 0; i < w->count; i++)
		bk_io(w->b, w->task, w->base + i * w->step, 1, true);
	bk_wait(w->b, w->task);
}

/*
 * The first cluster is plugged and whole. Then its process is idled for: one
 * page goes off at once and seven merge behind it, until the slice is over,
 * when nobody idles and a cluster is whole again.
 */
static void one_and_seven(void)
{
	struct bk *b = machine(10 * MS);
	struct worker w = { .b = b, .count = 60, .think = MS / 10 };
	unsigned whole = 0, single = 0;

	worker_new(&w, read_clusters);
	bk_run(b);
	BUG_ON(b->log[0].sectors != 64);
	BUG_ON(b->log[1].sectors != 8 || b->log[2].sectors != 56);
	for (unsigned i = 0; i < b->logged; i++) {
		if (b->log[i].sectors == 64) {
			whole++;
			continue;
		}
		BUG_ON(b->log[i].sectors != 8);
		single++;
		BUG_ON(b->log[++i].sectors != 56);
	}
	BUG_ON(whole + single != 60);
	/* a slice of 25 ticks holds a whole cluster and five halved ones */
	BUG_ON(whole < 8 || whole > 12);
	bk_free(b);
}

/* Nobody idles: all clusters stay whole. */
static void no_idling(void)
{
	const struct slot *slot = &elevator_find("cfq")->slot;
	void *options = xcalloc(1, slot->size);
	struct worker w = { .count = 10, .think = MS / 10 };
	struct bk *b;

	param_defaults(slot->params, options);
	BUG_ON(!param_set(slot->params, options, "slice_idle", "0", "cfq", NULL,
			  (struct diag_place){ 0 }));
	b = bk_new("cfq", options, 250, 1, 10 * MS);
	w.b = b;
	worker_new(&w, read_clusters);
	bk_run(b);
	BUG_ON(b->logged != 10);
	bk_free(b);
	free(options);
}

static bool of_first(const struct bk_entry *e)
{
	return e->start < BK_SECTORS / 2;
}

/* Two readers: each has the disk for a slice of 100 ms, in turn. */
static void two_readers(void)
{
	struct bk *b = machine(10 * MS);
	struct worker w[2] = {
		{ .b = b, .task = 0, .count = 100, .step = 80 },
		{ .b = b,
		  .task = 1,
		  .count = 100,
		  .step = 80,
		  .base = BK_SECTORS / 2 },
	};
	unsigned run = 1, turns = 0;

	worker_new(&w[0], read_singles);
	worker_new(&w[1], read_singles);
	bk_run(b);
	BUG_ON(b->logged != 200);
	for (unsigned i = 1; i < b->logged; i++) {
		if (of_first(&b->log[i]) == of_first(&b->log[i - 1])) {
			run++;
			continue;
		}
		/* 25 ticks from the first dispatch on, and one request over */
		BUG_ON(i < 190 && (run < 10 || run > 11));
		run = 1;
		turns++;
	}
	BUG_ON(turns < 17 || turns > 19);
	bk_free(b);
}

/* Many writes against a reader: 16 requests or 40 ms, then the reader. */
static void async_slice(simtime service, unsigned least, unsigned most)
{
	struct bk *b = machine(service);
	struct worker writer = {
		.b = b, .task = 0, .count = 100, .base = 8, .step = 800
	};
	struct worker reader = { .b = b,
				 .task = 1,
				 .begin = 1,
				 .count = 300,
				 .base = BK_SECTORS / 2,
				 .step = 80 };
	unsigned writes = 0, turns = 0;

	worker_new(&writer, write_singles);
	worker_new(&reader, read_singles);
	bk_run(b);
	BUG_ON(b->logged != 400);
	for (unsigned i = 0; i < b->logged; i++) {
		if (b->log[i].write) {
			writes++;
			continue;
		}
		/* after the first turn, which began alone */
		if (writes && turns++)
			BUG_ON(writes < least || writes > most);
		writes = 0;
	}
	BUG_ON(turns < 2);
	bk_free(b);
}

/*
 * A reader stops, and another process' read comes up delay later: when does
 * it go? The reader stays, leaves, or turns to writing.
 */
enum then { STAY, LEAVE, WRITE };

struct stop {
	struct worker reader;
	enum then then;
	simtime delay;
	simtime asked; /* when the other read was submitted */
};

static void reader_stops(void *arg)
{
	struct stop *s = arg;
	struct bk *b = s->reader.b;

	read_singles(&s->reader);
	if (s->then == WRITE)
		bk_io(b, 2, 80, 1, true);
	if (s->then != LEAVE)
		sleep_for(&b->k, NSEC_PER_SEC, WAIT_PLAIN, "stay");
}

static void newcomer(void *arg)
{
	struct stop *s = arg;
	struct bk *b = s->reader.b;

	while (b->bios_done < s->reader.count)
		wait_on(&b->k, &b->done, 0, WAIT_PLAIN, "newcomer");
	if (s->delay)
		sleep_for(&b->k, s->delay, WAIT_PLAIN, "newcomer");
	bk_io(b, 1, BK_SECTORS - 8, 1, false);
	s->asked = kernel_now(&b->k);
	bk_wait(b, 1);
}

/* Ticks from the one before it was asked to the one that let it go. */
static int64_t idling(sector step, enum then then, simtime delay)
{
	/* the first jump, from 0, must be forgotten: it decays by 1/8 */
	struct bk *b = machine(MS / 2);
	struct stop s = {
		.reader = { .b = b, .count = 32, .base = 600000, .step = step },
		.then = then,
		.delay = delay,
	};
	const struct bk_entry *last;
	int64_t ticks;

	kthread_new(&b->k, "reader", reader_stops, &s);
	kthread_new(&b->k, "newcomer", newcomer, &s);
	bk_run(b);
	BUG_ON(b->logged != (then == WRITE ? 34 : 33));
	last = &b->log[b->logged - 1];
	BUG_ON(last->start != BK_SECTORS - 8);
	ticks = last->at / TICK - s.asked / TICK;
	/* at a tick by kblockd, or at once */
	BUG_ON(last->at - (ticks ? last->at / TICK * TICK : s.asked) >
	       (then == WRITE ? MS : MS / 10));
	bk_free(b);
	return ticks;
}

static void idle_spans(void)
{
	const sector near = 80, far = 500000;

	/* slice_idle, 8 ms, is two ticks; for one who jumps far, one */
	BUG_ON(idling(near, STAY, 0) != 2);
	BUG_ON(idling(far, STAY, 0) != 1);
	/* nobody wanted the disk, so the turn went on: idle for it once more */
	BUG_ON(idling(near, STAY, 30 * MS) != 2);
	BUG_ON(idling(near, STAY, 300 * MS) != 2);
	BUG_ON(idling(near, LEAVE, 0) != 0);
	BUG_ON(idling(near, WRITE, 0) != 0);
}

/*
 * Which request does a bio join, apart from the queue's hint? One of anybody
 * that it follows; of those that it precedes, only its own process'.
 */
static void find_others(void *arg)
{
	struct bk *b = arg;

	while (!b->pending[0])
		wait_on(&b->k, &b->done, 0, WAIT_PLAIN, "test");
	bk_io(b, 1, 8000 - 8, 1, false); /* precedes another's */
	BUG_ON(queue_in_use(b->q) != 3);
	bk_io(b, 1, 8000 - 16, 1, false); /* its own */
	BUG_ON(queue_in_use(b->q) != 3);
	bk_io(b, 1, 8008, 1, false); /* follows another's */
	BUG_ON(queue_in_use(b->q) != 3 || !b->q->plugged);
	bk_wait(b, 1);
}

static void find_own(void *arg)
{
	struct bk *b = arg;

	bk_io(b, 0, 800000, 1, false); /* the hint */
	bk_io(b, 0, 8000, 1, false);
	wake_up(&b->k, &b->done, 0, WAKE_ALL);
	while (b->pending[1] < 3)
		sched_yield_cpu(&b->k);
	bk_wait(b, 0);
}

static void finding(void)
{
	struct bk *b = machine(MS);

	kthread_new(&b->k, "others", find_others, b);
	kthread_new(&b->k, "own", find_own, b);
	bk_run(b);
	BUG_ON(queue_stats(b->q)->back_merges != 1);
	BUG_ON(queue_stats(b->q)->front_merges != 1);
	BUG_ON(b->logged != 3);
	bk_free(b);
}

/*
 * A read far behind the head would be last; when it is 125 ms old it comes
 * first in a round of four. A short seek back is taken as near. But the
 * dispatch list sorts each round upwards from the request before it.
 */
static void read_behind(void *arg)
{
	struct bk *b = arg;

	bk_io(b, 0, 4000000, 1, false);
	bk_wait(b, 0);
	bk_io(b, 0, 4000080, 1, false); /* idled for: at once */
	bk_io(b, 0, 80, 1, false);
	for (sector i = 1; i <= 40; i++)
		bk_io(b, 0, 4000080 + i * 8000, 1, false);
	bk_io(b, 0, 3999000, 1, false); /* a short seek back */
	bk_wait(b, 0);
}

static void order(void)
{
	struct bk *b = machine(10 * MS);
	unsigned at = 0;

	kthread_new(&b->k, "reader", read_behind, b);
	bk_run(b);
	BUG_ON(b->logged != 44);
	BUG_ON(b->log[5].start != 3999000);
	while (b->log[at].start != 80)
		at++;
	BUG_ON(at < 14 || at > 17);
	for (unsigned i = 6; i + 1 < b->logged; i++)
		if (i != at && i + 1 != at)
			BUG_ON(b->log[i].start > b->log[i + 1].start);
	bk_free(b);
}

/* The same machine twice: the same decisions. */
static uint64_t digest_of(void)
{
	struct bk *b = machine(3 * MS);
	struct worker w[3] = {
		{ .b = b, .task = 0, .count = 40, .think = MS / 3 },
		{ .b = b,
		  .task = 1,
		  .begin = 1,
		  .count = 200,
		  .step = 48,
		  .base = 4000000 },
		{ .b = b,
		  .task = 2,
		  .count = 100,
		  .step = 100000,
		  .think = 9 * MS },
	};
	uint64_t value;

	worker_new(&w[0], read_clusters);
	worker_new(&w[1], write_singles);
	worker_new(&w[2], read_singles);
	bk_run(b);
	BUG_ON(b->bios_done != 40 * 8 + 200 + 100);
	value = digest_value(&b->trace.digest);
	bk_free(b);
	return value;
}

int main(void)
{
	one_and_seven();
	no_idling();
	two_readers();
	async_slice(MS, 16, 16);
	async_slice(10 * MS, 4, 8);
	idle_spans();
	finding();
	order();
	BUG_ON(digest_of() != digest_of());
	return 0;
}
