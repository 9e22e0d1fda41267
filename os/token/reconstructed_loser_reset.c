/*
 * A reconstruction: the token of September 2006, whose loser starts anew.
 *
 * Models      one of the variants tried on a test box in answer to "Swap token
 *             re-tuned", linux-kernel, September 2006. They are lost; of one
 *             it was said that a further try would reset the priority of the
 *             process that loses the token. That is all it is.
 * Leaves out  the try-lock: one simulated CPU at a time gets here.
 * Seen in     scenarios/swap-token-2006/
 */
#include "os/token/climb.h"
#include "os/token/policies.h"

struct loser_reset {
	struct climb climb;
};

static const struct param params[] = {
	CLIMB_PARAMS(offsetof(struct loser_reset, climb)),
	{ 0 },
};

static void loser_reset_init(struct kernel *k, void *state)
{
	const struct loser_reset *l = state;

	k->token.in_fault = l->climb.in_fault;
}

static void loser_reset_grab(struct kernel *k, void *state, struct mm *mm)
{
	struct loser_reset *l = state;
	struct mm *holder = k->token.holder;

	if (climb_ask(k, &l->climb, mm) &&
	    mm->token.priority > holder->token.priority) {
		holder->token.priority = 0;
		token_pass(k, mm, TOKEN_PRIORITY);
	}
}

const struct token_ops token_reconstructed_loser_reset = {
	.slot = {
		.name = "reconstructed-loser-reset",
		.models = "September 2006, a lost variant: priority-2006-09, "
			  "its loser back at 0",
		.reconstruction = true,
		.size = sizeof(struct loser_reset),
		.params = params,
	},
	.init = loser_reset_init,
	.grab = loser_reset_grab,
	.put = climb_put,
};
