/*
 * The anticipatory elevator: batches of reads and of writes; after a read the
 * disk may stay idle for the next one of the same process.
 *
 * Models      block/as-iosched.c of 2.6.18.
 * Leaves out  nothing but what the other two files say.
 *
 * Reads have the disk for half a second, then writes for an eighth, while
 * there are both. The device may not know of time (it may have a cache), so a
 * batch of writes is a number of requests as well, tuned after each by what
 * it took until a read came through again.
 */
#include "os/elevator/anticipatory.h"

#include "os/elevator/anticipatory_private.h"
#include "os/jiffies.h"
#include "os/kernel.h"

#define BACK_MAX     (1 << 20) /* sectors: MAXBACK */
#define BACK_PENALTY 2	       /* BACK_PENALTY */

#define OPTION(field) offsetof(struct as, field)

static const struct param as_params[] = {
	{ "read_expire", PARAM_TIME, OPTION(read_expire), "125ms",
	  "age at which a read goes first; looked at as often", 0, 0, NULL },
	{ "write_expire", PARAM_TIME, OPTION(write_expire), "250ms",
	  "age at which a write goes before other writes", 0, 0, NULL },
	{ "read_batch_expire", PARAM_TIME, OPTION(read_batch_expire), "500ms",
	  "reads in a row while there are writes", 0, 0, NULL },
	{ "write_batch_expire", PARAM_TIME, OPTION(write_batch_expire), "125ms",
	  "writes in a row while there are reads", 0, 0, NULL },
	{ "antic_expire", PARAM_TIME, OPTION(antic_expire), "6667us",
	  "longest wait for the next read of a process; 0: none", 0, 0, NULL },
	{ 0 },
};

/* The better one to go on with. Either may be NULL; both are of one kind. */
static struct placed *choose(const struct as *as, struct placed *a,
			     struct placed *b)
{
	struct elevator_way way = { .back_max = BACK_MAX,
				    .back_penalty = BACK_PENALTY };

	if (!a || a == b)
		return b;
	if (!b)
		return a;
	BUG_ON(a->kind != b->kind);
	way.head = as->last_end[a->kind];
	return elevator_nearer(&way, a->rq.disk.start, b->rq.disk.start) ? a
									 : b;
}

/* Who is next when r is gone: its neighbours, or around to the first. */
static struct placed *find_next(const struct as *as, const struct placed *r)
{
	struct placed *after = places_after(&as->places, r);
	struct placed *before = places_before(&as->places, r);

	if (!after)
		after = places_first(&as->places, r->kind);
	if (after == r)
		after = NULL;
	return choose(as, after, before);
}

static void set_client(struct as *as, struct as_client *c)
{
	if (c)
		c->context.refs++;
	if (as->client)
		elevator_context_put(&as->client->context);
	as->client = c;
}

/* One that leaves the elevator's hands, for the device or into another. */
static void forget(struct as *as, struct placed *r)
{
	struct as_client *c = as_client_of(&r->rq);

	BUG_ON(c->queued == 0);
	c->queued--;
	if (as->next[r->kind] == r)
		as->next[r->kind] = find_next(as, r);
	places_remove(&as->places, r);
}

static void move(struct as *as, struct placed *r)
{
	struct as_client *c = as_client_of(&r->rq);

	as_stop(as);
	as->status = ANTIC_OFF;
	as->last_end[r->kind] = request_end(&r->rq);
	if (!r->kind && as->writes_left)
		as->writes_left--;
	set_client(as, r->kind ? c : NULL);
	as->client_finished = false;
	as->next[r->kind] = find_next(as, r);

	forget(as, r);
	elevator_dispatch(as->q, &r->rq);
	c->dispatched++;
	as->dispatched++;
}

/* Time for a look at the oldest, and is it too old? */
static bool fifo_expired(struct as *as, bool sync)
{
	int64_t now = as_now(as), since = now - as->last_check[sync];
	const struct placed *oldest = places_oldest(&as->places, sync);

	if ((since < 0 ? -since : since) < as->fifo_expire[sync])
		return false;
	as->last_check[sync] = now;
	return oldest && now > oldest->expires;
}

