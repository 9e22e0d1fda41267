/*
 * What all elevators share: merging, the dispatch list, and what they know
 * of tasks.
 *
 * Models      block/elevator.c and the merge functions of block/ll_rw_blk.c,
 *             2.6.18.
 * Leaves out  switching elevators while the machine runs, barriers; segment
 *             limits (128 segments of up to 64 KiB hold any request of whole
 *             pages up to the usual 1024 sectors).
 */
#include "os/elevator.h"

#include "os/elevator/anticipatory.h"
#include "os/elevator/cfq.h"
#include "os/elevator/deadline.h"
#include "os/elevator/noop.h"
#include "os/kernel.h"

#include <stdlib.h>
#include <string.h>

const struct elevator_ops *const elevator_list[] = { &elevator_cfq,
						     &elevator_anticipatory,
						     &elevator_deadline,
						     &elevator_noop, NULL };

const struct elevator_ops *elevator_find(const char *name)
{
	for (const struct elevator_ops *const *e = elevator_list; *e; e++)
		if (strcmp((*e)->slot.name, name) == 0)
			return *e;
	return NULL;
}

bool elevator_mergeable(const struct request *rq, const struct bio *bio)
{
	return !rq->started && !rq->no_merge && rq->disk.write == bio->write;
}

/* A request that was refused once is full for good. */
static bool merge_fits(struct queue *q, struct request *rq,
		       const struct bio *bio)
{
	if (rq->disk.sectors + bio->pages * SECTORS_PER_PAGE <= q->max_sectors)
		return true;
	rq->no_merge = true;
	if (q->last_merge == rq)
		q->last_merge = NULL;
	return false;
}

/* b, which follows a, becomes part of it, if that may be. */
static bool requests_join(struct queue *q, struct request *a, struct request *b)
{
	if (a->started || a->no_merge || b->started || b->no_merge)
		return false;
	if (request_end(a) != b->disk.start || a->disk.write != b->disk.write)
		return false;
	if (a->disk.sectors + b->disk.sectors > q->max_sectors)
		return false;

	if (b->queued < a->queued)
		a->queued = b->queued;
	a->last->next = b->first;
	a->last = b->last;
	a->disk.sectors += b->disk.sectors;
	q->elevator->absorbed(q, a, b);
	q->last_merge = a;
	request_put(b);
	return true;
}

/* rq has grown at one end: does it touch its neighbour there now? */
static void merge_finish(struct queue *q, struct request *rq, bool back)
{
	struct request *other = NULL;

	if (q->elevator->neighbour)
		other = q->elevator->neighbour(q, rq, back);
	if (other && back && requests_join(q, rq, other))
		return;
	if (other && !back && requests_join(q, other, rq))
		return;
	if (q->elevator->grown)
		q->elevator->grown(q, rq);
	q->last_merge = rq;
}

static bool touches(const struct request *rq, const struct bio *bio)
{
	return elevator_mergeable(rq, bio) && (request_end(rq) == bio->start ||
					       rq->disk.start == bio_end(bio));
}

bool elevator_merge(struct queue *q, struct bio *bio)
{
	struct request *rq = q->last_merge;
	bool back;

	if (!rq || !touches(rq, bio))
		rq = q->elevator->find ? q->elevator->find(q, bio) : NULL;
	if (!rq || !merge_fits(q, rq, bio))
		return false;

	trace_emit(q->k->trace, TR_RQ_MERGE, q->disk->id, bio->start,
		   bio_end(bio) - bio->start, bio->write);
	back = request_end(rq) == bio->start;
	if (back) {
		rq->last->next = bio;
		rq->last = bio;
		q->stats.back_merges++;
	} else {
		BUG_ON(rq->disk.start != bio_end(bio));
		bio->next = rq->first;
		rq->first = bio;
		rq->disk.start = bio->start;
		q->stats.front_merges++;
	}
	rq->disk.sectors += bio->pages * SECTORS_PER_PAGE;
	merge_finish(q, rq, back);
	return true;
}

void elevator_insert(struct queue *q, struct request *rq)
{
	if (!q->last_merge)
		q->last_merge = rq;
	q->elevator->add(q, rq);
}

static void drop_hint(struct queue *q, const struct request *rq)
{
	if (q->last_merge == rq)
		q->last_merge = NULL;
}

void elevator_dispatch_last(struct queue *q, struct request *rq)
{
	drop_hint(q, rq);
	list_add_tail(&rq->link, &q->dispatch);
}

void elevator_dispatch(struct queue *q, struct request *rq)
{
	sector boundary = q->end_sector;
	struct list *pos;

	drop_hint(q, rq);
	/* from the back: where is the last one that goes before it? */
	for (pos = q->dispatch.prev; pos != &q->dispatch; pos = pos->prev) {
		struct request *other = container_of(pos, struct request, link);
		bool wrapped = other->disk.start < boundary;

		if (other->started)
			break;
		if (rq->disk.start >= boundary && wrapped)
			continue;
		if (rq->disk.start < boundary && !wrapped)
			break;
		if (rq->disk.start >= other->disk.start)
			break;
	}
	list_add(&rq->link, pos);
}

/* Sectors the head moves, going back weighted; false: it would wrap. */
static bool distance_to(const struct elevator_way *way, sector to,
			uint64_t *distance)
{
	if (to >= way->head) {
		*distance = to - way->head;
		return true;
	}
	*distance = (way->head - to) * way->back_penalty;
	return way->head - to <= way->back_max;
}

bool elevator_nearer(const struct elevator_way *way, sector a, sector b)
{
	uint64_t da, db;
	bool ahead_a = distance_to(way, a, &da);
	bool ahead_b = distance_to(way, b, &db);

	if (ahead_a != ahead_b)
		return ahead_a;
	if (!ahead_a)
		return a <= b;
	return da != db ? da < db : a >= b;
}

struct request *elevator_next(struct queue *q)
{
	if (list_empty(&q->dispatch) && !q->elevator->dispatch(q))
		return NULL;
	BUG_ON(list_empty(&q->dispatch));
	return list_first(&q->dispatch, struct request, link);
}

struct elevator_context *elevator_context_find(const struct queue *q)
{
	struct elevator_context *c = task_current(q->k)->io;

	while (c && c->q != q)
		c = c->next;
	return c;
}

struct elevator_context *elevator_context_get(struct queue *q)
{
	struct task *task = task_current(q->k);
	struct elevator_context *c = elevator_context_find(q);

	if (!c) {
		BUG_ON(task->flags & TF_EXITING);
		c = xcalloc(1, q->elevator->context_size);
		c->q = q;
		c->next = task->io;
		task->io = c;
		list_init(&c->all);
		list_add_tail(&c->all, &q->contexts);
		c->refs = 1; /* the task's */
	}
	c->refs++;
	return c;
}

void elevator_context_put(struct elevator_context *c)
{
	BUG_ON(c->refs == 0);
	if (--c->refs)
		return;
	BUG_ON(!c->exited);
	list_del(&c->all);
	free(c);
}

void elevator_contexts_free(struct queue *q)
{
	list_each_safe (pos, tmp, &q->contexts)
		free(container_of(pos, struct elevator_context, all));
	list_init(&q->contexts);
}

void block_task_exit(struct kernel *k, struct task *task)
{
	BUG_ON(task->k != k);
	while (task->io) {
		struct elevator_context *c = task->io;

		task->io = c->next;
		c->exited = true;
		if (c->q->elevator->task_exit)
			c->q->elevator->task_exit(c->q, c);
		elevator_context_put(c);
	}
}
