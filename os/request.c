/*
 * Requests: who may have one, who waits, when a queue counts as congested.
 *
 * Models      block/ll_rw_blk.c of 2.6.18: get_request, get_request_wait,
 *             ioc_batching, freed_request, blk_queue_congestion_threshold.
 * Leaves out  host memory running out (the pool is as large as the limit).
 *
 * Of each direction nr_requests may be in use. Whoever takes the last one
 * becomes a batcher: for 20 ms it may take 32 more, up to half as many again
 * as the limit, while others sleep. Each sleeper is a batcher when it wakes.
 */
#include "os/elevator.h"
#include "os/jiffies.h"
#include "os/kernel.h"

#define BATCH_TIME     (NSEC_PER_SEC / 50) /* BLK_BATCH_TIME */
#define BATCH_REQUESTS 32		   /* BLK_BATCH_REQ */
#define MIN_REQUESTS   4		   /* BLKDEV_MIN_RQ */

static unsigned hard_limit(const struct queue *q)
{
	return 3 * q->nr_requests / 2;
}

static void init_thresholds(struct queue *q)
{
	unsigned nr = q->nr_requests;
	unsigned on = nr - nr / 8 + 1;
	unsigned off = nr - nr / 8 - nr / 16 - 1;

	q->congestion_on = on < nr ? on : nr;
	q->congestion_off = off > 0 ? off : 1;
}

void request_pool_init(struct queue *q, const struct queue_config *c)
{
	size_t size = c->elevator->request_size;
	unsigned all;

	q->nr_requests = c->nr_requests;
	if (q->nr_requests < MIN_REQUESTS)
		q->nr_requests = MIN_REQUESTS;
	q->max_sectors = c->max_sectors;
	init_thresholds(q);
	wait_queue_init(&q->wait[0]);
	wait_queue_init(&q->wait[1]);

	all = 2 * hard_limit(q);
	q->request_size = size ? size : sizeof(struct request);
	BUG_ON(q->request_size < sizeof(struct request));
	q->pool = xcalloc(all, q->request_size);
	list_init(&q->free);
	for (unsigned i = 0; i < all; i++) {
		void *place = q->pool + i * q->request_size;
		struct request *rq = place;

		rq->q = q;
		list_init(&rq->link);
		list_add_tail(&rq->link, &q->free);
	}
}

/* Always good for one request, so that no wake-up is lost. */
static bool batching(const struct kernel *k, const struct task *task)
{
	return task->batch_left == BATCH_REQUESTS ||
	       (task->batch_left > 0 && kernel_now(k) < task->batching_until);
}

static void set_batching(struct kernel *k, struct task *task)
{
	unsigned hz = k->config.hz;

	if (batching(k, task))
		return;
	task->batch_left = BATCH_REQUESTS;
	task->batching_until = jiffies_time(
		hz, jiffies_at(hz, kernel_now(k)) + jiffies_in(hz, BATCH_TIME));
}

/* May this task have a request? Marks the queue full and congested. */
static bool request_allowed(struct queue *q, struct task *task,
			    const struct bio *bio)
{
	bool w = bio->write;
	bool must = q->elevator->must && q->elevator->must(q, bio);

	if (q->count[w] + 1 >= q->nr_requests) {
		if (!q->full[w]) {
			set_batching(q->k, task);
			q->full[w] = true;
		} else if (!must && !batching(q->k, task)) {
			return false;
		}
	}
	if (q->count[w] + 1 >= q->congestion_on)
		q->congested[w] = true;
	return q->count[w] < hard_limit(q);
}

/* Only those at the limit are counted against the batch. */
static bool request_try(struct queue *q, const struct bio *bio)
{
	struct task *task = task_current(q->k);
	bool w = bio->write;

	if (!request_allowed(q, task, bio))
		return false;
	q->count[w]++;
	if (q->count[w] >= q->nr_requests && batching(q->k, task))
		task->batch_left--;
	return true;
}

static struct request *request_init(struct queue *q, struct bio *bio)
{
	struct request *rq;

	BUG_ON(list_empty(&q->free));
	rq = list_first(&q->free, struct request, link);
	list_del(&rq->link);
	BUG_ON(rq->in_use || bio->next);
	rq->disk.start = bio->start;
	rq->disk.sectors = bio->pages * SECTORS_PER_PAGE;
	rq->disk.write = bio->write;
	rq->first = bio;
	rq->last = bio;
	rq->queued = block_jiffies(q->k);
	rq->in_use = true;
	rq->started = false;
	rq->no_merge = false;
	rq->context = NULL;
	if (q->elevator->context_size)
		rq->context = elevator_context_get(q);
	if (q->elevator->attach)
		q->elevator->attach(q, rq);
	return rq;
}

struct request *request_get(struct queue *q, struct bio *bio)
{
	might_sleep(q->k);
	while (!request_try(q, bio)) {
		queue_unplug(q);
		q->stats.request_waits++;
		wait_on(q->k, &q->wait[bio->write], 0, WAIT_IO | WAIT_EXCLUSIVE,
			"request");
		set_batching(q->k, task_current(q->k));
	}
	return request_init(q, bio);
}

/* One less in use: is that news for anybody? */
static void request_freed(struct queue *q, bool write)
{
	BUG_ON(q->count[write] == 0);
	q->count[write]--;
	if (q->count[write] < q->congestion_off) {
		q->congested[write] = false;
		wake_up(q->k, &q->k->congestion[write], 0, WAKE_ALL);
	}
	if (q->count[write] < q->nr_requests) {
		wake_up(q->k, &q->wait[write], 0, 1);
		q->full[write] = false;
	}
}

void request_put(struct request *rq)
{
	struct queue *q = rq->q;

	BUG_ON(!rq->in_use || !list_empty(&rq->link));
	if (q->elevator->detach)
		q->elevator->detach(q, rq);
	if (rq->context)
		elevator_context_put(rq->context);
	rq->in_use = false;
	list_add(&rq->link, &q->free);
	request_freed(q, rq->disk.write);
}
