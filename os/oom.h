/*
 * When to despair: who is killed for memory. Competitors in os/oom/.
 */
#pragma once

#include "os/slot.h"
#include "os/wait.h"

struct oom_ops {
	struct slot slot;
	/* reclaim failed for the current task: decide and kill */
	SLEEPS void (*out_of_memory)(struct kernel *k, void *state);
};

struct oom {
	const struct oom_ops *ops;
	void *state;
};

/* All killers, NULL-terminated. */
extern const struct oom_ops *const oom_killers[];

/* What the report tells about a kill. */
struct oom_record {
	simtime at;
	int pid;
	char name[16];
	uint64_t points;
	int by; /* pid of who ran out */
	uint64_t free_pages, swap_free;
	struct oom_record *next;
};

SLEEPS void out_of_memory(struct kernel *k);
