/*
 * Which command next: first come first served, nearest cylinder (SSTF), or
 * least positioning time (SPTF) with optional ageing, as surveyed in the
 * classic simulations (Worthington, Ganger and Patt, 1994).
 *
 * The drive chooses among what it has at this moment: on a completion that is
 * before the host's reaction to it, so of a depth of Q it sees Q-1.
 *
 * Leaves out: scan orders, which this era left to the kernel's elevators.
 */
#include "disk/ide_drive.h"

#include "emu/bug.h"

static int64_t order_distance(const struct ide *ide, const struct position *p)
{
	return p->cylinder > ide->mech.cylinder
		       ? (int64_t)p->cylinder - ide->mech.cylinder
		       : (int64_t)ide->mech.cylinder - p->cylinder;
}

/* A command's overhead ends when, if it is chosen now? */
static simtime order_ready(const struct ide *ide, const struct ide_command *c,
			   simtime now)
{
	if (ide->spec.overhead_mode == OVERHEAD_SERIAL)
		return now + ide->spec.overhead;
	return ide_later(now, c->rq->arrived + ide->spec.overhead);
}

static int64_t order_position(const struct ide *ide,
			      const struct ide_command *c, simtime now)
{
	simtime ready = order_ready(ide, c, now);
	simtime cost = ready - now;
	simtime age = now - c->rq->arrived, limit = ide->spec.ageing;

	cost += mech_position_time(&ide->mech, &c->where, c->rq->write, ready);
	if (limit == 0)
		return cost;
	/* whole microseconds keep the product small for any age limit */
	if (age >= limit)
		return 0;
	return cost * ((limit - age) / NSEC_PER_USEC) / (limit / NSEC_PER_USEC);
}

static int64_t order_cost(struct ide *ide, const struct ide_command *c,
			  simtime now)
{
	if (c->rq->write ? ide->write_cache : ide_in_buffer(ide, c->rq))
		return 0;
	if (ide->spec.order == ORDER_SSTF)
		return order_distance(ide, &c->where);
	return order_position(ide, c, now);
}

int ide_pick(struct ide *ide)
{
	simtime now = ide->disk.events->now;
	int64_t least = INT64_MAX;
	int best = -1;

	for (unsigned i = 0; i < ide->queued; i++) {
		const struct ide_command *c = &ide->queue[i];
		int64_t cost;

		if (c->lost || c->rq->arrived > now)
			continue;
		/* FLUSH CACHE: not overtaken, and overtakes nothing */
		if (ide->spec.order == ORDER_FCFS || c->rq->sectors == 0)
			return best < 0 ? (int)i : best;
		cost = order_cost(ide, c, now);
		if (cost < least) {
			least = cost;
			best = (int)i;
		}
	}
	return best;
}
