/*
 * The swap token, passed on by timeout.
 *
 * Models      mm/thrash.c of Linux 2.6.9 .. 2.6.19 (grab_swap_token,
 *             should_release_swap_token, __put_swap_token), and the sysctl
 *             proposed in September 2004, which took ticks. docs/policies.md
 *             says which options make which version.
 * Leaves out  the try-lock: one simulated CPU at a time gets here.
 * Seen in     scenarios/swap-token-2006/, variant vanilla
 *
 * Times are ticks in a 32-bit counter that begins 300 s below zero, as in the
 * modelled kernel, so that its wrap is met early. Deadlines begin at 0: as
 * long as the counter is "before" 0, nobody can take the token.
 */
#include "os/jiffies.h"
#include "os/kernel.h"
#include "os/token/policies.h"

enum { UNIT_SECONDS, UNIT_TICKS };
enum { ZERO_OFF, ZERO_OFF_AT_ONCE, ZERO_PLAIN };
enum { DESPERATE_TAKE, DESPERATE_IGNORE };

struct timeout {
	simtime hold;  /* longest tenure; 0: what the sysctl says */
	simtime check; /* shortest pause between two looks at the holder */
	simtime rest;  /* after being taken from by reclaim */
	bool in_fault;
	int unit;	/* of vm.swap_token_timeout */
	int zero;	/* what it means there */
	int priority_0; /* what a scan at priority 0 does */

	uint32_t hold_until; /* ticks */
	uint32_t next_check; /* ticks */
};

static const char *const unit_names[] = { "seconds", "ticks", NULL };
static const char *const zero_names[] = { "off", "off-at-once", "plain", NULL };
static const char *const priority_0_names[] = { "take", "ignore", NULL };

static const struct param params[] = {
	{ "hold", PARAM_TIME, offsetof(struct timeout, hold), "0",
	  "longest time one process keeps the token; 0: as "
	  "vm.swap_token_timeout says",
	  0, 0, NULL },
	{ "check", PARAM_TIME, offsetof(struct timeout, check), "2s",
	  "shortest pause between two attempts to take it", 0, 0, NULL },
	{ "in_fault", PARAM_BOOL, offsetof(struct timeout, in_fault), "yes",
	  "shield the holder only while it is in a fault (2.6.13 and later)", 0,
	  0, NULL },
	{ "unit", PARAM_ENUM, offsetof(struct timeout, unit), "seconds",
	  "of vm.swap_token_timeout (2.6.9 with the sysctl: ticks)", 0, 0,
	  unit_names },
	{ "zero", PARAM_ENUM, offsetof(struct timeout, zero), "off",
	  "vm.swap_token_timeout 0: off from the holder's next fault on, "
	  "off-at-once (2.6.10 to 2.6.12), plain: just very short",
	  0, 0, zero_names },
	{ "priority_0", PARAM_ENUM, offsetof(struct timeout, priority_0),
	  "take",
	  "what a scan at priority 0 does: take the token away, or ignore it "
	  "(2.6.9 to 2.6.12)",
	  0, 0, priority_0_names },
	{ "rest", PARAM_TIME, offsetof(struct timeout, rest), "2s",
	  "how long who lost it to such a scan may not have it (0 in the first "
	  "version)",
	  0, 0, NULL },
	{ 0 },
};

static uint32_t ticks_of(const struct kernel *k, simtime span)
{
	return (uint32_t)jiffies_in(k->config.hz, span);
}

/* The kernel's 64-bit counter; the 32-bit one is its lower half. */
static int64_t jiffies_64(const struct kernel *k)
{
	return jiffies_in(k->config.hz, kernel_uptime(k)) -
	       JIFFIES_BELOW_ZERO * (int64_t)k->config.hz;
}

static uint32_t jiffies(const struct kernel *k)
{
	return (uint32_t)jiffies_64(k);
}

