/*
 * One way across the disk, in batches of one direction, with a deadline for
 * each request.
 *
 * Models      block/deadline-iosched.c of 2.6.18.
 * Leaves out  nothing.
 *
 * A batch is what follows without a gap, up to fifo_batch requests. At its
 * end reads have the choice, unless writes were passed over writes_starved
 * times; and a request whose time is over goes first. A batch that ended goes
 * on upwards if nothing is against it, but counts as ended from then on, so
 * the choice is made anew for each request.
 */
#include "os/elevator/deadline.h"

#include "os/jiffies.h"
#include "os/kernel.h"
#include "os/places.h"

struct deadline {
	struct places places; /* first; kinds are [write] */

	/* options, as in /sys/block/X/queue/iosched */
	simtime read_expire, write_expire;
	int64_t writes_starved, fifo_batch;
	bool front_merges;

	int64_t expire[2];	/* the spans in jiffies, [write] */
	struct placed *next[2]; /* in sector order after the last, [write] */
	sector last_end;	/* of the one that was dispatched last */
	int64_t batching;	/* requests in this batch */
	int64_t starved;	/* times that writes were passed over */
};

#define OPTION(field) offsetof(struct deadline, field)

static const struct param deadline_params[] = {
	{ "read_expire", PARAM_TIME, OPTION(read_expire), "500ms",
	  "age at which a read goes first", 0, 0, NULL },
	{ "write_expire", PARAM_TIME, OPTION(write_expire), "5s",
	  "age at which a write goes before other writes", 0, 0, NULL },
	{ "writes_starved", PARAM_INT, OPTION(writes_starved), "2",
	  "how often reads may go before writes that wait", 0, 65536, NULL },
	{ "fifo_batch", PARAM_INT, OPTION(fifo_batch), "16",
	  "requests without a gap between two looks at the deadlines", 0, 65536,
	  NULL },
	{ "front_merges", PARAM_BOOL, OPTION(front_merges), "yes",
	  "look for a request that begins where a bio ends", 0, 0, NULL },
	{ 0 },
};

static int64_t now(const struct queue *q)
{
	return block_jiffies(q->k);
}

/* To the end of the dispatch list, in the order of the decisions. */
static void move(struct queue *q, struct placed *r)
{
	struct deadline *d = q->state;

	d->next[!r->kind] = NULL;
	d->next[r->kind] = places_after(&d->places, r);
	d->last_end = request_end(&r->rq);
	places_remove(&d->places, r);
	elevator_dispatch_last(q, &r->rq);
}

/* One at the very same place is not worth waiting for: it goes at once. */
static void sort_in(struct queue *q, struct placed *r)
{
	struct deadline *d = q->state;
	struct placed *alias;

	while ((alias = places_sort_in(&d->places, r)))
		move(q, alias);
}

static void deadline_add(struct queue *q, struct request *rq)
{
	struct deadline *d = q->state;
	struct placed *r = placed_of(rq);

	r->kind = rq->disk.write;
	sort_in(q, r);
	places_enter(&d->places, r, now(q) + d->expire[r->kind]);
}

/* The batch goes on; NULL: it is over, or was. */
static struct placed *go_on(struct deadline *d)
{
	struct placed *r = d->next[true] ? d->next[true] : d->next[false];

	if (!r)
		return NULL;
	if (d->last_end != r->rq.disk.start)
		d->batching += d->fifo_batch;
	return d->batching < d->fifo_batch ? r : NULL;
}

/* Whose turn is it? There is something to do. */
static bool choose_write(struct deadline *d)
{
	bool writes = places_has(&d->places, true);

	if (places_has(&d->places, false) &&
	    !(writes && d->starved++ >= d->writes_starved))
		return false;
	d->starved = 0;
	return true;
}

/* Too old, else next upwards, else the lowest. */
static struct placed *choose(struct queue *q, bool write)
{
	struct deadline *d = q->state;
	struct placed *oldest = places_oldest(&d->places, write);

	if (now(q) > oldest->expires) {
		d->batching = 0;
		return oldest;
	}
	if (d->next[write])
		return d->next[write];
	d->batching = 0;
	return places_first(&d->places, write);
}

static bool deadline_dispatch(struct queue *q)
{
	struct deadline *d = q->state;
	struct placed *r = go_on(d);

	if (!r) {
		if (places_empty(q))
			return false;
		r = choose(q, choose_write(d));
	}
	d->batching++;
	move(q, r);
	return true;
}

static void deadline_attach(struct queue *q, struct request *rq)
{
	(void)q;
	list_init(&placed_of(rq)->sorted);
}

static struct request *deadline_find(struct queue *q, const struct bio *bio)
{
	struct deadline *d = q->state;
	struct request *rq = places_find_back(&d->places, bio);

	if (!rq && d->front_merges)
		rq = places_find_front(&d->places, bio, bio->write);
	return rq;
}

/* One that would be next and grew at its front is passed over, as there. */
static void deadline_grown(struct queue *q, struct request *rq)
{
	struct deadline *d = q->state;
	struct placed *r = placed_of(rq);

	places_rehash(&d->places, r);
	if (r->key == rq->disk.start)
		return;
	if (d->next[r->kind] == r)
		d->next[r->kind] = places_after(&d->places, r);
	sort_in(q, r);
}

static void deadline_absorbed(struct queue *q, struct request *rq,
			      struct request *gone)
{
	struct deadline *d = q->state;
	struct placed *g = placed_of(gone);

	deadline_grown(q, rq);
	places_inherit(placed_of(rq), g);
	if (d->next[g->kind] == g)
		d->next[g->kind] = places_after(&d->places, g);
	places_remove(&d->places, g);
}

static void deadline_init(struct queue *q)
{
	struct deadline *d = q->state;
	unsigned hz = q->k->config.hz;

	places_init(&d->places);
	d->expire[false] = jiffies_some(hz, d->read_expire);
	d->expire[true] = jiffies_some(hz, d->write_expire);
}

const struct elevator_ops elevator_deadline = {
	.slot = { .name = "deadline",
		  .models = "Linux 2.6.18: in order of place, but nobody waits "
			    "for long",
		  .size = sizeof(struct deadline),
		  .params = deadline_params },
	.request_size = sizeof(struct placed),
	.init = deadline_init,
	.add = deadline_add,
	.dispatch = deadline_dispatch,
	.empty = places_empty,
	.attach = deadline_attach,
	.find = deadline_find,
	.grown = deadline_grown,
	.absorbed = deadline_absorbed,
	.neighbour = places_neighbour,
};
