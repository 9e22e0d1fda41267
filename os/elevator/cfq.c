/*
 * Completely fair queueing: each process with reads gets slices of the disk's
 * time, and the disk idles for it between its requests.
 *
 * Models      block/cfq-iosched.c of 2.6.18, slices in jiffies as there.
 * Leaves out  real-time and idle classes and explicit I/O priorities (nobody
 *             sets any), hence pre-emption, which only idle-class queues
 *             suffer; priority boosts for holders of file system locks;
 *             allowances for requests that memory did not suffice for.
 *
 * One queue for each process' reads, one for all writes. The active queue is
 * served in rounds until its slice is over. When its last request completes
 * the disk idles for up to slice_idle: the next read of that process goes
 * off at once, and what follows meanwhile merges behind it. So an 8-page
 * cluster becomes a read of 1 and one of 7 pages.
 */
#include "os/elevator/cfq.h"

#include "os/elevator/cfq_private.h"
#include "os/jiffies.h"
#include "os/kernel.h"

#include <stdlib.h>

#define SEEKY_IDLE (2 * NSEC_PER_MSEC) /* cfq_arm_slice_timer */
#define TAGGED	   4 /* more in the driver: cfq_activate_request */
#define NORMAL	   4 /* priority of nice 0 */

#define OPTION(field) offsetof(struct cfq, field)

static const struct param cfq_params[] = {
	{ "quantum", PARAM_INT, OPTION(quantum), "4",
	  "requests dispatched in one round of service", 1, 1024, NULL },
	{ "fifo_expire_async", PARAM_TIME, OPTION(fifo_expire_async), "250ms",
	  "age at which a write goes first, once per slice", 0, 0, NULL },
	{ "fifo_expire_sync", PARAM_TIME, OPTION(fifo_expire_sync), "125ms",
	  "age at which a read goes first, once per slice", 0, 0, NULL },
	{ "back_seek_max", PARAM_SIZE, OPTION(back_seek_max), "16M",
	  "longest backward seek instead of a wrap", 0, 0, NULL },
	{ "back_seek_penalty", PARAM_INT, OPTION(back_seek_penalty), "2",
	  "cost of a backward seek to that of a forward one", 1, 1024, NULL },
	{ "slice_sync", PARAM_TIME, OPTION(slice_sync), "100ms",
	  "slice of a process of nice 0", 0, 0, NULL },
	{ "slice_async", PARAM_TIME, OPTION(slice_async), "40ms",
	  "slice of the writes", 0, 0, NULL },
	{ "slice_async_rq", PARAM_INT, OPTION(slice_async_rq), "2",
	  "requests in a slice of the writes: 8 times this at nice 0", 1, 1024,
	  NULL },
	{ "slice_idle", PARAM_TIME, OPTION(slice_idle), "8ms",
	  "longest idling for the active process; 0: none", 0, 0, NULL },
	{ 0 },
};

static int64_t ticks_of(const struct cfq *cfq, simtime span)
{
	return jiffies_some(cfq->q->k->config.hz, span);
}

static int64_t cfq_now(const struct cfq *cfq)
{
	return block_jiffies(cfq->q->k);
}

bool cfq_tagged(struct cfq *cfq)
{
	if (cfq->q->at_driver > TAGGED)
		cfq->tagged = true;
	return cfq->tagged;
}

/* Only if there is anything to serve. */
static void schedule_dispatch(struct cfq *cfq)
{
	if (cfq->busy_queues)
		queue_defer(cfq->q, WORK_RUN);
}

static void set_active_client(struct cfq *cfq, struct cfq_client *c)
{
	if (cfq->active_client)
		elevator_context_put(&cfq->active_client->context);
	if (c)
		c->context.refs++;
	cfq->active_client = c;
}

void cfq_expire(struct cfq *cfq, struct cfq_queue *cq)
{
	struct events *events = cfq->q->k->events;

	if (cq->wait_request)
		event_cancel(events, &cfq->idle_timer);
	if (!cq->dispatched) {
		cq->service_last = cfq_now(cfq);
		schedule_dispatch(cfq);
	}
	cq->must_dispatch = false;
	cq->wait_request = false;
	if (cq->on_rr)
		cfq_resort(cfq, cq);
	if (cq == cfq->active)
		cfq->active = NULL;
	set_active_client(cfq, NULL);
	cfq->slice_dispatched = 0;
}

