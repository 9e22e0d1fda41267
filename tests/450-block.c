/*
 * The block layer without an elevator's cleverness: plugging, limits,
 * congestion, merging, and content on its way.
 */
#include "tests/blockkit.h"

#define MS  NSEC_PER_MSEC
#define FAR ((sector)800000) /* never merged */

static void start(struct bk *b, void (*fn)(void *arg))
{
	kthread_new(&b->k, "test", fn, b);
}

/* Nobody waits: the timer starts the device. */

static void one_write(void *arg)
{
	struct bk *b = arg;

	cpu_spend(&b->cpu, 5500 * NSEC_PER_USEC);
	bk_io(b, 0, 80, 1, true);
}

static void plug_timer(unsigned hz, simtime tick)
{
	struct bk *b = bk_new("noop", NULL, hz, 1, MS);

	start(b, one_write);
	bk_run(b);
	BUG_ON(b->logged != 1);
	/* the timer, kblockd's turn, and the request's set-up */
	BUG_ON(b->log[0].at < tick || b->log[0].at > tick + 50000);
	bk_free(b);
}

/* Four requests, a sync one, or a waiter: at once. */

static void four_writes(void *arg)
{
	struct bk *b = arg;

	for (unsigned i = 0; i < 3; i++)
		bk_io(b, 0, i * FAR, 1, true);
	BUG_ON(b->logged || !b->q->plugged);
	bk_io(b, 0, 3 * FAR, 1, true);
	BUG_ON(b->logged != 1 || b->q->plugged);
	bk_wait(b, 0);
	/* an IDE queue is not empty before its request is done: no plug */
	bk_io(b, 0, 0, 1, true);
	queue_unplug(b->q);
	bk_io(b, 0, FAR, 1, true);
	BUG_ON(b->q->plugged || b->logged != 5);
	bk_wait(b, 0);
}

static void sync_write(void *arg)
{
	struct bk *b = arg;
	struct bio *bio = bio_new(b->q, 16, true, bk_end);

	bio->owner = &b->pending[0];
	bio->page[bio->pages++] = 1;
	bio->sync = true;
	b->pending[0]++;
	block_submit(b->q, bio);
	BUG_ON(b->logged != 1);
	bk_wait(b, 0);
}

/* A tagged device's queue empties while it works: it plugs again. */
static void tagged_writes(void *arg)
{
	struct bk *b = arg;

	bk_io(b, 0, 0, 1, true);
	queue_unplug(b->q);
	BUG_ON(b->logged != 1);
	for (unsigned i = 1; i < 4; i++)
		bk_io(b, 0, i * FAR, 1, true);
	BUG_ON(!b->q->plugged || b->logged != 1);
	bk_io(b, 0, 4 * FAR, 1, true);
	BUG_ON(b->q->plugged || b->logged != 5);
	bk_wait(b, 0);
}

static void run_one(const char *elevator, unsigned depth, void (*fn)(void *arg))
{
	struct bk *b = bk_new(elevator, NULL, 250, depth, 2 * MS);

	start(b, fn);
	bk_run(b);
	BUG_ON(b->bios_done == 0);
	bk_free(b);
}

/* Merging. */

static void merges(void *arg)
{
	struct bk *b = arg;
	const struct block_stats *s = queue_stats(b->q);

	/* back, front, and a gap that closes */
	bk_io(b, 0, 800, 1, true);
	bk_io(b, 0, 808, 2, true);
	bk_io(b, 0, 784, 2, true);
	BUG_ON(s->back_merges != 1 || s->front_merges != 1);
	bk_io(b, 0, 832, 1, true);
	BUG_ON(queue_in_use(b->q) != 2);
	bk_io(b, 0, 824, 1, true);
	BUG_ON(queue_in_use(b->q) != 1 || s->back_merges != 2);
	/* a read of what follows is another matter */
	bk_io(b, 0, 840, 1, false);
	BUG_ON(queue_in_use(b->q) != 2);
	queue_unplug(b->q);
	bk_wait(b, 0);
	BUG_ON(b->logged != 2);
	BUG_ON(s->requests[1] != 1 || s->pages[1] != 7 || s->bios[1] != 5);
	BUG_ON(b->k.vmstat.pgpgout != 28 || b->k.vmstat.pgpgin != 4);
	BUG_ON(task_current(&b->k)->self.blocks_out != 56);
}

