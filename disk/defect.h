/*
 * Sectors with a history: hard to read, unreadable, or moved to a spare.
 */
#pragma once

#include "disk/disk.h"

enum defect_kind {
	DEFECT_WEAK,	   /* value: reads that fail before one succeeds */
	DEFECT_UNREADABLE, /* until it is written, and moved then */
	DEFECT_MOVED,	   /* value: number of the spare sector */
};

struct defect {
	sector sector;
	enum defect_kind kind;
	uint32_t value;
};

/* Ascending by sector. Owned by the drive. */
struct defects {
	struct defect *list;
	unsigned count, room;
	uint32_t spares_used, spares;
};

void defects_init(struct defects *t, uint32_t spares);
void defects_finish(struct defects *t);

/* The first defect among these sectors, or NULL. Valid until a change. */
struct defect *defects_find(const struct defects *t, sector first,
			    uint64_t sectors);

/* Give this sector a defect, in place of the one it may have. */
void defects_set(struct defects *t, sector s, enum defect_kind kind,
		 uint32_t value);

/* This sector reads well again. */
void defects_clear(struct defects *t, sector s);

/* Move a sector to a spare. False if none is left; it is then unchanged. */
bool defects_move(struct defects *t, sector s);
