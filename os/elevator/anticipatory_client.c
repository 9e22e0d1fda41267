/*
 * What the anticipatory elevator learns of a process: how long it thinks, and
 * how far it jumps.
 *
 * Models      as_update_iohist, as_update_thinktime, as_update_seekdist and
 *             as_close_req of block/as-iosched.c, 2.6.18.
 * Leaves out  one history for all disks: here each queue has its own.
 *
 * The rounding is that kernel's. It makes the first means too large: with 32
 * samples of 0 ticks the mean is 4, with 60 it is 2, with 84 it is 1. At
 * 250 Hz, where the wait is one tick, a process must have thought three times
 * before it is waited for.
 */
#include "os/elevator/anticipatory_private.h"
#include "os/jiffies.h"
#include "os/kernel.h"

#define ONE	  256
#define THINK_MAX (20 * NSEC_PER_MSEC) /* MAX_THINKTIME, HZ/50 */
#define NEAR	  8192ULL	       /* sectors ahead */
#define PATIENCE  20		       /* ms, then anything is near */

static uint64_t distance(sector a, sector b)
{
	return a < b ? b - a : a - b;
}

static void update_think(struct as *as, struct as_client *c, uint64_t think)
{
	if (c->think_samples == 0) {
		as->new_think_total =
			as_decayed(as->new_think_total, ONE * think);
		as->new_think_mean = as->new_think_total / ONE;
		as->exit_prob = as_decayed(as->exit_prob, 0);
	}
	c->think_samples = as_decayed(c->think_samples, ONE);
	c->think_total = as_decayed(c->think_total, ONE * think);
	c->think_mean = (c->think_total + ONE / 2) / c->think_samples;
}

/* An odd jump (a page-in among others) must not count for too much. */
static void update_seek(struct as *as, struct as_client *c, uint64_t jump)
{
	uint64_t slack = c->seek_samples <= 60 ? 2048 * 1024ULL : 2048 * 64ULL;

	if (c->seek_samples == 0) {
		as->new_seek_total = as_decayed(as->new_seek_total, ONE * jump);
		as->new_seek_mean = as->new_seek_total / ONE;
	}
	if (jump > c->seek_mean * 4 + slack)
		jump = c->seek_mean * 4 + slack;
	c->seek_samples = as_decayed(c->seek_samples, ONE);
	c->seek_total = as_decayed(c->seek_total, ONE * jump);
	c->seek_mean = (c->seek_total + c->seek_samples / 2) / c->seek_samples;
}

/* Only what is submitted with nothing under way tells of thinking. */
static uint64_t think_time(const struct as *as, const struct as_client *c)
{
	int64_t most = jiffies_in(as->q->k->config.hz, THINK_MAX) - 1;
	int64_t think = as_now(as) - c->last_end_request;

	if (!c->answered || c->queued || c->dispatched)
		return 0;
	return (uint64_t)(think < most ? think : most);
}

void as_client_history(struct as *as, struct as_client *c,
		       const struct placed *r)
{
	if (!r->kind)
		return;
	if (c->asked || c->answered) {
		update_think(as, c, think_time(as, c));
		update_seek(as, c,
			    distance(c->last_position, r->rq.disk.start));
	}
	c->last_position = request_end(&r->rq);
	c->asked = true;
}

void as_client_answered(const struct as *as, struct as_client *c, bool sync)
{
	if (!sync)
		return;
	c->answered = true;
	c->last_end_request = as_now(as);
}

/*
 * The longer the wait, the further away will do. That kernel compares the
 * milliseconds waited with antic_expire in ticks: at 250 Hz, one tick, all is
 * near after the first tick.
 */
bool as_near(const struct as *as, const struct as_client *c,
	     const struct placed *r)
{
	sector last = as->last_end[as->sync_batch], to = r->rq.disk.start;
	uint64_t ahead = NEAR;
	int64_t ms = 0;

	if (as->status != ANTIC_OFF && as->client_finished)
		ms = (as_now(as) - as->antic_start) * 1000 /
		     as->q->k->config.hz;
	if (ms > PATIENCE || ms > as->antic)
		return true;
	ahead <<= ms;
	if (last <= to + ahead / 2 && to <= last + ahead)
		return true;
	if (c->seek_samples == 0)
		return as->new_seek_mean > distance(last, to);
	return c->seek_mean > distance(last, to);
}