static void too_large(void *arg)
{
	struct bk *b = arg;

	/* 128 pages fill a request; it takes no more at either end */
	for (unsigned i = 0; i < 4; i++)
		bk_io(b, 0, 8000 + (sector)i * 256, 32, true);
	BUG_ON(queue_in_use(b->q) != 1);
	bk_io(b, 0, 8000 + 1024, 1, true);
	bk_io(b, 0, 8000 - 8, 1, true);
	BUG_ON(queue_in_use(b->q) != 3);
	queue_unplug(b->q);
	bk_wait(b, 0);
}

/* Nor do two requests join that would be too large together. */
static void too_large_together(void *arg)
{
	struct bk *b = arg;

	for (unsigned i = 0; i < 3; i++)
		bk_io(b, 0, 8000 + (sector)i * 256, 32, true);
	bk_io(b, 0, 8000 + 4 * 256, 32, true);
	BUG_ON(queue_in_use(b->q) != 2);
	bk_io(b, 0, 8000 + 3 * 256, 32, true);
	BUG_ON(queue_in_use(b->q) != 2);
	queue_unplug(b->q);
	bk_wait(b, 0);
	BUG_ON(b->log[0].sectors != 1024 || b->log[1].sectors != 256);
}

/* Once the device has it, a request grows no more. */
static void started_is_closed(void *arg)
{
	struct bk *b = arg;

	bk_io(b, 0, 80, 1, true);
	queue_unplug(b->q);
	bk_io(b, 0, 88, 1, true);
	bk_io(b, 0, 96, 1, true);
	BUG_ON(queue_in_use(b->q) != 2);
	bk_wait(b, 0);
	BUG_ON(b->logged != 2 || b->log[1].sectors != 16);
}

/* Limits: 128, a batch of 32 beyond, congestion at 113 and 103. */

struct limits {
	struct bk *b;
	sector base;
	unsigned task;
	unsigned max; /* in use, seen after a submission */
};

static void many_writes(void *arg)
{
	struct limits *l = arg;
	struct bk *b = l->b;

	for (unsigned i = 0; i < 300; i++) {
		bool before = queue_congested(b->q, true);

		bk_io(b, l->task, l->base + (sector)i * 16, 1, true);
		if (b->q->count[1] > l->max)
			l->max = b->q->count[1];
		if (b->completed == 0 && l->task == 0 && !before)
			BUG_ON(queue_congested(b->q, true) != (i + 1 >= 113));
		BUG_ON(queue_congested(b->q, false));
	}
}

static void limits_alone(void)
{
	struct bk *b = bk_new("noop", NULL, 250, 1, 10 * MS);
	struct limits l = { .b = b };

	kthread_new(&b->k, "writer", many_writes, &l);
	bk_run(b);
	/* 127, and the batch of 32 that began with the 128th */
	BUG_ON(l.max != 159);
	BUG_ON(queue_stats(b->q)->request_waits == 0);
	BUG_ON(queue_congested(b->q, true));
	BUG_ON(b->bios_done != 300);
	bk_free(b);
}

/*
 * A freed request wakes one sleeper, a batcher, who brings the count to 159
 * again. Only if several end before any sleeper runs, there are several
 * batchers, and the hard limit of 192 holds them.
 */
static void limits_together(unsigned depth, unsigned max)
{
	struct bk *b = bk_new("noop", NULL, 250, depth, MS / 10);
	struct limits l[6];
	unsigned seen = 0;

	for (unsigned i = 0; i < 6; i++) {
		l[i] = (struct limits){ .b = b,
					.base = (i + 1) * FAR,
					.task = i };
		kthread_new(&b->k, "writer", many_writes, &l[i]);
	}
	bk_run(b);
	for (unsigned i = 0; i < 6; i++)
		seen = l[i].max > seen ? l[i].max : seen;
	BUG_ON(seen != max);
	BUG_ON(b->bios_done != 1800 || b->logged != 1800);
	bk_free(b);
}

/* Off at 102: three quarters of the way down, not at 112. */

