/*
 * A drive as data: what a data sheet says. The fields are filled by the
 * caller, from drive_params[] (names, units, defaults) or by hand; nobody
 * changes a spec while a drive is being made from it, and ide_new keeps a
 * copy.
 */
#pragma once

#include "disk/disk.h"
#include "emu/param.h"

#define DRIVE_ZONES	  64u
#define DRIVE_SEEK_POINTS 256u
#define DRIVE_QUEUE	  32u /* ATA tags are 0..31 */

/* Cylinders with the same number of sectors per track. Skews in sectors. */
struct drive_zone {
	uint32_t first, last; /* cylinders, both included */
	uint32_t sectors;     /* per track */
	uint32_t track_skew, cylinder_skew;
};

struct seek_point {
	uint32_t cylinders; /* distance */
	simtime time;
};

enum seek_form { SEEK_TABLE, SEEK_SQRT, SEEK_LEE };
enum drive_order { ORDER_FCFS, ORDER_SSTF, ORDER_SPTF };
enum drive_overhead { OVERHEAD_SERIAL, OVERHEAD_OVERLAPPED };
enum flush_order { FLUSH_NEAREST, FLUSH_ASCENDING };

struct drive_spec {
	char *name; /* of the model; param_finish frees it */

	/* mechanics */
	int64_t rpm, heads, cylinders;
	int seek; /* enum seek_form */
	simtime track_to_track, average_seek, full_stroke;
	simtime head_switch;   /* electrical: until the next head reads */
	simtime write_settle;  /* more precision before a write */
	simtime switch_settle; /* the same after a move of a track or less */

	/* layout: the zones listed below, or else generated from these */
	int64_t zone_count, outer_sectors, inner_sectors;
	simtime track_skew, cylinder_skew;

	/* commands */
	simtime overhead;     /* of a command that needs the arm */
	simtime hit_overhead; /* of one that the buffer serves */
	int overhead_mode;    /* enum drive_overhead */
	simtime bus_sector;   /* one sector on the bus */
	int64_t depth;
	int order;	/* enum drive_order */
	simtime ageing; /* SPTF: cost falls to 0 at this age; 0 never */

	/* buffer */
	int64_t segments, segment_sectors;
	bool read_ahead;
	bool write_cache;
	int64_t dirty_sectors; /* limit; 0: half of the buffer */
	simtime flush_idle;    /* arm idle for so long: write dirty data */
	int flush_order;       /* enum flush_order */

	/* trouble */
	int64_t spares;		 /* sectors */
	simtime read_retry;	 /* before a hard read error is reported */
	simtime command_timeout; /* the host's */
	simtime reset;		 /* until it works again after a reset */

	struct drive_zone zone[DRIVE_ZONES];
	unsigned nr_zones;
	struct seek_point point[DRIVE_SEEK_POINTS];
	unsigned nr_points;
};

extern const struct param drive_params[];

/* All defaults, no zones, no seek points. */
void drive_defaults(struct drive_spec *spec);

/* Free what drive_params stored. */
void drive_finish(struct drive_spec *spec);

/*
 * Say everything that is wrong with a spec, at this place; then, if nothing
 * is, generate the zones when none are listed. False after an error. A seek
 * point that lies more than 10 % below or above both its neighbours' line
 * is a warning: most likely a slip of the one who measured.
 */
bool drive_check(struct drive_spec *spec, struct diag *d,
		 struct diag_place place);
