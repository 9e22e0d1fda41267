/*
 * The block layer: bios go in, are merged into requests, ordered by an
 * elevator and handed to the device's driver; models block/ll_rw_blk.c of
 * 2.6.18. Plugging, request limits and congestion as there.
 */
#pragma once

#include "disk/disk.h"
#include "disk/media.h"
#include "mmu/ram.h"
#include "os/wait.h"

struct elevator_ops;
struct queue; /* one per device */
struct task;

#define BIO_MAX_PAGES 32

/* One contiguous transfer of whole pages. From bio_new to its end call. */
struct bio {
	struct bio *next; /* in its request, in sector order */
	sector start;
	uint32_t pages;
	bool write;
	bool sync; /* somebody is going to wait: unplug at once */
	/* called at completion, in a callback; the bio is freed after it */
	void (*end)(struct kernel *k, struct bio *bio, enum disk_error error);
	void *owner; /* the submitter's */
	pfn page[BIO_MAX_PAGES];
};

struct queue_config {
	const struct elevator_ops *elevator;
	void *elevator_options; /* filled from its params */
	unsigned nr_requests;	/* per direction: 128 */
	unsigned max_sectors;	/* largest request: 1024 (512 KiB) */
};

/*
 * The queue of a device whose content is media. Owns neither. One for each
 * device: files and swap on one disk share it. The first also makes the
 * kernel thread kblockd, so tasks can be made before. Freed after the tasks.
 */
struct queue *queue_new(struct kernel *k, struct disk *disk,
			struct media *media, const struct queue_config *c);
void queue_free(struct queue *q);

/* Pages that a bio may have: fewer than BIO_MAX_PAGES if requests are small. */
unsigned queue_max_pages(const struct queue *q);

/* An empty bio; pages are appended by the caller. Never fails. */
struct bio *bio_new(struct queue *q, sector start, bool write,
		    void (*end)(struct kernel *k, struct bio *bio,
				enum disk_error error));

/*
 * Queue a bio for the current task. Sleeps when the direction has all its
 * requests in use. The queue may stay plugged: see queue_unplug.
 */
SLEEPS void block_submit(struct queue *q, struct bio *bio);

/*
 * Stop collecting and start the device. Whoever is about to wait for a page
 * calls it. Never sleeps.
 */
void queue_unplug(struct queue *q);

/* More requests of this direction in use than the congestion threshold? */
bool queue_congested(const struct queue *q, bool write);

/*
 * Nap in iowait for at most span, until any queue leaves congestion or frees
 * a request of that direction while uncongested (blk_congestion_wait).
 */
SLEEPS void congestion_wait(struct kernel *k, bool write, simtime span);

/* The task is exiting: let the elevators forget it. */
void block_task_exit(struct kernel *k, struct task *task);

/* Requests in use in either direction: queued and at the device. */
unsigned queue_in_use(const struct queue *q);

struct block_stats {
	uint64_t bios[2], requests[2]; /* [write] */
	uint64_t back_merges, front_merges;
	uint64_t pages[2];
	uint64_t request_waits; /* sleeps for a free request */
};

const struct block_stats *queue_stats(const struct queue *q);
