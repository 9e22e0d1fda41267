/*
 * The block layer's way in: bios, plugging, and kblockd.
 *
 * Models      block/ll_rw_blk.c of 2.6.18: __make_request, blk_plug_device,
 *             blk_unplug_timeout, blk_congestion_wait; and elv_insert of
 *             block/elevator.c.
 * Leaves out  barriers, bounce buffers, partitions, readahead bios that give
 *             up (2.6.18's readahead reads as everybody does).
 *
 * A queue that was empty is plugged: requests gather until four are there,
 * somebody waits for one of them, or the timer (3 ms in whole ticks, at least
 * one) hands the queue to kblockd. So neighbours come together.
 */
#include "os/block.h"

#include "os/elevator.h"
#include "os/jiffies.h"
#include "os/kernel.h"

#include <stdlib.h>
#include <string.h>

#define UNPLUG_DELAY	 (3 * NSEC_PER_MSEC) /* blk_queue_make_request */
#define UNPLUG_THRESHOLD 4		     /* the same */
#define BIOS_PER_CHUNK	 32
#define INITIAL_JIFFIES	 (-300) /* s, include/linux/jiffies.h */
#define KBLOCKD_NICE	 (-5)	/* worker_thread, kernel/workqueue.c */

struct bio_chunk {
	struct bio_chunk *next;
	struct bio bio[BIOS_PER_CHUNK];
};

/* What the queues of a kernel share. */
struct block_private {
	unsigned queues;
	struct task *kblockd;
	struct list work; /* queues with work, through work_link */
	struct wait_queue wait;
};

int64_t block_jiffies(const struct kernel *k)
{
	unsigned hz = k->config.hz;

	return jiffies_at(hz, kernel_now(k)) +
	       jiffies_in(hz, k->config.uptime_at_start) +
	       (int64_t)INITIAL_JIFFIES * hz;
}

void block_timer(struct kernel *k, struct event *ev, int64_t ticks)
{
	unsigned hz = k->config.hz;
	int64_t now = jiffies_at(hz, kernel_now(k));

	/* the tick that came last is over: the next one is the soonest */
	event_cancel(k->events, ev);
	event_post(k->events, ev,
		   jiffies_time(hz, now + (ticks > 0 ? ticks : 1)));
}

static void queue_do_work(struct queue *q)
{
	unsigned work = q->work;

	q->work = 0;
	if (work & WORK_RUN)
		queue_start(q);
	else if (work & WORK_UNPLUG)
		queue_unplug(q);
	if (work & WORK_KICK)
		driver_run(q);
}

/* The kernel thread that starts devices for timers. */
static void kblockd(void *arg)
{
	struct kernel *k = arg;
	struct block_private *b = k->block;

	while (!(b->kblockd->flags & TF_KILLED)) {
		while (!list_empty(&b->work)) {
			struct queue *q =
				list_first(&b->work, struct queue, work_link);

			list_del(&q->work_link);
			queue_do_work(q);
		}
		wait_on(k, &b->wait, 0, WAIT_INTERRUPTIBLE, "kblockd");
	}
}

static void block_join(struct kernel *k)
{
	struct block_private *b = k->block;

	if (b) {
		b->queues++;
		return;
	}
	b = xcalloc(1, sizeof(*b));
	b->queues = 1;
	list_init(&b->work);
	wait_queue_init(&b->wait);
	wait_queue_init(&k->congestion[0]);
	wait_queue_init(&k->congestion[1]);
	k->block = b;
	b->kblockd = kthread_new(k, "kblockd/0", kblockd, k);
	sched_set_nice(k, b->kblockd, KBLOCKD_NICE);
}

void queue_defer(struct queue *q, enum queue_work what)
{
	struct block_private *b = q->k->block;

	if (!q->work)
		list_add_tail(&q->work_link, &b->work);
	q->work |= what;
	wake_up(q->k, &b->wait, 0, 1);
}

static void unplug_timeout(void *arg)
{
	queue_defer(arg, WORK_UNPLUG);
}

static void elevator_init(struct queue *q, const struct queue_config *c)
{
	const struct elevator_ops *ops = c->elevator;

	q->elevator = ops;
	list_init(&q->contexts);
	list_init(&q->dispatch);
	q->state = xcalloc(1, ops->slot.size ? ops->slot.size : 1);
	if (c->elevator_options)
		memcpy(q->state, c->elevator_options, ops->slot.size);
	else if (ops->slot.params)
		param_defaults(ops->slot.params, q->state);
	if (ops->init)
		ops->init(q);
}

struct queue *queue_new(struct kernel *k, struct disk *disk,
			struct media *media, const struct queue_config *c)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	BUG_ON(!c->elevator);
	BUG_ON(c->max_sectors < SECTORS_PER_PAGE);
	block_join(k);
	q->k = k;
	q->disk = disk;
	q->media = media;
	q->unplug_delay = jiffies_in(k->config.hz, UNPLUG_DELAY);
	event_init(&q->unplug_timer, unplug_timeout, q);
	list_init(&q->work_link);
	q->bounce = xcalloc(1, PAGE_SIZE);
	request_pool_init(q, c);
	elevator_init(q, c);
	return q;
}

