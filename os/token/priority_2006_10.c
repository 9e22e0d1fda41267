/*
 * The swap token, taken by whoever faults faster than before.
 *
 * Models      the second re-tuning of October 2006, linux-kernel, and
 *             mm/thrash.c of Linux 2.6.20, which it became. It belongs with
 *             grab: swap-before-io.
 * Leaves out  the try-lock: one simulated CPU at a time gets here. A thread's
 *             creation would reset its address space as a fork does; there
 *             are no threads yet.
 * Seen in     scenarios/swap-token-2006/, variants october and merged
 *
 * A process' interval is the number of asks by anyone since its own last one.
 * If it shrinks, the process climbs, else it sinks; the holder climbs by 2
 * with every fault. Nothing ages: who has held it for long is hard to pass.
 *
 * Priorities are unsigned 32-bit numbers there, and here too. The mail took 1
 * from them first and asked whether they were below 0 afterwards, which an
 * unsigned number never is: whoever sinks from 0 becomes 4294967295, above
 * everybody, and takes the token. The 2 that this brings make it wrap again,
 * to 1, so that the next one at 0 does the same.
 */
#include "os/kernel.h"
#include "os/token/policies.h"

#define HOLDER_BONUS 2

struct interval {
	bool as_mailed;
	bool in_fault;

	uint64_t faults; /* global_faults: asks by anyone */
};

static const struct param params[] = {
	{ "as_mailed", PARAM_BOOL, offsetof(struct interval, as_mailed), "no",
	  "with the slip of the mail: a priority of 0 wraps when it sinks", 0,
	  0, NULL },
	{ "in_fault", PARAM_BOOL, offsetof(struct interval, in_fault), "yes",
	  "shield the holder only while it is in a fault", 0, 0, NULL },
	{ 0 },
};

static void interval_init(struct kernel *k, void *state)
{
	const struct interval *i = state;

	k->token.in_fault = i->in_fault;
}

static void rise(struct token_mm *t, uint32_t by)
{
	t->priority = (uint32_t)t->priority + by;
}

static void sink(const struct interval *i, struct token_mm *t)
{
	if (t->priority || i->as_mailed)
		t->priority = (uint32_t)t->priority - 1;
}

static void challenge(struct kernel *k, const struct interval *i, struct mm *mm,
		      uint64_t gap)
{
	struct token_mm *t = &mm->token;

	if (gap < t->last_interval)
		rise(t, 1);
	else
		sink(i, t);
	if (t->priority <= k->token.holder->token.priority)
		return;
	rise(t, HOLDER_BONUS);
	token_pass(k, mm, TOKEN_PRIORITY);
}

static void interval_grab(struct kernel *k, void *state, struct mm *mm)
{
	struct interval *i = state;
	struct token_mm *t = &mm->token;
	uint64_t gap;

	gap = ++i->faults - t->stamp;
	if (!k->token.holder) {
		rise(t, HOLDER_BONUS);
		token_pass(k, mm, TOKEN_FREE);
	} else if (mm == k->token.holder) {
		rise(t, HOLDER_BONUS);
	} else {
		challenge(k, i, mm, gap);
	}
	t->stamp = i->faults;
	t->last_interval = gap;
}

static void interval_put(struct kernel *k, void *state, struct mm *mm,
			 enum token_reason why)
{
	(void)state;
	(void)mm;
	token_pass(k, NULL, why);
}

/* The stamp alone is inherited (copy_mm of kernel/fork.c). */
static void interval_fork(void *state, struct mm *child,
			  const struct mm *parent)
{
	(void)state;
	(void)parent;
	child->token.priority = 0;
	child->token.last_interval = 0;
}

const struct token_ops token_priority_2006_10 = {
	.slot = {
		.name = "priority-2006-10",
		.models = "linux-kernel, October 2006; Linux 2.6.20",
		.size = sizeof(struct interval),
		.params = params,
	},
	.init = interval_init,
	.grab = interval_grab,
	.put = interval_put,
	.fork = interval_fork,
};
