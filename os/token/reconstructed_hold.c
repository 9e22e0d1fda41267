/*
 * A reconstruction: the token of September 2006, kept for a while.
 *
 * Models      one of the variants tried on a test box in answer to "Swap token
 *             re-tuned", linux-kernel, September 2006. They are lost; that
 *             they replaced its second patch because the token bounced is
 *             known. This one is a guess at the plainest cure: nobody is
 *             pre-empted in the first seconds of a tenure.
 * Leaves out  the try-lock, and ticks: the hold is measured to the ns.
 * Seen in     scenarios/swap-token-2006/
 */
#include "os/token/climb.h"
#include "os/token/policies.h"

struct hold {
	struct climb climb;
	simtime hold;
};

static const struct param params[] = {
	CLIMB_PARAMS(offsetof(struct hold, climb)),
	{ "hold", PARAM_TIME, offsetof(struct hold, hold), "2s",
	  "nobody is pre-empted before having held it this long", 0, 0, NULL },
	{ 0 },
};

static void hold_init(struct kernel *k, void *state)
{
	const struct hold *h = state;

	k->token.in_fault = h->climb.in_fault;
}

static void hold_grab(struct kernel *k, void *state, struct mm *mm)
{
	struct hold *h = state;
	const struct token *t = &k->token;

	if (climb_ask(k, &h->climb, mm) &&
	    mm->token.priority > t->holder->token.priority &&
	    kernel_now(k) - t->granted >= h->hold)
		token_pass(k, mm, TOKEN_PRIORITY);
}

const struct token_ops token_reconstructed_hold = {
	.slot = {
		.name = "reconstructed-hold",
		.models = "September 2006, a lost variant: priority-2006-09 "
			  "with a minimum hold",
		.reconstruction = true,
		.size = sizeof(struct hold),
		.params = params,
	},
	.init = hold_init,
	.grab = hold_grab,
	.put = climb_put,
};