/* The last queue's kblockd is torn down with the other tasks. */
static void block_leave(struct kernel *k)
{
	BUG_ON(k->block->queues == 0);
	if (--k->block->queues)
		return;
	free(k->block);
	k->block = NULL;
}

void queue_free(struct queue *q)
{
	if (!q)
		return;
	event_cancel(q->k->events, &q->unplug_timer);
	list_del(&q->work_link);
	if (q->elevator->finish)
		q->elevator->finish(q);
	elevator_contexts_free(q);
	block_leave(q->k);
	while (q->chunks) {
		struct bio_chunk *next = q->chunks->next;

		free(q->chunks);
		q->chunks = next;
	}
	free(q->state);
	free(q->pool);
	free(q->bounce);
	free(q);
}

unsigned queue_max_pages(const struct queue *q)
{
	unsigned pages = q->max_sectors / SECTORS_PER_PAGE;

	return pages < BIO_MAX_PAGES ? pages : BIO_MAX_PAGES;
}

static void bio_grow(struct queue *q)
{
	struct bio_chunk *chunk = xcalloc(1, sizeof(*chunk));

	chunk->next = q->chunks;
	q->chunks = chunk;
	for (unsigned i = 0; i < BIOS_PER_CHUNK; i++)
		bio_release(q, &chunk->bio[i]);
}

struct bio *bio_new(struct queue *q, sector start, bool write,
		    void (*end)(struct kernel *k, struct bio *bio,
				enum disk_error error))
{
	struct bio *bio;

	if (!q->free_bios)
		bio_grow(q);
	bio = q->free_bios;
	q->free_bios = bio->next;
	bio->next = NULL;
	bio->start = start;
	bio->pages = 0;
	bio->write = write;
	bio->sync = false;
	bio->end = end;
	bio->owner = NULL;
	return bio;
}

void bio_release(struct queue *q, struct bio *bio)
{
	bio->next = q->free_bios;
	q->free_bios = bio;
}

/*
 * A driver for one command at a time (IDE) leaves the request it works on at
 * the head of the dispatch list, so its queue is not empty and does not plug
 * before it is done; one for a tagged device takes it off.
 */
bool queue_empty(const struct queue *q)
{
	return list_empty(&q->dispatch) && q->elevator->empty(q);
}

void queue_plug(struct queue *q)
{
	if (q->plugged)
		return;
	q->plugged = true;
	block_timer(q->k, &q->unplug_timer, q->unplug_delay);
}

void queue_start(struct queue *q)
{
	if (q->plugged) {
		q->plugged = false;
		event_cancel(q->k->events, &q->unplug_timer);
	}
	driver_run(q);
}

void queue_unplug(struct queue *q)
{
	if (q->plugged)
		queue_start(q);
}

/* As submit_bio does: by page, whoever merges with it. */
static void bio_account(struct queue *q, const struct bio *bio)
{
	struct kernel *k = q->k;
	uint64_t blocks = bio->pages * (uint64_t)SECTORS_PER_PAGE;

	q->stats.bios[bio->write]++;
	if (bio->write) {
		k->vmstat.pgpgout += blocks / 2;
		task_current(k)->self.blocks_out += blocks;
	} else {
		k->vmstat.pgpgin += blocks / 2;
		task_current(k)->self.blocks_in += blocks;
	}
}

/* A request of its own; the wait for one may change everything. */
static SLEEPS void bio_queue(struct queue *q, struct bio *bio)
{
	struct request *rq = request_get(q, bio);

	if (queue_empty(q))
		queue_plug(q);
	trace_emit(q->k->trace, TR_RQ_QUEUE, q->disk->id, rq->disk.start,
		   rq->disk.sectors, rq->disk.write);
	elevator_insert(q, rq);
	if (q->plugged &&
	    q->count[0] + q->count[1] >= UNPLUG_THRESHOLD + q->taken)
		queue_unplug(q);
}

void block_submit(struct queue *q, struct bio *bio)
{
	struct kernel *k = q->k;
	bool sync = bio->sync;

	might_sleep(k);
	BUG_ON(bio->pages == 0 || bio->pages > queue_max_pages(q));
	BUG_ON(bio->start % SECTORS_PER_PAGE);
	BUG_ON(bio_end(bio) > q->disk->sectors);
	BUG_ON(!bio->end);

	cpu_spend(k->cpu, (uint64_t)k->cost.bio);
	bio_account(q, bio);
	if (queue_empty(q) || !elevator_merge(q, bio))
		bio_queue(q, bio);
	if (sync)
		queue_unplug(q);
}

bool queue_congested(const struct queue *q, bool write)
{
	return q->congested[write];
}

void congestion_wait(struct kernel *k, bool write, simtime span)
{
	might_sleep(k);
	k->vmstat.congestion_waits++;
	wait_timeout(k, &k->congestion[write], 0, WAIT_IO, span, "congestion");
}

unsigned queue_in_use(const struct queue *q)
{
	return q->count[0] + q->count[1];
}

const struct block_stats *queue_stats(const struct queue *q)
{
	return &q->stats;
}
