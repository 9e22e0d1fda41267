/*
 * What a run produced: plain values that outlive its machine. Times in
 * simulated ns, counters as deltas where a span is meant.
 */
#pragma once

#include "emu/run/scenario.h"

/* All counters at one time. */
struct snapshot {
	simtime at; /* since power-on */
	struct vmstat vm;
	struct disk_stats disk[UNITS];
	uint32_t free[NR_ZONES]; /* pages */
};

struct span {
	struct snapshot from, to;
};

/* A program that marks in a loop must not fill the host's memory. */
#define PHASES_MAX 10000

/* One phase of one process of a timed program. */
struct phase {
	unsigned command; /* index in results.command */
	int pid;
	char name[ISA_MARK_MAX + 1];
	bool ended;
	unsigned next; /* not ended: in the list it is in, see collect.c */
	struct span span;
};

enum outcome { NOT_STARTED, STILL_RUNNING, EXITED, KILLED, KILLED_FOR_MEMORY };

/* One timed program. */
struct command_result {
	const struct script_line *line;
	enum outcome outcome;
	int pid;
	int exit_status, exit_signal;
	struct task_death death; /* if its own doing */
	struct span span;
	struct usage usage; /* its reaped children included */
	simtime user, system;
};

/* One line of vmstat: what procps shows, over the interval before it. */
struct vmstat_line {
	simtime at;
	unsigned running, blocked;
	uint64_t swpd, free, cache;	     /* KiB */
	uint64_t swap_in, swap_out;	     /* KiB/s */
	uint64_t blocks_in, blocks_out;	     /* KiB/s */
	uint64_t interrupts, switches;	     /* per second */
	unsigned user, system, idle, iowait; /* per cent */
};

struct holder {
	char *name; /* owned by results */
	int pid;
	simtime held;
	uint64_t grants;
};

struct kill_record {
	simtime at;
	char name[16];
	const char *label; /* of the script's line that started it, or "" */
	int pid, by;
	uint64_t points, free_pages, swap_free;
};

/* A process that ended itself by what it did. */
struct death_record {
	simtime at;
	char name[16];
	const char *label; /* as of a kill_record */
	int pid, signal;
	struct task_death death;
};

#define DEATHS_MAX 1000 /* kept; more are only counted */

struct expectation {
	const struct script_line *line;
	bool held, checked;
	int64_t value; /* what was found */
};

/* Time on the CPU, ns, every one in exactly one of them. */
struct cpu_times {
	simtime user, system, irq, idle, iowait;
};

struct results {
	const struct scenario *scenario;
	uint64_t seed;
	bool partial;	/* interrupted before its end */
	char panic[80]; /* why the kernel stopped, or "" */
	uint64_t digest;
	struct span whole;

	struct command_result *command;
	unsigned nr_commands;
	struct phase *phase;
	unsigned nr_phases;
	uint64_t phases_left_out; /* beyond PHASES_MAX */
	struct vmstat_line *vmstat;
	unsigned nr_vmstat;
	struct expectation *expectation;
	unsigned nr_expectations;
	struct kill_record *kill;
	unsigned nr_kills;
	struct death_record *death;
	unsigned nr_deaths, deaths_left_out;

	struct cpu_times cpu;
	uint64_t context_switches, interrupts, instructions;
	struct block_stats queue[UNITS];

	const struct slot *token; /* policy */
	uint64_t token_asks, token_grants, token_preemptions, token_timeouts;
	uint64_t token_disables;
	uint64_t token_early; /* asks before a 32-bit tick clock reached 0 */
	struct holder *holder;
	unsigned nr_holders;

	uint64_t tlb_hits, tlb_misses, tlb_flushes, tlb_walks;
	struct integrity integrity;
	uint64_t free_pages, swap_used, swap_used_most; /* pages, at the end */
};

void results_finish(struct results *r);

/* Did everything go as the scenario expects? */
bool results_good(const struct results *r);