static void fill(void *arg)
{
	struct bk *b = arg;

	for (unsigned i = 0; i < 120; i++)
		bk_io(b, 0, (sector)i * 16, 1, true);
	while (b->pending[0]) {
		bool congested = b->q->count[1] >= 103;

		BUG_ON(queue_congested(b->q, true) != congested);
		wait_on(&b->k, &b->done, 0, WAIT_IO, "test");
	}
}

/* congestion_wait: a write that ends wakes, else the whole span goes by. */

static void nap(void *arg)
{
	struct bk *b = arg;
	simtime before;

	bk_io(b, 0, 80, 1, true);
	queue_unplug(b->q);
	before = kernel_now(&b->k);
	congestion_wait(&b->k, true, 100 * MS);
	BUG_ON(kernel_now(&b->k) > before + 3 * MS);
	BUG_ON(b->pending[0]);
	/* reads are no news for those who wait for writes */
	bk_io(b, 0, 80, 1, false);
	queue_unplug(b->q);
	before = kernel_now(&b->k);
	congestion_wait(&b->k, true, 100 * MS);
	BUG_ON(kernel_now(&b->k) < before + 96 * MS);
	BUG_ON(kernel_now(&b->k) > before + 101 * MS);
	bk_wait(b, 0);
}

/* Content: tags and bytes, in every order of real and zero pages. */

static void page_io(struct bk *b, pfn frame, sector at, bool write)
{
	struct bio *bio = bio_new(b->q, at, write, bk_end);

	bio->owner = &b->pending[0];
	bio->page[bio->pages++] = frame;
	b->pending[0]++;
	block_submit(b->q, bio);
}

static void content(void *arg)
{
	struct bk *b = arg;
	struct ram *ram = &b->ram;

	memset(ram_poke(ram, 10), 0x5a, PAGE_SIZE);
	ram->tag[10] = 1010;
	ram->tag[11] = 1111; /* no bytes */
	page_io(b, 10, 800, true);
	page_io(b, 11, 808, true);
	bk_wait(b, 0);

	memset(ram_poke(ram, 20), 0x77, PAGE_SIZE);
	memset(ram_poke(ram, 21), 0x77, PAGE_SIZE);
	page_io(b, 20, 800, false);
	page_io(b, 21, 808, false);
	page_io(b, 22, 816, false); /* never written */
	bk_wait(b, 0);
	BUG_ON(ram->tag[20] != 1010 || ram->tag[21] != 1111);
	BUG_ON(ram->tag[22] != 0);
	BUG_ON(!ram_peek(ram, 20) || ram_peek(ram, 20)[4095] != 0x5a);
	BUG_ON(ram_peek(ram, 21) || ram_peek(ram, 22));

	/* real bytes give way to none, and an error moves nothing */
	page_io(b, 11, 800, true);
	bk_wait(b, 0);
	page_io(b, 20, 800, false);
	bk_wait(b, 0);
	BUG_ON(ram_peek(ram, 20) || ram->tag[20] != 1111);
	b->device.error = DISK_MEDIA_ERROR;
	page_io(b, 10, 808, true);
	page_io(b, 10, 800, false);
	bk_wait(b, 0);
	BUG_ON(b->errors != 2 || ram->tag[10] != 1010);
	BUG_ON(ram_peek(ram, 10)[0] != 0x5a);
	b->device.error = DISK_OK;
	page_io(b, 20, 808, false);
	bk_wait(b, 0);
	BUG_ON(ram->tag[20] != 1111);
}

int main(void)
{
	/* 3 ms are no whole tick at 100 and 250, which makes it one */
	plug_timer(100, 10 * MS);
	plug_timer(250, 8 * MS);
	plug_timer(1000, 8 * MS);
	run_one("noop", 1, four_writes);
	run_one("cfq", 1, four_writes);
	run_one("noop", 1, sync_write);
	run_one("noop", 8, tagged_writes);
	run_one("noop", 1, merges);
	run_one("cfq", 1, merges);
	run_one("cfq", 1, too_large);
	run_one("cfq", 1, too_large_together);
	run_one("noop", 1, started_is_closed);
	run_one("cfq", 1, started_is_closed);
	limits_alone();
	limits_together(1, 159);
	limits_together(8, 192);
	run_one("noop", 1, fill);
	run_one("noop", 1, nap);
	run_one("noop", 1, content);
	run_one("cfq", 8, content);
	return 0;
}
