/*
 * What happens in a run, and when: programs started before and during it,
 * knobs written, disks broken, expectations.
 */
#pragma once

#include "emu/run/fields.h"
#include "emu/run/hardware.h"
#include "emu/run/labels.h"
#include "emu/run/programs.h"
#include "os/sysctl.h"

enum script_action {
	SCRIPT_TIME, /* start a program and report its times */
	SCRIPT_START,
	SCRIPT_KILL,
	SCRIPT_SYSCTL,
	SCRIPT_SAMPLE,
	SCRIPT_FAULT, /* of a disk */
	SCRIPT_EXPECT,
	SCRIPT_ACTIONS
};

enum expect_op {
	EXPECT_LT,
	EXPECT_LE,
	EXPECT_EQ,
	EXPECT_NE,
	EXPECT_GE,
	EXPECT_GT
};

#define SAMPLE_MIN NSEC_PER_MSEC /* between two vmstat lines */

struct script_line {
	enum script_action action;
	struct diag_place place;
	simtime at;	   /* since power-on; expectations: -1 at the end */
	const char *after; /* label of a timed program to wait for, or NULL */

	/* time, start */
	const char *label; /* unique among timed programs */
	const char *command;
	int nice;

	/* kill */
	const char *victim; /* label, or name of processes */

	/* sysctl */
	const struct sysctl *sysctl;
	int64_t value; /* also: expect's right side */

	simtime sample; /* sample: interval, 0 stops it */

	/* fault */
	enum unit_role unit;
	struct ide_fault fault;

	/* expect */
	const char *what; /* a measure, see results.h */
	const char *of;	  /* label, or NULL for the whole run */
	enum expect_op op;
};

/* What starts, happens and is expected, copies (count) included. */
#define SCRIPT_LINES_MAX    10000
#define SCRIPT_PROGRAMS_MAX 1000 /* that are named beside it */

struct script {
	struct script_line *line;
	unsigned count;
	struct labels labels; /* of lines that start programs */
	unsigned timed;
	const char *init; /* command of process 1, or NULL */
};

/*
 * Read `init`, `background`, `programs` and `run` of a resolved scenario.
 * Programs that are named are read and checked with their arguments.
 */
void script_read(struct script *script, struct programs *programs,
		 const struct yaml *scenario, struct diag *d);
void script_finish(struct script *script);

/*
 * A knob and its value as a scenario writes them, checked. False after an
 * error.
 */
#define SYSCTLS_MAX 128
bool script_sysctl(const struct yaml *key, const struct yaml *value,
		   const struct sysctl **which, int64_t *out, struct diag *d);

/* The timed program with this label, or NULL. */
const struct script_line *script_find(const struct script *script,
				      const char *label);
