/*
 * A run as a timeline for Perfetto (ui.perfetto.dev) or chrome://tracing:
 * the trace event format in JSON.
 */
#pragma once

#include "emu/run/machine.h"

#include <stdio.h>

struct timeline;

/*
 * Listen to a machine and write to a file until its size reaches limit
 * bytes. Before machine_run. NULL if the file cannot be made (errno).
 */
struct timeline *timeline_new(struct machine *m, const char *path,
			      int64_t limit);

/* Was the limit reached, so that the end is missing? Then from *at on. */
bool timeline_cut(const struct timeline *t, simtime *at);

/* End the file. False if not all could be written. Accepts NULL. */
bool timeline_free(struct timeline *t);

#define TIMELINE_LIMIT (256LL << 20)
