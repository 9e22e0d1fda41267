/*
 * Inside the block layer: what block.c, request.c, driver.c, elevator.c and
 * the elevators share. Everybody else includes os/block.h.
 *
 * A request is free, then held by the elevator, then on the dispatch list,
 * where it can no longer be merged with, then at the device.
 */
#pragma once

#include "emu/event.h"
#include "emu/list.h"
#include "os/block.h"

struct elevator_context;
struct elevator_ops;

/* Adjacent bios of one direction. Owned by its queue. */
struct request {
	struct disk_request disk; /* first: start, sectors, write */
	struct queue *q;
	struct list link; /* elevator's list, dispatch list or free list */
	struct bio *first, *last;
	int64_t queued; /* jiffies, see block_jiffies */
	bool in_use;
	bool started;			  /* the driver has seen it */
	bool no_merge;			  /* a merge was refused for size */
	struct elevator_context *context; /* of its task, counted; or NULL */
};

static inline sector request_end(const struct request *rq)
{
	return rq->disk.start + rq->disk.sectors;
}

static inline sector bio_end(const struct bio *bio)
{
	return bio->start + bio->pages * (sector)SECTORS_PER_PAGE;
}

/* Work that a queue has for kblockd. */
enum queue_work {
	WORK_UNPLUG = 1, /* queue_unplug */
	WORK_RUN = 2,	 /* queue_start */
	WORK_KICK = 4,	 /* driver_run: not if plugged */
};

struct bio_chunk;

/* Owned by the kernel: os/block.c. Direction indices are [write]. */
struct queue {
	struct kernel *k;
	struct disk *disk;
	struct media *media;
	const struct elevator_ops *elevator;
	void *state; /* the elevator's */
	struct list contexts;

	/* requests: os/request.c */
	unsigned nr_requests, max_sectors;
	unsigned congestion_on, congestion_off;
	unsigned count[2]; /* in use */
	bool full[2], congested[2];
	struct wait_queue wait[2];
	unsigned char *pool; /* requests of request_size bytes */
	size_t request_size;
	struct list free;

	/* plugging: os/block.c */
	bool plugged;
	int64_t unplug_delay; /* ticks */
	struct event unplug_timer;
	unsigned work; /* enum queue_work */
	struct list work_link;

	/* order: os/elevator.c */
	struct request *last_merge; /* hint: try this one first */
	struct list dispatch;
	sector end_sector; /* end of the request that was started last */

	/* at the device: os/driver.c */
	unsigned at_driver;    /* started and not completed */
	unsigned taken;	       /* of these, not on the dispatch list */
	unsigned char *bounce; /* one page */

	struct bio *free_bios;
	struct bio_chunk *chunks;
	struct block_stats stats;
};

/*
 * The kernel's jiffies: ticks, counting from -300 s at boot (INITIAL_JIFFIES
 * of include/linux/jiffies.h), so that 0 as "never" is passed five minutes
 * after boot.
 */
int64_t block_jiffies(const struct kernel *k);

/* Post ev for the tick that is ticks after the present one (mod_timer). */
void block_timer(struct kernel *k, struct event *ev, int64_t ticks);

/* Nothing queued: for IDE, nothing at the device either. */
bool queue_empty(const struct queue *q);

/* Collect for a while before the device starts. */
void queue_plug(struct queue *q);

/* Start the device now, plugged or not. */
void queue_start(struct queue *q);

/* Let kblockd do it (kblockd_schedule_work). From tasks and callbacks. */
void queue_defer(struct queue *q, enum queue_work what);

/* Give a bio back to the pool. */
void bio_release(struct queue *q, struct bio *bio);

/* os/request.c */
void request_pool_init(struct queue *q, const struct queue_config *c);

/* A request for bio, with the bio in it. Sleeps when there is none. */
SLEEPS struct request *request_get(struct queue *q, struct bio *bio);

/* Free a request, completed or merged into another. Wakes who waits. */
void request_put(struct request *rq);

/* os/driver.c: hand over requests while the device has room. */
void driver_run(struct queue *q);
