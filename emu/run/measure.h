/*
 * Figures by name: what published facts and expectations refer to.
 *
 * Of a span of time (run, program, phase): real, every counter of vmstat,
 * and requests and KiB of each disk (swap_reads, file_read_kib, ...). Of a
 * program also: user, sys, faults, switches and how it ended.
 */
#pragma once

#include "emu/types.h"

struct command_result;
struct span;

/* All names, NULL-terminated; of_program: with those that need one. */
const char *const *measure_names(bool of_program);
bool measure_known(const char *name, bool of_program);

/* In seconds or as a count. The name must be known. */
double measure_span(const struct span *span, const char *name);
double measure_command(const struct command_result *c, const char *name);

/* Its key in machine-readable output: real_s, user_s, ...; else the name. */
const char *measure_key(const char *name);

/* Is it a time in seconds (and not a count)? */
bool measure_is_time(const char *name);