static void expire_active(struct cfq *cfq)
{
	if (cfq->active)
		cfq_expire(cfq, cfq->active);
}

/*
 * The level whose turn it is, -1 if all are empty. Levels come up as 0; 0, 1;
 * 0, 1, 2; and so on: higher ones (lower numbers) have more rounds.
 */
static int find_level(struct cfq *cfq)
{
	bool wrapped = false;

	for (;;) {
		for (int level = cfq->level; level <= cfq->end_level; level++)
			if (!list_empty(&cfq->rr[level]))
				return level;
		cfq->level = 0;
		if (++cfq->end_level < CFQ_PRIORITIES)
			continue;
		cfq->end_level = 0;
		if (wrapped)
			return -1;
		wrapped = true;
	}
}

/* Start a round: one level's queues become the current ones. */
static bool next_round(struct cfq *cfq)
{
	int level = find_level(cfq);

	if (level < 0)
		return false;
	BUG_ON(!list_empty(&cfq->current));
	while (!list_empty(&cfq->rr[level])) {
		struct list *first = cfq->rr[level].next;

		list_del(first);
		list_add_tail(first, &cfq->current);
	}
	cfq->level = level + 1;
	if (cfq->level > cfq->end_level) {
		cfq->end_level = cfq->level;
		cfq->level = 0;
	}
	if (cfq->end_level == CFQ_PRIORITIES) {
		cfq->level = 0;
		cfq->end_level = 0;
	}
	return true;
}

/* Whose turn is it? Those with requests at the device come last. */
static struct cfq_queue *activate_next(struct cfq *cfq)
{
	struct list *from = NULL;
	struct cfq_queue *cq;

	if (!list_empty(&cfq->current) || next_round(cfq))
		from = &cfq->current;
	else if (!list_empty(&cfq->busy))
		from = &cfq->busy;

	cfq->active = NULL;
	if (!from)
		return NULL;
	cq = list_first(from, struct cfq_queue, link);
	cq->slice_end = 0;
	cq->must_alloc_slice = false;
	cq->fifo_expired = false;
	cfq->active = cq;
	return cq;
}

/* Let the disk idle for the active queue's process, if that is worth it. */
static bool arm_idle(struct cfq *cfq, struct cfq_queue *cq)
{
	const struct cfq_client *c = cfq->active_client;
	int64_t ticks = cfq->idle;

	BUG_ON(cq != cfq->active || cfq_queue_has(cq));
	if (!cfq->idle || !cq->idle_window)
		return false;
	if (!c || c->context.exited)
		return false;

	cq->must_dispatch = true;
	cq->wait_request = true;
	if (cfq_valid(c->seek_samples) && cfq_client_seeky(c)) {
		int64_t seeky = ticks_of(cfq, SEEKY_IDLE);

		ticks = seeky < ticks ? seeky : ticks;
	}
	block_timer(cfq->q->k, &cfq->idle_timer, ticks);
	return true;
}

/* The queue to serve now; NULL: none, or better to wait. */
static struct cfq_queue *select_queue(struct cfq *cfq)
{
	struct cfq_queue *cq = cfq->active;

	if (!cq)
		return activate_next(cfq);
	if (cq->must_dispatch || cfq_now(cfq) <= cq->slice_end) {
		if (cfq_queue_has(cq))
			return cq;
		if (cq->dispatched)
			return NULL;
		if (cq->sync && arm_idle(cfq, cq))
			return NULL;
	}
	expire_active(cfq);
	return activate_next(cfq);
}

/* The oldest, if it is too old; one look per slice. */
static struct cfq_request *check_fifo(const struct cfq *cfq,
				      struct cfq_queue *cq)
{
	struct request *rq;

	if (cq->fifo_expired || list_empty(&cq->fifo))
		return NULL;
	rq = list_first(&cq->fifo, struct request, link);
	if (cfq_now(cfq) <= rq->queued + cfq->fifo_expire[cq->sync])
		return NULL;
	cq->fifo_expired = true;
	return cfq_request_of(rq);
}

