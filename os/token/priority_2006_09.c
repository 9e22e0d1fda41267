/*
 * The swap token, taken by whoever faults most.
 *
 * Models      "Swap token re-tuned", linux-kernel, 28..30 September 2006,
 *             its second patch: a process whose major faults follow each
 *             other closely climbs (os/token/climb.h); whoever stands above
 *             the holder gets the token.
 * Leaves out  the try-lock: one simulated CPU at a time gets here.
 * Seen in     scenarios/swap-token-2006/, variant retuned
 *
 * There is no time in it: a holder that sleeps keeps the token until it exits
 * or reclaim is desperate. fork copies both fields, exec starts from zero.
 */
#include "os/token/climb.h"
#include "os/token/policies.h"

struct priority {
	struct climb climb;
};

static const struct param params[] = {
	CLIMB_PARAMS(offsetof(struct priority, climb)),
	{ 0 },
};

static void priority_init(struct kernel *k, void *state)
{
	const struct priority *p = state;

	k->token.in_fault = p->climb.in_fault;
}

static void priority_grab(struct kernel *k, void *state, struct mm *mm)
{
	struct priority *p = state;

	if (climb_ask(k, &p->climb, mm) &&
	    mm->token.priority > k->token.holder->token.priority)
		token_pass(k, mm, TOKEN_PRIORITY);
}

const struct token_ops token_priority_2006_09 = {
	.slot = {
		.name = "priority-2006-09",
		.models = "linux-kernel, September 2006, Swap token re-tuned",
		.size = sizeof(struct priority),
		.params = params,
	},
	.init = priority_init,
	.grab = priority_grab,
	.put = climb_put,
};
