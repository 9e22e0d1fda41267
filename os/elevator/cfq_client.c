/*
 * What CFQ learns of a process: how long it thinks, and how far it jumps.
 *
 * Models      cfq_update_io_thinktime, cfq_update_io_seektime and
 *             cfq_update_idle_window of block/cfq-iosched.c, 2.6.18.
 * Leaves out  nothing.
 *
 * Sums decay by an eighth with each sample, which counts 256; so the samples
 * creep up to 256, and a mean is a sum divided by them. Time is in jiffies,
 * as coarse as in that kernel: a process that comes back within the same
 * tick thinks for 0.
 */
#include "os/elevator/cfq_private.h"

#define ONE	      256
#define SEEKY_SECTORS (128 * 1024ULL) /* CIC_SEEKY */

static uint64_t decayed(uint64_t sum, uint64_t sample)
{
	return (7 * sum + sample) / 8;
}

void cfq_client_init(struct cfq_client *c, int64_t now)
{
	c->last_end_request = now;
	c->known = true;
}

bool cfq_client_seeky(const struct cfq_client *c)
{
	return c->seek_mean > SEEKY_SECTORS;
}

/* From the end of its last request; long pauses count as two idle spans. */
static void update_think(struct cfq_client *c, int64_t now, int64_t idle)
{
	int64_t think = now - c->last_end_request;

	if (think > 2 * idle)
		think = 2 * idle;
	c->think_samples = decayed(c->think_samples, ONE);
	c->think_total = decayed(c->think_total, ONE * (uint64_t)think);
	c->think_mean = (c->think_total + ONE / 2) / c->think_samples;
}

/* An odd jump (a page-in among others) must not count for too much. */
static void update_seek(struct cfq_client *c, const struct request *rq)
{
	sector from = c->last_position, to = rq->disk.start;
	uint64_t distance = from < to ? to - from : from - to;
	uint64_t slack = c->seek_samples <= 60 ? 2048 * 1024ULL : 2048 * 64ULL;

	if (distance > c->seek_mean * 4 + slack)
		distance = c->seek_mean * 4 + slack;
	c->seek_samples = decayed(c->seek_samples, ONE);
	c->seek_total = decayed(c->seek_total, ONE * distance);
	c->seek_mean = (c->seek_total + c->seek_samples / 2) / c->seek_samples;
}

/* Without enough samples, what was believed of the queue stays. */
static void update_idle_window(struct cfq *cfq, struct cfq_queue *cq,
			       const struct cfq_client *c)
{
	if (c->context.exited || !cfq->idle ||
	    (cfq_tagged(cfq) && cfq_client_seeky(c)))
		cq->idle_window = false;
	else if (cfq_valid(c->think_samples))
		cq->idle_window = c->think_mean <= (uint64_t)cfq->idle;
}

void cfq_client_queued(struct cfq *cfq, struct cfq_request *r)
{
	struct cfq_client *c = cfq_client_of(&r->rq);

	update_think(c, r->rq.queued, cfq->idle);
	update_seek(c, &r->rq);
	update_idle_window(cfq, r->queue, c);
	c->last_position = request_end(&r->rq);
}
