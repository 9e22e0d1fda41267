/*
 * Deadline of 2.6.18: one way, batches, starved writes, deadlines. All orders
 * were worked out by hand. The device takes one request at a time; HZ is 250.
 */
#include "tests/blockkit.h"

#define MS NSEC_PER_MSEC

/* Sectors of a page-sized place, far apart unless consecutive. */
#define AT(n) ((sector)(n)*SECTORS_PER_PAGE)

struct step {
	unsigned place; /* AT(place) */
	bool write;
};

static struct bk *machine(simtime service)
{
	return bk_new("deadline", NULL, 250, 1, service);
}

static void run(struct bk *b, void (*fn)(void *arg))
{
	kthread_new(&b->k, "test", fn, b);
	bk_run(b);
}

static void read_page(struct bk *b, unsigned place)
{
	bk_io(b, 0, AT(place), 1, false);
}

static void write_page(struct bk *b, unsigned place)
{
	bk_io(b, 0, AT(place), 1, true);
}

/* What was dispatched, from entry first on, is want, and no more. */
static void expect(const struct bk *b, unsigned first, const struct step *want,
		   unsigned n)
{
	BUG_ON(b->logged != first + n);
	for (unsigned i = 0; i < n; i++) {
		BUG_ON(b->log[first + i].start != AT(want[i].place));
		BUG_ON(b->log[first + i].write != want[i].write);
	}
}

/* A busy device, so that what follows gathers in the elevator. */
static void busy(struct bk *b, unsigned place)
{
	read_page(b, place);
	queue_unplug(b->q);
}

/* Upwards from the last one, and around to the lowest. */
static void one_way(void *arg)
{
	struct bk *b = arg;
	static const unsigned places[] = { 200, 700, 100, 600, 400 };

	busy(b, 500);
	for (unsigned i = 0; i < 5; i++)
		read_page(b, places[i]);
	bk_wait(b, 0);
}

static void check_one_way(void)
{
	/* 500 left nothing above it, so the next is the lowest, as below */
	static const struct step want[] = { { 500, false }, { 100, false },
					    { 200, false }, { 400, false },
					    { 600, false }, { 700, false } };
	struct bk *b = machine(MS);

	run(b, one_way);
	expect(b, 0, want, 6);
	bk_free(b);
}

/*
 * A place behind the head is for the next round, whatever comes meanwhile:
 * 300 is at the device when 100 and 350 are queued.
 */
static void behind(void *arg)
{
	struct bk *b = arg;

	busy(b, 200);
	read_page(b, 300);
	read_page(b, 400);
	while (b->logged < 2)
		wait_on(&b->k, &b->done, 0, WAIT_PLAIN, "test");
	read_page(b, 100);
	read_page(b, 350); /* ahead, but after 400 was chosen to be next */
	bk_wait(b, 0);
}

static void check_behind(void)
{
	static const struct step want[] = { { 200, false },
					    { 300, false },
					    { 400, false },
					    { 100, false },
					    { 350, false } };
	struct bk *b = machine(MS);

	run(b, behind);
	expect(b, 0, want, 5);
	bk_free(b);
}

/*
 * With a gap after each request every one is a choice anew. Reads have it
 * twice, then the writes that were passed over: RRW RRW ... Turning from one
 * direction to the other starts with the lowest.
 */
static void starving(void *arg)
{
	struct bk *b = arg;

	busy(b, 500);
	for (unsigned i = 6; i > 0; i--) {
		read_page(b, 1000 * i);
		write_page(b, 1000 * i + 500);
	}
	bk_wait(b, 0);
}

static void check_starving(void)
{
	static const struct step want[] = {
		{ 500, false }, { 1000, false }, { 2000, false },
		{ 1500, true }, { 3000, false }, { 4000, false },
		{ 2500, true }, { 5000, false }, { 6000, false },
		{ 3500, true }, { 4500, true },	 { 5500, true },
		{ 6500, true },
	};
	struct bk *b = machine(MS);

	run(b, starving);
	expect(b, 0, want, 13);
	bk_free(b);
}

/*
 * Twenty reads of 512 KiB without a gap, and two writes. A batch is 16. The
 * choice after it is the reads' again, as the second time; the batch counts
 * as ended, so the next choice follows at once and is the writes'. Three are
 * left and are a batch of their own.
 */
static void contiguous(void *arg)
{
	struct bk *b = arg;

	busy(b, 8);
	for (unsigned i = 0; i < 20; i++)
		for (unsigned part = 0; part < 4; part++)
			bk_io(b, 0, AT(1024 + 128 * i + 32 * part), 32, false);
	write_page(b, 100);
	write_page(b, 200);
	bk_wait(b, 0);
}

