/*
 * The seek curve: how long the arm takes over a distance. Computed once for
 * every distance, so that asking costs one load.
 */
#pragma once

#include "disk/drive.h"

struct seek {
	uint32_t cylinders;
	uint32_t *time; /* ns, by distance 0..cylinders-1 */
};

/* The spec must have passed drive_check. */
void seek_init(struct seek *s, const struct drive_spec *spec);
void seek_finish(struct seek *s);

/*
 * The mean as IBM and Hitachi define it in their specifications: over seeks
 * of 1 to cylinders-1, each weighted by the number of places it can start
 * from; settling included, command overhead not.
 */
simtime seek_mean(const struct seek *s);
