/*
 * Who is shielded: the swap token. While a process holds it, and is in a
 * fault (2.6.13 and later), references to its pages are counted for it when
 * others reclaim. Competitors are in os/token/; models mm/thrash.c.
 */
#pragma once

#include "os/slot.h"

struct kernel;
struct mm;

enum token_reason {
	TOKEN_FREE,	   /* nobody had it */
	TOKEN_TIMED_OUT,   /* the holder had it for long enough */
	TOKEN_ENOUGH_RSS,  /* the holder had stopped faulting */
	TOKEN_PRIORITY,	   /* a more urgent one came */
	TOKEN_EXIT,	   /* the holder's address space went away */
	TOKEN_DISABLED,	   /* reclaim reached priority 0 */
	TOKEN_SELF_THRASH, /* it evicted for itself what it needed */
};

/* State that a policy keeps in every mm; zeroed by exec. */
struct token_mm {
	uint64_t stamp; /* global fault count at its last ask */
	int64_t priority;
	uint64_t last_interval;
	simtime eligible_at;
	bool recent_pagein;
};

struct token_ops {
	struct slot slot;
	void (*init)(struct kernel *k, void *state);
	void (*finish)(void *state); /* free what init allocated */
	/* a major fault of mm reached the grab point */
	void (*grab)(struct kernel *k, void *state, struct mm *mm);
	/* mm goes away, or (mm the holder) the token is taken from it */
	void (*put)(struct kernel *k, void *state, struct mm *mm,
		    enum token_reason why);
	void (*fork)(void *state, struct mm *child, const struct mm *parent);
	/* does being the holder count at all just now? NULL: always */
	bool (*enforced)(const struct kernel *k, const void *state);
	/* a page of the holder goes to this swap slot */
	void (*evict)(struct kernel *k, void *state, uint32_t slot);
	/* the holder reads the slot again: before its grab */
	void (*refault)(struct kernel *k, void *state, uint32_t slot);
};

enum token_grab_point { GRAB_AFTER_IO, GRAB_BEFORE_IO, GRAB_SWAP_BEFORE_IO };

/* What reports want to know. */
struct token_tenure {
	int pid;
	char name[16];
	simtime held;
	uint64_t grants;
};

struct token {
	const struct token_ops *ops;
	void *state;
	enum token_grab_point grab_point;
	bool in_fault; /* protection only while the holder is in a fault */
	/* a scan at priority 0 does not heed it, instead of taking it away */
	bool ignored_at_0;
	struct mm *holder; /* NULL: nobody */
	simtime granted;   /* when the holder got it */
	simtime since;	   /* up to when its tenure is counted */
	uint64_t asks, grants, preemptions, disables;
	uint64_t early;	   /* asks refused since the tick clock was below 0 */
	uint64_t timeouts; /* thrashing against oneself included */
	uint64_t idlers;   /* taken from a holder that had stopped faulting */
	struct token_tenure *tenure; /* one per process that ever held it */
	unsigned nr_tenures;
};

/* All policies, NULL-terminated. */
extern const struct token_ops *const token_policies[];

void token_init(struct kernel *k);
void token_finish(struct kernel *k);

/* Bring the present holder's tenure up to now: before a report. */
void token_settle(struct kernel *k);

/* A major fault of the current task asks. */
void token_grab(struct kernel *k, struct mm *mm);

/* The same in a fault that reads swap, so that the slot is known. */
void token_grab_swap(struct kernel *k, struct mm *mm, uint32_t slot);

/* A page of mm was unmapped and is in this swap slot. */
void token_evict(struct kernel *k, const struct mm *mm, uint32_t slot);

/* The address space loses its last user. */
void token_exit(struct kernel *k, struct mm *mm);
void token_fork(struct kernel *k, struct mm *child, const struct mm *parent);

/* The current task, a reclaimer, begins a scan at this priority. */
void token_scan(struct kernel *k, int priority);

/* Take it from the holder. */
void token_disable(struct kernel *k);

/* For policies: hand it to mm (NULL: nobody), tell the record. */
void token_pass(struct kernel *k, struct mm *mm, enum token_reason why);

/* Does a reference of mm count although it did not happen? */
bool token_protects(const struct kernel *k, const struct mm *mm);
