/*
 * The parts of a machine, for machine.c, director.c and collect.c.
 */
#pragma once

#include "emu/run/machine.h"

/* A program that the script started, or will. */
struct started {
	struct machine *machine;
	const struct script_line *line;
	struct event event; /* at which the line happens */
	int pid;	    /* 0 before the start */
	bool alive;
	int command;	 /* index in results.command; -1 if not timed */
	int expectation; /* index in results.expectation; -1 if none */
};

/* Totals at the last vmstat line, to subtract. */
struct vmstat_mark {
	simtime at;
	struct vmstat vm;
	struct cpu_account cpu;
	uint64_t interrupts, switches;
};

/* Lists of phases that have not ended, by pid. */
#define PHASE_LISTS 256

struct machine {
	const struct scenario *scenario;
	struct machine_options options;

	struct events events;
	struct rng jitter; /* of program starts */
	struct trace trace;
	struct ram ram;
	struct cpu cpu;
	struct disk *disk[UNITS];
	struct media *media[UNITS];
	struct kernel *kernel;

	/* the script: one per line */
	struct started *started;
	unsigned timed_left; /* timed programs that have not exited */
	struct event beat;   /* once a second: progress, checks */
	struct event end;
	bool ended; /* as the scenario says, not by an interruption */
	struct event sample;
	simtime interval; /* of vmstat lines; 0: none now */
	struct vmstat_mark mark;
	unsigned open_phase[PHASE_LISTS]; /* heads: indices + 1, 0 none */

	struct results results;
};

/* director.c: arrange for the script to happen. After boot. */
void director_init(struct machine *m);

/* collect.c */
void collect_snapshot(struct machine *m, struct snapshot *s);
void collect_vmstat_line(struct machine *m);
void collect_expectation(struct machine *m, struct expectation *e);

/* A phase of the timed program that started begins; NULL: none does. */
void collect_phase(struct machine *m, const struct started *started,
		   const struct task *task, const char *name);

/* The phases of a process end (pid 0: of all of a timed program's). */
void collect_phase_end(struct machine *m, int pid, int command);

/*
 * A process exits: note what it did to itself, if that is why. label is that
 * of the script's line it comes from, or "".
 */
void collect_death(struct machine *m, int pid, const char *label);

/* The kernel has just killed the head of its oom_records. */
void collect_kill(struct machine *m, const char *label);

/* All that is left to know when the machine has stopped. */
void collect_final(struct machine *m);
