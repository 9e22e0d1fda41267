/*
 * The swap token, taken by whoever faults most.
 *
 * Models      "Swap token re-tuned", linux-kernel, 28..30 September 2006,
 *             its second patch: a process whose major faults follow each
 *             other closely climbs; whoever stands above the holder gets the
 *             token.
 * Leaves out  the try-lock: one simulated CPU at a time gets here.
 * Seen in     scenarios/swap-token-2006/, variant retuned
 *
 * There is no time in it: a holder that sleeps keeps the token until it exits
 * or reclaim is desperate. fork copies both fields, exec starts from zero.
 */
#include "os/kernel.h"
#include "os/token/policies.h"

struct priority {
	int64_t gap; /* FAULTSTAMP_DIFF */
	bool in_fault;

	uint64_t faults; /* global_faults: asks by anyone */
};

static const struct param params[] = {
	{ "gap", PARAM_INT, offsetof(struct priority, gap), "5",
	  "a process climbs if it asks again within this many asks of all", 1,
	  1 << 20, NULL },
	{ "in_fault", PARAM_BOOL, offsetof(struct priority, in_fault), "yes",
	  "shield the holder only while it is in a fault", 0, 0, NULL },
	{ 0 },
};

static void priority_init(struct kernel *k, void *state)
{
	const struct priority *p = state;

	k->token.in_fault = p->in_fault;
}

static void priority_put(struct kernel *k, void *state, struct mm *mm,
			 enum token_reason why)
{
	(void)state;
	(void)mm;
	token_pass(k, NULL, why);
}

static void priority_climb(struct kernel *k, struct mm *mm)
{
	struct mm *holder = k->token.holder;

	mm->token.priority++;
	if (mm != holder && mm->token.priority > holder->token.priority)
		token_pass(k, mm, TOKEN_PRIORITY);
}

static void priority_grab(struct kernel *k, void *state, struct mm *mm)
{
	struct priority *p = state;
	struct token_mm *t = &mm->token;

	p->faults++;
	if (!k->token.holder) {
		token_pass(k, mm, TOKEN_FREE);
		t->stamp = p->faults;
	} else if (p->faults - t->stamp < (uint64_t)p->gap) {
		t->stamp = p->faults;
		priority_climb(k, mm);
	} else if (t->priority > 0) {
		/* the stamp stays stale: every ask until 0 goes down */
		t->priority--;
	} else {
		t->priority = 0;
		t->stamp = p->faults;
	}
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
	.put = priority_put,
};
