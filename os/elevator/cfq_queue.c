/*
 * CFQ's queues: who owns them, in what order their requests stand, and how
 * requests are found to merge with.
 *
 * Models      block/cfq-iosched.c of 2.6.18: cfq_get_queue, cfq_add_crq_rb,
 *             cfq_choose_req, cfq_resort_rr_list, cfq_merge.
 * Leaves out  the red-black tree: a sorted list of at most 192 requests,
 *             searched from its end, where writers add.
 */
#include "os/elevator/cfq_private.h"
#include "os/kernel.h"

#include <stdlib.h>

/* Nice value to priority: task_nice_ioprio, include/linux/ioprio.h. */
static int nice_priority(const struct task *task)
{
	return (task->sched.nice + 20) / 5;
}

static struct cfq_queue *queue_alloc(struct cfq *cfq)
{
	struct cfq_queue *cq = cfq->free;

	if (cq) {
		cfq->free = cq->next_free;
		*cq = (struct cfq_queue){ .next_all = cq->next_all };
		return cq;
	}
	cq = xcalloc(1, sizeof(*cq));
	cq->next_all = cfq->all;
	cfq->all = cq;
	return cq;
}

/* Tasks without an explicit I/O priority share one asynchronous queue. */
struct cfq_queue *cfq_queue_get(struct cfq *cfq, bool sync)
{
	struct cfq_queue *cq;

	if (!sync && cfq->async) {
		cfq->async->refs++;
		return cfq->async;
	}
	cq = queue_alloc(cfq);
	list_init(&cq->link);
	list_init(&cq->sorted);
	list_init(&cq->fifo);
	cq->refs = 1;
	cq->sync = sync;
	cq->priority = nice_priority(task_current(cfq->q->k));
	cq->idle_window = !cfq_tagged(cfq);
	if (!sync)
		cfq->async = cq;
	return cq;
}

void cfq_queue_put(struct cfq *cfq, struct cfq_queue *cq)
{
	BUG_ON(cq->refs == 0);
	if (--cq->refs)
		return;
	BUG_ON(cq->on_rr || cq->in_use || cfq_queue_has(cq));
	/* its last request is done, and its process has exited */
	if (cfq->active == cq)
		cfq_expire(cfq, cq);
	if (cfq->async == cq)
		cfq->async = NULL;
	cq->next_free = cfq->free;
	cfq->free = cq;
}

struct cfq_queue *cfq_queue_find(struct cfq *cfq, const struct bio *bio)
{
	struct elevator_context *c;

	if (!cfq_is_sync(bio))
		return cfq->async;
	c = elevator_context_find(cfq->q);
	return c ? container_of(c, struct cfq_client, context)->queue[true]
		 : NULL;
}

/*
 * By time of last service, the longest ago first. service_last 0 is a queue
 * never served; against jiffies that start below 0, such a one goes last in
 * the first five minutes after boot, and first later on.
 */
static struct list *round_robin_place(struct list *rr,
				      const struct cfq_queue *cq)
{
	struct list *pos;

	for (pos = rr->prev; pos != rr; pos = pos->prev) {
		const struct cfq_queue *other =
			container_of(pos, struct cfq_queue, link);

		if (!other->service_last ||
		    other->service_last < cq->service_last)
			break;
	}
	return pos;
}

/*
 * One with requests at the device waits on the busy list until they are
 * done: one that has much to do must not crowd out one with little.
 */
void cfq_resort(struct cfq *cfq, struct cfq_queue *cq)
{
	struct list *rr = &cfq->rr[cq->priority];

	BUG_ON(!cq->on_rr);
	list_del(&cq->link);
	if (cq->dispatched)
		list_add_tail(&cq->link, &cfq->busy);
	else
		list_add(&cq->link, round_robin_place(rr, cq));
}

static void round_robin_add(struct cfq *cfq, struct cfq_queue *cq)
{
	cq->on_rr = true;
	cfq->busy_queues++;
	cfq_resort(cfq, cq);
}

static void round_robin_del(struct cfq *cfq, struct cfq_queue *cq)
{
	BUG_ON(!cq->on_rr || cfq->busy_queues == 0);
	cq->on_rr = false;
	cfq->busy_queues--;
	list_del(&cq->link);
}

/* The better one to go on with. Either may be NULL. */
static struct cfq_request *choose(const struct cfq *cfq, struct cfq_request *a,
				  struct cfq_request *b)
{
	const struct elevator_way way = {
		.head = cfq->position,
		.back_max = (uint64_t)cfq->back_seek_max / SECTOR_SIZE,
		.back_penalty = (uint64_t)cfq->back_seek_penalty,
	};

	if (!a || a == b)
		return b;
	if (!b)
		return a;
	return elevator_nearer(&way, a->rq.disk.start, b->rq.disk.start) ? a
									 : b;
}

static struct cfq_request *sorted_entry(const struct cfq_queue *cq,
					struct list *pos)
{
	return pos == &cq->sorted
		       ? NULL
		       : container_of(pos, struct cfq_request, sorted);
}

/* Who is next when r is gone: its neighbours, or around to the first. */
static struct cfq_request *find_next(const struct cfq *cfq,
				     const struct cfq_request *r)
{
	const struct cfq_queue *cq = r->queue;
	struct cfq_request *after = sorted_entry(cq, r->sorted.next);
	struct cfq_request *before = sorted_entry(cq, r->sorted.prev);

	if (!after)
		after = sorted_entry(cq, cq->sorted.next);
	if (after == r)
		after = NULL;
	return choose(cfq, after, before);
}