/* A slice of this queue, in ticks: a fifth more or less for each level. */
static int64_t slice_of(const struct cfq *cfq, const struct cfq_queue *cq)
{
	int64_t base = cfq->slice[cq->sync];

	return base + base / 5 * (NORMAL - cq->priority);
}

/* Requests that the writes may send in a slice. */
static int64_t slice_requests(const struct cfq *cfq, const struct cfq_queue *cq)
{
	int64_t base = cfq->slice_async_rq;

	return 2 * (base + base * (CFQ_PRIORITIES - 1 - cq->priority));
}

/* One round of service of the active queue. */
static void serve(struct cfq *cfq, struct cfq_queue *cq)
{
	int64_t left = cfq->quantum;

	BUG_ON(!cfq_queue_has(cq));
	do {
		struct cfq_request *r = check_fifo(cfq, cq);

		if (!r)
			r = cq->next;
		cfq_dispatch_one(cfq, r);
		cfq->slice_dispatched++;
		if (!cfq->active_client)
			set_active_client(cfq, cfq_client_of(&r->rq));
	} while (cfq_queue_has(cq) && --left > 0);

	if (!cq->slice_end)
		cq->slice_end = cfq_now(cfq) + slice_of(cfq, cq);
	if (!cq->idle_window ||
	    (!cq->sync && cfq->slice_dispatched >= slice_requests(cfq, cq)))
		expire_active(cfq);
}

static bool cfq_dispatch(struct queue *q)
{
	struct cfq *cfq = q->state;
	struct cfq_queue *cq, *last = NULL;
	bool any = false;

	if (!cfq->busy_queues)
		return false;
	while ((cq = select_queue(cfq)) && cq != last) {
		cq->must_dispatch = false;
		cq->wait_request = false;
		event_cancel(q->k->events, &cfq->idle_timer);
		serve(cfq, cq);
		any = true;
		if (cq->idle_window && cfq->active)
			break;
		last = cq;
	}
	return any;
}

/*
 * The disk idles for a process: its read goes off at once; a write of it
 * shows that it does something else, and ends the idling.
 */
static void cfq_add(struct queue *q, struct request *rq)
{
	struct cfq *cfq = q->state;
	struct cfq_request *r = cfq_request_of(rq);
	struct cfq_queue *cq = r->queue;

	cfq_request_add(cfq, r);
	if (!cq->sync) {
		if (cfq_client_of(rq) == cfq->active_client &&
		    event_cancel(q->k->events, &cfq->idle_timer)) {
			expire_active(cfq);
			queue_start(q);
		}
		return;
	}
	cfq_client_queued(cfq, r);
	if (cq == cfq->active && cq->wait_request) {
		cq->must_dispatch = true;
		event_cancel(q->k->events, &cfq->idle_timer);
		queue_start(q);
	}
}

static bool cfq_empty(const struct queue *q)
{
	const struct cfq *cfq = q->state;

	return cfq->busy_queues == 0;
}

static void cfq_completed(struct queue *q, struct request *rq)
{
	struct cfq *cfq = q->state;
	struct cfq_queue *cq = cfq_request_of(rq)->queue;
	int64_t now = cfq_now(cfq);

	cfq_tagged(cfq);
	BUG_ON(cq->dispatched == 0);
	cq->dispatched--;
	if (!cq->dispatched && cq->on_rr) {
		cq->service_last = now;
		cfq_resort(cfq, cq);
	}
	if (cq->sync)
		cfq_client_of(rq)->last_end_request = now;

	if (cq != cfq->active)
		return;
	if (now > cq->slice_end)
		expire_active(cfq);
	else if (cq->sync && !cfq_queue_has(cq) && !arm_idle(cfq, cq))
		schedule_dispatch(cfq);
}

/*
 * The process did not come back in time. While nobody else wants the disk
 * its turn goes on, and it must be asked once more before it ends.
 */
