/*
 * A block device as the kernel's driver sees it: hand it a request, and be
 * called when it is done. Two sorts: a drive (ide.h) whose times come from
 * mechanics, and a fixed-rate device (fixed.h).
 */
#pragma once

#include "emu/event.h"
#include "emu/trace.h"
#include "emu/types.h"

typedef uint64_t sector; /* number of a 512-byte sector */

#define SECTOR_SIZE	 512u
#define SECTORS_PER_PAGE 8u

enum disk_error { DISK_OK, DISK_MEDIA_ERROR, DISK_TIMEOUT };

/*
 * One command. Owned by the caller, who keeps it alive until done. The
 * device may use the private fields while it has the request.
 */
struct disk_request {
	sector start;
	uint32_t sectors; /* a write of 0 sectors is FLUSH CACHE */
	bool write;

	/* called as part of an event callback, at the time of completion */
	void (*done)(struct disk_request *rq, enum disk_error error);
	void *owner; /* the caller's */

	/* private to the device */
	struct disk_request *next;
	simtime arrived;
	uint64_t order;
};

/* What a device has done, for reports. Times in ns. */
struct disk_stats {
	uint64_t reads, writes; /* requests */
	uint64_t read_sectors, written_sectors;
	uint64_t cache_hits; /* reads served from the buffer */
	simtime seek, rotation, transfer, overhead;
	simtime rate_wait;	/* a fixed device's, for its tokens */
	simtime busy;		/* at least one request inside */
	simtime queue_integral; /* requests inside, integrated over time */
	simtime response;	/* sum over requests of done - arrived */
};

struct disk;

struct disk_ops {
	const char *name;
	/*
	 * Accept a request at time at (not before the device's events'
	 * now). Never called with depth requests inside.
	 */
	void (*submit)(struct disk *disk, struct disk_request *rq, simtime at);
	void (*finish)(struct disk *disk);
};

/* Common head of every device; a device embeds it first. */
struct disk {
	const struct disk_ops *ops;
	unsigned id;	  /* for traces */
	uint64_t sectors; /* capacity */
	unsigned depth;	  /* commands it takes at once */
	unsigned inside;  /* commands it has now */
	struct events *events;
	struct trace *trace; /* may be NULL */
	struct disk_stats stats;
	simtime last_change; /* of inside, for busy and queue_integral */
};

/* For devices: set up the common part; the trace is theirs to set. */
void disk_init(struct disk *disk, const struct disk_ops *ops, unsigned id,
	       uint64_t sectors, unsigned depth, struct events *events);

/* Hand over a request; BUG if the device is full or it lies outside. */
void disk_submit(struct disk *disk, struct disk_request *rq, simtime at);

/* For devices: account for a completed request and call its done. */
void disk_complete(struct disk *disk, struct disk_request *rq,
		   enum disk_error error);

static inline bool disk_full(const struct disk *disk)
{
	return disk->inside >= disk->depth;
}

/* Free a device made by its own constructor. Accepts NULL. */
void disk_free(struct disk *disk);