/* A new batch of reads lasts until its first one is done, at least. */
static bool batch_over(const struct as *as)
{
	if (as->changed_batch || as->new_batch)
		return false;
	return as_now(as) > as->batch_end ||
	       (!as->sync_batch && as->writes_left == 0);
}

/*
 * Is the number of writes in a batch right? Measured from its beginning to
 * the end of the first read after it; if writes ran out, too little was asked
 * for to tell.
 */
static void tune_write_batch(struct as *as)
{
	int64_t batch = as->batch_expire[false];
	int64_t took = as_now(as) - as->batch_end + batch;

	if (took < 0)
		took = 0;
	if (took > batch && !as->write_idled) {
		if (took > batch * 3)
			as->write_batch /= 2;
		else
			as->write_batch--;
	} else if (took < batch && as->writes_left == 0) {
		if (batch > took * 3)
			as->write_batch *= 2;
		else
			as->write_batch++;
	}
	if (as->write_batch < 1)
		as->write_batch = 1;
}

/* The batch before is done, at the device too. */
static void begin_batch(struct as *as)
{
	as->changed_batch = false;
	if (as->sync_batch)
		as->new_batch = true; /* timed from its first completion */
	else
		as->batch_end = as_now(as) + as->batch_expire[false];
}

static struct placed *begin_reads(struct as *as)
{
	if (!as->sync_batch) {
		BUG_ON(as->new_batch);
		as->changed_batch = true;
	}
	as->sync_batch = true;
	as->last_check[true] = as_now(as);
	return places_oldest(&as->places, true);
}

static struct placed *begin_writes(struct as *as)
{
	if (as->sync_batch) {
		as->changed_batch = true;
		as->new_batch = false;
	}
	as->sync_batch = false;
	as->writes_left = as->write_batch;
	as->write_idled = false;
	return as->next[false];
}

/* What goes on with this batch; NULL: nothing, or better *wait. */
static struct placed *go_on(struct as *as, bool reads, bool writes, bool *wait)
{
	struct placed *r = as->next[as->sync_batch];

	if (reads && writes && batch_over(as))
		return NULL;
	if (as->sync_batch && as->antic) {
		if (fifo_expired(as, true))
			return places_oldest(&as->places, true);
		if (as_can_anticipate(as, r)) {
			*wait = true;
			return NULL;
		}
	}
	if (r && reads && !writes)
		as->batch_end = as_now(as) + as->batch_expire[true];
	return r;
}

/* The next one to go; NULL: nothing now. */
static struct placed *choose_next(struct as *as, bool reads, bool writes)
{
	bool wait = false;
	struct placed *r = go_on(as, reads, writes, &wait);

	if (wait) {
		as_wait(as);
		return NULL;
	}
	if (!r)
		r = reads && !(writes && as->sync_batch) ? begin_reads(as)
							 : begin_writes(as);
	if (fifo_expired(as, as->sync_batch))
		r = places_oldest(&as->places, as->sync_batch);
	if (!as->changed_batch)
		return r;
	BUG_ON(as->new_batch);
	if (as->dispatched)
		return NULL; /* as_completed begins it */
	begin_batch(as);
	return r;
}

static bool as_dispatch(struct queue *q)
{
	struct as *as = q->state;
	bool reads = places_has(&as->places, true);
	bool writes = places_has(&as->places, false);
	struct placed *r;

	/* nobody was in the way of these writes: they can not be timed */
	if (!as->sync_batch && !reads && (as->writes_left == 0 || !writes))
		as->write_idled = true;
	if (!(reads || writes) || as_waiting(as) || as->changed_batch)
		return false;
	r = choose_next(as, reads, writes);
	if (r)
		move(as, r);
	return r;
}

/* One at the very same place is not worth waiting for: it goes at once. */
static void sort_in(struct as *as, struct placed *r)
{
	struct placed *alias;

	while ((alias = places_sort_in(&as->places, r)))
		move(as, alias);
}

static void as_add(struct queue *q, struct request *rq)
{
	struct as *as = q->state;
	struct placed *r = placed_of(rq);
	struct as_client *c = as_client_of(rq);

	as_client_history(as, c, r);
	c->queued++;
	sort_in(as, r);
	places_enter(&as->places, r, as_now(as) + as->fifo_expire[r->kind]);
	as->next[r->kind] = choose(as, r, as->next[r->kind]);
	as_consider(as, r);
}

