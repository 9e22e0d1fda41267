/*
 * A deliberately simple device: so many requests a second whatever their
 * place, and so many bytes a second, as two token buckets that hold a burst.
 * One request at a time. For comparisons and for teaching.
 */
#pragma once

#include "disk/disk.h"

struct fixed_spec {
	int64_t requests_per_second;
	int64_t bytes_per_second;
	simtime burst;	/* tokens saved up while idle, as time */
	int64_t size;	/* bytes */
	simtime jitter; /* a completion is late by up to this, by chance */
};

/* seed: of the run, for the jitter. */
struct disk *fixed_new(const struct fixed_spec *spec, unsigned id,
		       uint64_t seed, struct events *events,
		       struct trace *trace);
