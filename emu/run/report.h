/*
 * Results for readers: people (text) and programs (JSON). Nothing in them
 * depends on the host or the wall clock.
 */
#pragma once

#include "emu/run/results.h"

#include <stdio.h>

void report_text(const struct results *r, FILE *to);
void report_json(const struct results *r, FILE *to);

/* The published fact's figure of ours; false if there is no such phase. */
bool report_ours(const struct results *r, const struct published *fact,
		 double *ours);

/*
 * "at 0x08048010: reading 0x00000000, a bad address": what a process did that
 * ended it with this signal. Empty if it did nothing.
 */
void report_death(const struct task_death *death, int signal, char *out,
		  size_t size);

/* Disks added up: what the run's disks did between the ends of a span. */
struct disk_stats report_disks(const struct span *span);

/*
 * Jain's fairness index of the timed programs' CPU time: 1 when all had the
 * same, 1/n when one had all of it.
 */
double report_jain(const struct results *r);
