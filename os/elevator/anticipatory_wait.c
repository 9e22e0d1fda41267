/*
 * Anticipation: whether to wait for the next read of a process, and until
 * when.
 *
 * Models      as_can_anticipate, as_can_break_anticipation, as_antic_waitreq,
 *             as_antic_waitnext, as_antic_stop and as_antic_timeout of
 *             block/as-iosched.c, 2.6.18.
 * Leaves out  nothing.
 *
 * A process that has exited is waited for all the same: another one may go on
 * where it stopped, as the programs of a script do. Only when that failed
 * half of the time (exit_no_coop) nobody is.
 */
#include "os/elevator/anticipatory_private.h"
#include "os/kernel.h"

#define ONE  256
#define HALF 128

/* Has the wait lasted long enough, though the timer has not fired? */
static bool expired(const struct as *as)
{
	int64_t waited = as_now(as) - as->antic_start;

	return (waited < 0 ? -waited : waited) >= as->antic;
}

static void count_exit(struct as *as, const struct as_client *c)
{
	if (c->think_samples == 0)
		as->exit_prob = as_decayed(as->exit_prob, ONE);
}

/* r is somebody's who works in the same place. */
static bool cooperates(struct as *as, struct as_client *c,
		       const struct placed *r)
{
	if (!r || !r->kind || !as_near(as, c, r))
		return false;
	if (c->context.exited) {
		count_exit(as, c);
		as->exit_no_coop = as_decayed(as->exit_no_coop, 0);
	}
	as_client_history(as, c, r);
	return true;
}

/* Nobody will come, as far as we know the process, or all new ones. */
static bool hopeless(struct as *as, const struct as_client *c)
{
	if (c->context.exited) {
		count_exit(as, c);
		if (as->exit_no_coop > HALF)
			return true;
	}
	if (c->think_samples == 0)
		return as->new_think_mean > (uint64_t)as->antic ||
		       as->exit_prob > HALF;
	return c->think_mean > (uint64_t)as->antic;
}

/* Is r, or any state of things, a reason to wait no longer? */
static bool can_break(struct as *as, const struct placed *r)
{
	struct as_client *c = as->client;

	BUG_ON(!c);
	if (r && as_client_of(&r->rq) == c)
		return true;
	if (as->client_finished && expired(as))
		return true;
	if (c->queued || c->dispatched)
		return true;
	return cooperates(as, c, r) || hopeless(as, c);
}

bool as_can_anticipate(struct as *as, const struct placed *r)
{
	return as->client && as->status != ANTIC_FINISHED && !can_break(as, r);
}

static void wait_next(struct as *as)
{
	BUG_ON(as->status != ANTIC_OFF && as->status != ANTIC_WAIT_REQ);
	block_timer(as->q->k, &as->timer,
		    as->antic_start + as->antic - as_now(as));
	as->status = ANTIC_WAIT_NEXT;
}

void as_wait(struct as *as)
{
	BUG_ON(as->status != ANTIC_OFF);
	if (as->client_finished)
		wait_next(as);
	else
		as->status = ANTIC_WAIT_REQ;
}

void as_stop(struct as *as)
{
	if (!as_waiting(as))
		return;
	event_cancel(as->q->k->events, &as->timer);
	as->status = ANTIC_FINISHED;
	queue_defer(as->q, WORK_KICK);
}

void as_consider(struct as *as, const struct placed *r)
{
	if (as_waiting(as) && can_break(as, r))
		as_stop(as);
}

void as_client_done(struct as *as)
{
	as->antic_start = as_now(as);
	as->client_finished = true;
	if (as->status == ANTIC_WAIT_REQ)
		wait_next(as);
}

void as_timeout(void *arg)
{
	struct as *as = arg;

	BUG_ON(as->status != ANTIC_WAIT_NEXT);
	as->status = ANTIC_FINISHED;
	queue_defer(as->q, WORK_KICK);
	count_exit(as, as->client);
	if (as->client->context.exited)
		as->exit_no_coop = as_decayed(as->exit_no_coop, ONE);
}
