/*
 * Solder: from a scenario to a machine that runs, and what it leaves behind.
 * Everything a machine is hangs from it: several can live in one process.
 */
#pragma once

#include "emu/run/results.h"

#include <signal.h>

struct machine;

struct machine_options {
	uint64_t seed;
	bool check;	/* shadow tags and invariants */
	simtime vmstat; /* sampling interval; 0: as the scenario says */
	/* nonzero ends the run soon, for a signal handler; may be NULL */
	const volatile sig_atomic_t *interrupt;
	/* told once a simulated second; may be NULL */
	void (*progress)(void *arg, simtime now, simtime limit);
	void *arg;
};

/*
 * Build and boot. The scenario must outlive the machine. NULL after errors
 * that only the built machine shows (a fault outside the drive, no room for
 * files).
 */
struct machine *machine_new(const struct scenario *scenario,
			    const struct machine_options *options,
			    struct diag *d);

/* For listeners, before machine_run. */
struct trace *machine_trace(struct machine *m);
struct kernel *machine_kernel(struct machine *m);

/*
 * Run to the scenario's end and fill results, which the caller finishes. It
 * outlives the machine, not the scenario.
 */
void machine_run(struct machine *m, struct results *results);
void machine_free(struct machine *m);