static void as_started(struct queue *q, struct request *rq)
{
	struct as_client *c = as_client_of(rq);

	(void)q;
	BUG_ON(c->dispatched == 0);
	c->dispatched--;
}

static void as_completed(struct queue *q, struct request *rq)
{
	struct as *as = q->state;
	bool sync = placed_of(rq)->kind;

	BUG_ON(as->dispatched == 0);
	as->dispatched--;
	if (as->changed_batch && as->dispatched == 0) {
		begin_batch(as);
		queue_defer(q, WORK_KICK);
	}
	if (as->new_batch && as->sync_batch == sync) {
		tune_write_batch(as);
		as->batch_end = as_now(as) + as->batch_expire[true];
		as->new_batch = false;
	}
	if (as->client == as_client_of(rq))
		as_client_done(as);
	as_client_answered(as, as_client_of(rq), sync);
}

/* A process that is waited for may have one beyond the limit. */
static bool as_must(struct queue *q, const struct bio *bio)
{
	const struct as *as = q->state;

	(void)bio;
	return as_waiting(as) &&
	       elevator_context_find(q) == &as->client->context;
}

static void as_attach(struct queue *q, struct request *rq)
{
	struct placed *r = placed_of(rq);

	(void)q;
	list_init(&r->sorted);
	r->kind = !rq->disk.write || rq->first->sync;
}

static struct request *as_find(struct queue *q, const struct bio *bio)
{
	struct as *as = q->state;
	struct request *rq = places_find_back(&as->places, bio);

	return rq ? rq
		  : places_find_front(&as->places, bio,
				      !bio->write || bio->sync);
}

/* What is next is not thought over, though rq may lie behind the head now. */
static void as_grown(struct queue *q, struct request *rq)
{
	struct as *as = q->state;
	struct placed *r = placed_of(rq);

	places_rehash(&as->places, r);
	if (r->key != rq->disk.start)
		sort_in(as, r);
}

/* With the earlier deadline rq takes over whose request it is. */
static void as_absorbed(struct queue *q, struct request *rq,
			struct request *gone)
{
	struct as *as = q->state;

	as_grown(q, rq);
	if (places_inherit(placed_of(rq), placed_of(gone))) {
		struct elevator_context *context = rq->context;

		rq->context = gone->context;
		gone->context = context;
	}
	forget(as, placed_of(gone));
	as_client_answered(as, as_client_of(gone), placed_of(gone)->kind);
}

static void as_init(struct queue *q)
{
	struct as *as = q->state;
	unsigned hz = q->k->config.hz;

	as->q = q;
	places_init(&as->places);
	as->fifo_expire[true] = jiffies_some(hz, as->read_expire);
	as->fifo_expire[false] = jiffies_some(hz, as->write_expire);
	as->batch_expire[true] = jiffies_some(hz, as->read_batch_expire);
	as->batch_expire[false] = jiffies_some(hz, as->write_batch_expire);
	as->antic = jiffies_some(hz, as->antic_expire);
	as->batch_end = as_now(as) + as->batch_expire[true];
	as->write_batch = as->batch_expire[false] / 10;
	if (as->write_batch < 2)
		as->write_batch = 2;
	event_init(&as->timer, as_timeout, as);
}

static void as_finish(struct queue *q)
{
	struct as *as = q->state;

	event_cancel(q->k->events, &as->timer);
}

const struct elevator_ops elevator_anticipatory = {
	.slot = { .name = "anticipatory",
		  .models = "Linux 2.6.18: deadline that waits for the next "
			    "read of a process",
		  .size = sizeof(struct as),
		  .params = as_params },
	.request_size = sizeof(struct placed),
	.context_size = sizeof(struct as_client),
	.init = as_init,
	.finish = as_finish,
	.add = as_add,
	.dispatch = as_dispatch,
	.empty = places_empty,
	.started = as_started,
	.completed = as_completed,
	.attach = as_attach,
	.must = as_must,
	.find = as_find,
	.grown = as_grown,
	.absorbed = as_absorbed,
	.neighbour = places_neighbour,
};