static struct cfq_request **bucket_of(struct cfq *cfq, sector end)
{
	return &cfq->hash[end / SECTORS_PER_PAGE % CFQ_HASH_BUCKETS];
}

static void hash_add(struct cfq *cfq, struct cfq_request *r)
{
	struct cfq_request **bucket;

	BUG_ON(r->hashed);
	r->hash_key = request_end(&r->rq);
	bucket = bucket_of(cfq, r->hash_key);
	r->hash_next = *bucket;
	*bucket = r;
	r->hashed = true;
}

static void hash_del(struct cfq *cfq, struct cfq_request *r)
{
	struct cfq_request **p;

	if (!r->hashed)
		return;
	p = bucket_of(cfq, r->hash_key);
	while (*p != r)
		p = &(*p)->hash_next;
	*p = r->hash_next;
	r->hash_next = NULL;
	r->hashed = false;
}

static void sort_out(struct cfq *cfq, struct cfq_request *r)
{
	struct cfq_queue *cq = r->queue;

	BUG_ON(cq->queued == 0 || list_empty(&r->sorted));
	cq->queued--;
	if (cq->next == r)
		cq->next = find_next(cfq, r);
	list_del(&r->sorted);
}

/* After the last that starts no later; one at the very same place goes out. */
static void sort_in(struct cfq *cfq, struct cfq_request *r)
{
	struct cfq_queue *cq = r->queue;
	struct list *pos = cq->sorted.prev;

	r->key = r->rq.disk.start;
	while (pos != &cq->sorted && sorted_entry(cq, pos)->key > r->key)
		pos = pos->prev;
	if (pos != &cq->sorted && sorted_entry(cq, pos)->key == r->key) {
		struct cfq_request *alias = sorted_entry(cq, pos);

		pos = pos->prev;
		cfq_dispatch_one(cfq, alias);
	}
	list_add(&r->sorted, pos);
	cq->queued++;
	if (!cq->on_rr)
		round_robin_add(cfq, cq);
	cq->next = choose(cfq, cq->next, r);
}

void cfq_request_add(struct cfq *cfq, struct cfq_request *r)
{
	sort_in(cfq, r);
	list_add_tail(&r->rq.link, &r->queue->fifo);
	hash_add(cfq, r);
}

void cfq_request_remove(struct cfq *cfq, struct cfq_request *r)
{
	struct cfq_queue *cq = r->queue;

	list_del(&r->rq.link);
	sort_out(cfq, r);
	if (cq->on_rr && !cfq_queue_has(cq))
		round_robin_del(cfq, cq);
	hash_del(cfq, r);
}

void cfq_dispatch_one(struct cfq *cfq, struct cfq_request *r)
{
	struct queue *q = cfq->q;

	cfq_request_remove(cfq, r);
	r->queue->dispatched++;
	elevator_dispatch(q, &r->rq);
	cfq->position =
		request_end(list_last(&q->dispatch, struct request, link));
}

/* Of anybody: the one hashed last of those that end where bio begins. */
static struct cfq_request *find_back(struct cfq *cfq, sector end)
{
	struct cfq_request *r = *bucket_of(cfq, end);

	while (r && (r->rq.no_merge || r->hash_key != end))
		r = r->hash_next;
	return r;
}

/* Only in the submitter's own queue. */
static struct cfq_request *find_front(struct cfq *cfq, const struct bio *bio)
{
	struct cfq_queue *cq = cfq_queue_find(cfq, bio);
	sector start = bio_end(bio);

	if (!cq)
		return NULL;
	for (struct list *pos = cq->sorted.prev; pos != &cq->sorted;
	     pos = pos->prev) {
		struct cfq_request *r = sorted_entry(cq, pos);

		if (r->key <= start)
			return r->key == start ? r : NULL;
	}
	return NULL;
}

struct request *cfq_find(struct queue *q, const struct bio *bio)
{
	struct cfq *cfq = q->state;
	struct cfq_request *r = find_back(cfq, bio->start);

	if (r && elevator_mergeable(&r->rq, bio))
		return &r->rq;
	r = find_front(cfq, bio);
	return r && elevator_mergeable(&r->rq, bio) ? &r->rq : NULL;
}

void cfq_grown(struct queue *q, struct request *rq)
{
	struct cfq *cfq = q->state;
	struct cfq_request *r = cfq_request_of(rq);

	hash_del(cfq, r);
	hash_add(cfq, r);
	if (r->key == rq->disk.start)
		return;
	sort_out(cfq, r);
	sort_in(cfq, r);
}

/* gone's earlier deadline is lost, as there: it is looked at too late. */
void cfq_absorbed(struct queue *q, struct request *rq, struct request *gone)
{
	cfq_grown(q, rq);
	cfq_request_remove(q->state, cfq_request_of(gone));
}

struct request *cfq_neighbour(struct queue *q, struct request *rq, bool after)
{
	struct cfq_request *r = cfq_request_of(rq);
	struct cfq_request *other =
		sorted_entry(r->queue, after ? r->sorted.next : r->sorted.prev);

	(void)q;
	return other ? &other->rq : NULL;
}
