/*
 * The driver: requests to the device, content between frames and media, and
 * the interrupt at the end.
 *
 * Models      drivers/ide of 2.6.18 for a device that takes one command at a
 *             time: the request stays at the head of the dispatch list until
 *             it is done. For a deeper device, drivers/scsi: it is taken off.
 * Leaves out  retries by the driver (the device model has its own), partial
 *             completion: an error is the whole request's.
 *
 * Content moves when the device is done, all of a request at once: pages
 * under I/O are locked or unmapped, so nobody can tell from memory.
 */
#include "os/elevator.h"
#include "os/kernel.h"

#include <string.h>

/* One page, between a frame and the device. */
static void page_read(struct queue *q, pfn frame, uint64_t block)
{
	struct ram *ram = q->k->ram;
	uint64_t tag;

	if (media_read(q->media, block, &tag, q->bounce))
		memcpy(ram_poke(ram, frame), q->bounce, PAGE_SIZE);
	else
		ram_clear(ram, frame);
	ram->tag[frame] = tag;
}

static void bio_move(struct queue *q, const struct bio *bio)
{
	const struct ram *ram = q->k->ram;
	uint64_t block = bio->start / SECTORS_PER_PAGE;

	for (uint32_t i = 0; i < bio->pages; i++) {
		pfn frame = bio->page[i];

		if (bio->write)
			media_write(q->media, block + i, ram->tag[frame],
				    ram_peek(ram, frame));
		else
			page_read(q, frame, block + i);
	}
}

/* Tell the owners, in sector order. */
static void request_end_bios(struct request *rq, enum disk_error error)
{
	struct queue *q = rq->q;
	struct bio *bio = rq->first;

	rq->first = NULL;
	rq->last = NULL;
	while (bio) {
		struct bio *next = bio->next;

		bio->next = NULL;
		if (error == DISK_OK)
			bio_move(q, bio);
		bio->end(q->k, bio, error);
		bio_release(q, bio);
		bio = next;
	}
}

/* The interrupt. */
static void driver_done(struct disk_request *disk_rq, enum disk_error error)
{
	struct request *rq = disk_rq->owner;
	struct queue *q = rq->q;
	struct kernel *k = q->k;

	BUG_ON(!rq->started || !rq->in_use);
	k->interrupts++;
	cpu_charge(k->cpu, (uint64_t)k->cost.interrupt);
	trace_emit(k->trace, TR_RQ_DONE, q->disk->id, rq->disk.start,
		   rq->disk.sectors, rq->disk.write);

	request_end_bios(rq, error);
	if (list_empty(&rq->link))
		q->taken--;
	list_del(&rq->link);
	if (q->elevator->completed)
		q->elevator->completed(q, rq);
	q->at_driver--;
	request_put(rq);
	driver_run(q);
}

static void driver_start(struct queue *q, struct request *rq)
{
	struct kernel *k = q->k;

	BUG_ON(rq->started);
	rq->started = true;
	q->end_sector = request_end(rq);
	q->at_driver++;
	if (q->disk->depth > 1) {
		list_del(&rq->link);
		q->taken++;
	}
	if (q->elevator->started)
		q->elevator->started(q, rq);
	q->stats.requests[rq->disk.write]++;
	q->stats.pages[rq->disk.write] += rq->disk.sectors / SECTORS_PER_PAGE;

	cpu_charge(k->cpu, (uint64_t)k->cost.request);
	trace_emit(k->trace, TR_RQ_DISPATCH, q->disk->id, rq->disk.start,
		   rq->disk.sectors, rq->disk.write);
	rq->disk.done = driver_done;
	rq->disk.owner = rq;
	disk_submit(q->disk, &rq->disk, kernel_now(k));
}

/* An IDE driver does not ask the elevator of an empty queue (choose_drive). */
void driver_run(struct queue *q)
{
	if (q->disk->depth == 1 && queue_empty(q))
		return;
	while (!q->plugged && !disk_full(q->disk)) {
		struct request *rq = elevator_next(q);

		if (!rq)
			return;
		driver_start(q, rq);
	}
}