static void idle_timeout(void *arg)
{
	struct cfq *cfq = arg;
	struct cfq_queue *cq = cfq->active;

	if (cq && cfq_now(cfq) <= cq->slice_end) {
		if (!cfq->busy_queues)
			return;
		if (cfq_queue_has(cq)) {
			cq->must_dispatch = true;
			schedule_dispatch(cfq);
			return;
		}
	}
	expire_active(cfq);
	schedule_dispatch(cfq);
}

/* The process for which the disk idles may have one beyond the limit. */
static bool cfq_must(struct queue *q, const struct bio *bio)
{
	struct cfq_queue *cq = cfq_queue_find(q->state, bio);

	if (!cq || !cq->wait_request || cq->must_alloc_slice)
		return false;
	cq->must_alloc_slice = true;
	return true;
}

static void cfq_attach(struct queue *q, struct request *rq)
{
	struct cfq *cfq = q->state;
	struct cfq_client *c = cfq_client_of(rq);
	struct cfq_request *r = cfq_request_of(rq);
	bool sync = cfq_is_sync(rq->first);

	if (!c->known)
		cfq_client_init(c, cfq_now(cfq));
	if (!c->queue[sync])
		c->queue[sync] = cfq_queue_get(cfq, sync);
	list_init(&r->sorted);
	r->queue = c->queue[sync];
	r->queue->in_use++;
	r->queue->refs++;
}

static void cfq_detach(struct queue *q, struct request *rq)
{
	struct cfq_request *r = cfq_request_of(rq);

	BUG_ON(r->queue->in_use == 0 || r->hashed);
	r->queue->in_use--;
	cfq_queue_put(q->state, r->queue);
	r->queue = NULL;
}

/* Its writes may still be queued, by all in one queue. */
static void cfq_task_exit(struct queue *q, struct elevator_context *context)
{
	struct cfq_client *c =
		container_of(context, struct cfq_client, context);
	struct cfq *cfq = q->state;

	for (int sync = 0; sync < 2; sync++) {
		struct cfq_queue *cq = c->queue[sync];

		if (!cq)
			continue;
		c->queue[sync] = NULL;
		if (cq == cfq->active)
			cfq_expire(cfq, cq);
		cfq_queue_put(cfq, cq);
	}
}

static void cfq_init(struct queue *q)
{
	struct cfq *cfq = q->state;

	cfq->q = q;
	for (int i = 0; i < CFQ_PRIORITIES; i++)
		list_init(&cfq->rr[i]);
	list_init(&cfq->current);
	list_init(&cfq->busy);
	cfq->fifo_expire[false] = ticks_of(cfq, cfq->fifo_expire_async);
	cfq->fifo_expire[true] = ticks_of(cfq, cfq->fifo_expire_sync);
	cfq->slice[false] = ticks_of(cfq, cfq->slice_async);
	cfq->slice[true] = ticks_of(cfq, cfq->slice_sync);
	cfq->idle = ticks_of(cfq, cfq->slice_idle);
	event_init(&cfq->idle_timer, idle_timeout, cfq);
}

static void cfq_finish(struct queue *q)
{
	struct cfq *cfq = q->state;

	event_cancel(q->k->events, &cfq->idle_timer);
	while (cfq->all) {
		struct cfq_queue *next = cfq->all->next_all;

		free(cfq->all);
		cfq->all = next;
	}
}

const struct elevator_ops elevator_cfq = {
	.slot = { .name = "cfq",
		  .models = "Linux 2.6.18: complete fair queueing by process; "
			    "the default",
		  .size = sizeof(struct cfq),
		  .params = cfq_params },
	.request_size = sizeof(struct cfq_request),
	.context_size = sizeof(struct cfq_client),
	.init = cfq_init,
	.finish = cfq_finish,
	.add = cfq_add,
	.dispatch = cfq_dispatch,
	.empty = cfq_empty,
	.completed = cfq_completed,
	.task_exit = cfq_task_exit,
	.attach = cfq_attach,
	.detach = cfq_detach,
	.must = cfq_must,
	.find = cfq_find,
	.grown = cfq_grown,
	.absorbed = cfq_absorbed,
	.neighbour = cfq_neighbour,
};