/* a lies after b, on a circle of 2^32 ticks (time_after) */
static bool after(uint32_t a, uint32_t b)
{
	return (int32_t)(b - a) < 0;
}

static uint32_t hold_ticks(const struct kernel *k, const struct timeout *t)
{
	int64_t knob = k->sysctl.swap_token_timeout;

	if (t->hold)
		return ticks_of(k, t->hold);
	return (uint32_t)(t->unit == UNIT_TICKS ? knob : knob * k->config.hz);
}

/* Does the sysctl say that there is no token? */
static bool turned_off(const struct kernel *k, const struct timeout *t)
{
	return t->zero != ZERO_PLAIN && !t->hold &&
	       !k->sysctl.swap_token_timeout;
}

static void timeout_init(struct kernel *k, void *state)
{
	const struct timeout *t = state;

	k->token.in_fault = t->in_fault;
	k->token.ignored_at_0 = t->priority_0 == DESPERATE_IGNORE;
}

/* page_referenced of 2.6.10 .. 2.6.12 looks at the sysctl itself. */
static bool timeout_enforced(const struct kernel *k, const void *state)
{
	const struct timeout *t = state;

	return t->zero != ZERO_OFF_AT_ONCE || !turned_off(k, t);
}

static void timeout_put(struct kernel *k, void *state, struct mm *mm,
			enum token_reason why)
{
	struct timeout *t = state;
	uint32_t now = jiffies(k);
	/* the second for a policy that adds a reason of its own */
	uint32_t rest = why == TOKEN_SELF_THRASH ? hold_ticks(k, t)
						 : ticks_of(k, t->rest);

	mm->token.eligible_at = now + rest;
	t->next_check = now;
	token_pass(k, NULL, why);
}

/* should_release_swap_token: may the holder be asked to give it up, and why? */
static bool must_release(const struct timeout *t, const struct mm *holder,
			 uint32_t now, enum token_reason *why)
{
	if (!holder)
		*why = TOKEN_FREE;
	else if (!holder->token.recent_pagein)
		*why = TOKEN_ENOUGH_RSS;
	else
		*why = TOKEN_TIMED_OUT;
	return *why != TOKEN_TIMED_OUT || after(now, t->hold_until);
}

static void timeout_take(struct kernel *k, struct timeout *t, struct mm *mm,
			 uint32_t now)
{
	struct mm *holder = k->token.holder;
	uint32_t hold = hold_ticks(k, t);
	enum token_reason why;
	bool release = must_release(t, holder, now, &why);

	t->next_check = now + ticks_of(k, t->check);
	if (holder)
		holder->token.recent_pagein = false;
	if (!release)
		return;
	if (holder)
		holder->token.eligible_at =
			now + (why == TOKEN_TIMED_OUT ? hold : 0);
	t->hold_until = now + hold;
	token_pass(k, mm, why);
}

static void timeout_grab(struct kernel *k, void *state, struct mm *mm)
{
	struct timeout *t = state;
	uint32_t now = jiffies(k);
	bool off = turned_off(k, t);

	if (mm == k->token.holder) {
		mm->token.recent_pagein = true;
		if (off)
			token_disable(k);
		return;
	}
	if (!after(now, t->next_check)) {
		/* the deadline of 0 was never moved: for the report */
		k->token.early += !t->next_check && jiffies_64(k) <= 0;
		return;
	}
	if (off) {
		t->next_check = now + ticks_of(k, t->check);
		return;
	}
	if (after((uint32_t)mm->token.eligible_at, now))
		return;
	timeout_take(k, t, mm, now);
}

const struct token_ops token_timeout = {
	.slot = {
		.name = "timeout",
		.models = "Linux 2.6.9 .. 2.6.19",
		.size = sizeof(struct timeout),
		.params = params,
	},
	.init = timeout_init,
	.grab = timeout_grab,
	.put = timeout_put,
	.enforced = timeout_enforced,
};