static void check_contiguous(void)
{
	struct bk *b = machine(MS);
	unsigned reads = 0;

	run(b, contiguous);
	BUG_ON(b->logged != 23);
	for (unsigned i = 1; i < b->logged; i++) {
		const struct bk_entry *e = &b->log[i];

		BUG_ON(e->write != (i == 18 || i == 22));
		if (e->write)
			continue;
		BUG_ON(e->sectors != 1024);
		BUG_ON(e->start != AT(1024 + 128 * reads++));
	}
	bk_free(b);
}

/*
 * A read behind the head waits for the end of the way, or until it is too
 * old: 500 ms are 125 ticks. Requests take 10 ms.
 */
static void expiring(void *arg)
{
	struct bk *b = arg;

	busy(b, 1000);
	read_page(b, 2000);
	read_page(b, 2500);
	while (b->logged < 2)
		wait_on(&b->k, &b->done, 0, WAIT_PLAIN, "test");
	read_page(b, 100);
	for (unsigned i = 0; i < 100; i++)
		read_page(b, 3000 + 100 * i);
	bk_wait(b, 0);
}

static void check_expiring(void)
{
	struct bk *b = machine(10 * MS);
	simtime asked, span;
	unsigned at = 0;

	run(b, expiring);
	BUG_ON(b->logged != 104);
	while (b->log[at].start != AT(100))
		at++;
	asked = b->log[1].at;
	span = b->log[at].at - asked;
	BUG_ON(span < 500 * MS || span > 516 * MS);
	/* the others are too old by now as well: in order of arrival */
	for (unsigned i = at + 1; i + 1 < b->logged; i++)
		BUG_ON(b->log[i].start >= b->log[i + 1].start);
	bk_free(b);
}

/* A bio may join in front of a request, but then that is passed over. */
static void in_front(void *arg)
{
	struct bk *b = arg;

	busy(b, 100);
	read_page(b, 200);
	read_page(b, 300);
	read_page(b, 400);
	while (b->logged < 2) /* 200 is at the device, 300 is next */
		wait_on(&b->k, &b->done, 0, WAIT_PLAIN, "test");
	read_page(b, 299);
	bk_wait(b, 0);
}

static void check_in_front(void)
{
	static const struct step want[] = {
		{ 100, false }, { 200, false }, { 400, false }, { 299, false }
	};
	struct bk *b = machine(MS);

	run(b, in_front);
	BUG_ON(queue_stats(b->q)->front_merges != 1);
	expect(b, 0, want, 4);
	bk_free(b);
}

static void check_front_option(void)
{
	const struct slot *slot = &elevator_find("deadline")->slot;
	static const struct step want[] = { { 100, false },
					    { 200, false },
					    { 300, false },
					    { 400, false },
					    { 299, false } };
	void *options = xcalloc(1, slot->size);
	struct bk *b;

	param_defaults(slot->params, options);
	BUG_ON(!param_set(slot->params, options, "front_merges", "no",
			  "deadline", NULL, (struct diag_place){ 0 }));
	b = bk_new("deadline", options, 250, 1, MS);
	run(b, in_front);
	BUG_ON(queue_stats(b->q)->front_merges != 0);
	expect(b, 0, want, 5);
	bk_free(b);
	free(options);
}

/*
 * Two requests become one when the gap between them is filled, with the
 * earlier of their deadlines: 300 then is older than 200.
 */
static void joined(void *arg)
{
	struct bk *b = arg;

	busy(b, 1000);
	read_page(b, 302);
	sleep_for(&b->k, 20 * MS, WAIT_PLAIN, "test");
	read_page(b, 200);
	sleep_for(&b->k, 20 * MS, WAIT_PLAIN, "test");
	read_page(b, 300);
	read_page(b, 301);
	bk_wait(b, 0);
}

static void check_joined(void)
{
	struct bk *b = machine(600 * MS);

	/* all are too old when the device is free again */
	run(b, joined);
	BUG_ON(b->logged != 3);
	BUG_ON(b->log[1].start != AT(300) || b->log[1].sectors != 24);
	BUG_ON(b->log[2].start != AT(200));
	BUG_ON(queue_stats(b->q)->front_merges != 1);
	bk_free(b);
}

/*
 * The same place twice: the first goes to the dispatch list at once, before
 * the reads, and the list is not sorted.
 */
static void same_place(void *arg)
{
	struct bk *b = arg;

	busy(b, 100);
	write_page(b, 900);
	write_page(b, 300);
	read_page(b, 200);
	write_page(b, 900);
	write_page(b, 300);
	bk_wait(b, 0);
}

static void check_same_place(void)
{
	static const struct step want[] = { { 100, false }, { 900, true },
					    { 300, true },  { 200, false },
					    { 300, true },  { 900, true } };
	struct bk *b = machine(MS);

	run(b, same_place);
	expect(b, 0, want, 6);
	bk_free(b);
}

int main(void)
{
	check_one_way();
	check_behind();
	check_starving();
	check_contiguous();
	check_expiring();
	check_in_front();
	check_front_option();
	check_joined();
	check_same_place();
	return 0;
}
