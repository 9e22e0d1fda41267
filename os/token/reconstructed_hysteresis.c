/*
 * A reconstruction: the token of September 2006, for whoever is far ahead.
 *
 * Models      one of the variants tried on a test box in answer to "Swap token
 *             re-tuned", linux-kernel, September 2006. They are lost; this is
 *             a guess: to be ahead of the holder by one is not enough.
 * Leaves out  the try-lock: one simulated CPU at a time gets here.
 * Seen in     scenarios/swap-token-2006/
 */
#include "os/token/climb.h"
#include "os/token/policies.h"

struct hysteresis {
	struct climb climb;
	int64_t lead;
};

static const struct param params[] = {
	CLIMB_PARAMS(offsetof(struct hysteresis, climb)),
	{ "lead", PARAM_INT, offsetof(struct hysteresis, lead), "4",
	  "who takes it must be ahead of the holder by more than this", 0,
	  1 << 20, NULL },
	{ 0 },
};

static void hysteresis_init(struct kernel *k, void *state)
{
	const struct hysteresis *h = state;

	k->token.in_fault = h->climb.in_fault;
}

static void hysteresis_grab(struct kernel *k, void *state, struct mm *mm)
{
	struct hysteresis *h = state;

	if (climb_ask(k, &h->climb, mm) &&
	    mm->token.priority > k->token.holder->token.priority + h->lead)
		token_pass(k, mm, TOKEN_PRIORITY);
}

const struct token_ops token_reconstructed_hysteresis = {
	.slot = {
		.name = "reconstructed-hysteresis",
		.models = "September 2006, a lost variant: priority-2006-09 "
			  "with hysteresis",
		.reconstruction = true,
		.size = sizeof(struct hysteresis),
		.params = params,
	},
	.init = hysteresis_init,
	.grab = hysteresis_grab,
	.put = climb_put,
};
