/*
 * Where a sector is: LBA to cylinder, head, sector and angle.
 *
 * Sectors are numbered along a track, then over the heads of a cylinder, then
 * over cylinders from the outside in. Tracks and cylinders are skewed, so
 * that the next sector comes by just after the head has got there.
 */
#pragma once

#include "disk/drive.h"

/*
 * Angle units in a turn. A minute of nanoseconds: at R rpm a nanosecond turns
 * the platter by exactly R units, and a minute is a whole number of turns.
 */
#define TURN (60 * NSEC_PER_SEC)

struct zone {
	sector first;			    /* LBA of its first sector */
	sector end;			    /* of the one after its last */
	uint32_t cylinder;		    /* its first */
	uint32_t sectors;		    /* per track */
	uint32_t track_skew, cylinder_skew; /* sectors */
};

struct geometry {
	uint64_t sectors; /* capacity */
	uint32_t heads, cylinders;
	unsigned nr_zones;
	struct zone zone[DRIVE_ZONES];
};

struct position {
	const struct zone *zone;
	uint32_t cylinder, head;
	uint32_t sector; /* in its track, before skew */
	uint32_t slot;	 /* place on the track after skew, from the index */
};

/* The spec must have passed drive_check. */
void geometry_init(struct geometry *g, const struct drive_spec *spec);

/* Where is this sector? It must lie within the capacity. */
void geometry_find(const struct geometry *g, sector s, struct position *p);

/* The i-th spare sector: on the innermost cylinder, from its end. */
void geometry_spare(const struct geometry *g, uint32_t i, struct position *p);
