/*
 * When to despair: who is killed for memory. Competitors in os/oom/.
 */
#pragma once

#include "os/slot.h"
#include "os/wait.h"

struct task;

struct oom_ops {
	struct slot slot;
	void (*init)(struct kernel *k, void *state); /* NULL: nothing */
	/* reclaim failed for the current task: decide and kill */
	SLEEPS void (*out_of_memory)(struct kernel *k, void *state);
};

struct oom {
	const struct oom_ops *ops;
	void *state;
};

/* All killers, NULL-terminated. */
extern const struct oom_ops *const oom_killers[];

/* For killers: kill task and tell the record. */
void oom_kill(struct kernel *k, struct task *task, uint64_t points);

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

void oom_init(struct kernel *k);
void oom_finish(struct kernel *k);

/*
 * Reclaim failed for the current task: somebody may be killed. Naps a tick
 * unless the current task is the victim; the caller tries again.
 */
SLEEPS void out_of_memory(struct kernel *k);
