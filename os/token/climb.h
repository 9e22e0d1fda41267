/*
 * What the token of September 2006 and the designs after it share: whoever
 * faults again soon climbs. What it is worth to stand above the holder is for
 * each policy to say, in its own file.
 */
#pragma once

#include "os/kernel.h"
#include "os/token.h"

struct climb {
	int64_t gap; /* FAULTSTAMP_DIFF */
	bool in_fault;

	uint64_t faults; /* global_faults: asks by anyone */
};

/* Rows of a policy's table of options: where in its state the struct is. */
#define CLIMB_PARAMS(at)                                                       \
	{ "gap",                                                               \
	  PARAM_INT,                                                           \
	  (at) + offsetof(struct climb, gap),                                  \
	  "5",                                                                 \
	  "a process climbs if it asks again within this many asks of all",    \
	  1,                                                                   \
	  1 << 20,                                                             \
	  NULL },                                                              \
	{                                                                      \
		"in_fault", PARAM_BOOL,                                        \
			(at) + offsetof(struct climb, in_fault), "yes",        \
			"shield the holder only while it is in a fault", 0, 0, \
			NULL                                                   \
	}

/*
 * mm asks. A free token is its at once. True if mm is not the holder and has
 * just climbed: the only moment at which it may take the token.
 */
static inline bool climb_ask(struct kernel *k, struct climb *c, struct mm *mm)
{
	struct token_mm *t = &mm->token;

	c->faults++;
	if (!k->token.holder) {
		token_pass(k, mm, TOKEN_FREE);
		t->stamp = c->faults;
		return false;
	}
	if (c->faults - t->stamp < (uint64_t)c->gap) {
		t->stamp = c->faults;
		t->priority++;
		return mm != k->token.holder;
	}
	/* the stamp stays stale: every ask until 0 goes down */
	if (t->priority > 0) {
		t->priority--;
	} else {
		t->priority = 0;
		t->stamp = c->faults;
	}
	return false;
}

/* The token hook put of all of them: nobody has it. */
static inline void climb_put(struct kernel *k, void *state, struct mm *mm,
			     enum token_reason why)
{
	(void)state;
	(void)mm;
	token_pass(k, NULL, why);
}
