/*
 * An IDE (ATA) drive: commands in, mechanics, buffer, completions out.
 *
 * Depth 1 is the plain IDE drive of the time; more is tagged queuing. See
 * docs/disk.md for the model and the sources of its numbers.
 */
#pragma once

#include "disk/drive.h"

/*
 * A drive made from a spec that has passed drive_check. phase, in ns, is the
 * platter's place in its turn at time 0; the arm starts at the outer edge.
 */
struct disk *ide_new(const struct drive_spec *spec, unsigned id, simtime phase,
		     struct events *events, struct trace *trace);

enum ide_fault_kind {
	IDE_READ_WEAK, /* reads fail tries times, then succeed */
	IDE_READ_HARD, /* unreadable until written */
	IDE_SLOW,      /* matching commands take delay longer */
	IDE_CRC,  /* bad transfer on the bus: the host repeats the command */
	IDE_HANG, /* no answer: the host's time-out resets the drive */
	IDE_POWER_CUT, /* off for delay; what only the buffer had is lost */
};

/*
 * A fault, as a scenario's script inserts it. SLOW, CRC and HANG wait for
 * commands that touch the range; the others act at once.
 */
struct ide_fault {
	int kind;	    /* enum ide_fault_kind */
	int64_t start;	    /* sector */
	int64_t sectors;    /* 0: to the end of the drive */
	bool reads, writes; /* which commands match */
	int64_t head;	    /* only commands that start on this head; -1 any */
	int64_t tries;
	int64_t count; /* commands until it is over; 0 for ever */
	simtime delay;
};

extern const struct param ide_fault_params[];

/* Say what is wrong with a fault for this drive. False after an error. */
bool ide_fault_check(const struct disk *disk, const struct ide_fault *fault,
		     struct diag *d, struct diag_place place);

/*
 * Insert a fault now. It must have passed ide_fault_check. From an event
 * callback or between events.
 */
void ide_inject(struct disk *disk, const struct ide_fault *fault);

/*
 * Whom to tell about each run of sectors that a power cut loses: writes that
 * were reported done and never reached the platter. Called in ascending
 * order, during ide_inject.
 */
void ide_on_loss(struct disk *disk,
		 void (*lost)(void *arg, sector first, uint32_t sectors),
		 void *arg);

/* Is this disk an IDE drive (and not a fixed-rate device)? */
bool ide_is(const struct disk *disk);

/* Sectors in the write cache that are not on the platter yet. */
uint64_t ide_dirty_sectors(const struct disk *disk);

/* Sectors moved to spares so far. */
uint32_t ide_moved_sectors(const struct disk *disk);
