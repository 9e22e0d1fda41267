/*
 * Just enough of a machine for tests of the block layer: a CPU, a kernel with
 * the real scheduler and wait queues but no memory management, a device of
 * constant service time, and a log of what it was sent.
 */
#pragma once

#include "cpu/cpu.h"
#include "emu/bug.h"
#include "os/elevator.h"
#include "os/kernel.h"

#include <stdlib.h>
#include <string.h>

#define BK_FRAMES  4096u
#define BK_KHZ	   1000000   /* a cycle is a ns */
#define BK_SECTORS 16777216u /* 8 GiB */
#define BK_DEPTH   8
#define BK_LOG	   4096
#define BK_TASKS   8

struct bk_device {
	struct disk disk;
	simtime service;
	enum disk_error error; /* of every request */
	struct bk_command {
		struct bk_device *device;
		struct disk_request *rq;
		struct event event;
	} command[BK_DEPTH];
};

struct bk_entry {
	simtime at, done; /* dispatched, completed */
	sector start;
	uint32_t sectors;
	bool write;
};

struct bk {
	struct events events;
	struct trace trace;
	struct ram ram;
	struct cpu cpu;
	struct kernel k;
	struct bk_device device;
	struct media *media;
	struct queue *q;
	struct queue_config config;

	struct bk_entry log[BK_LOG];
	unsigned logged, completed;
	unsigned bios_done, errors;
	sector last_end;	    /* start of the bio that ended last */
	struct wait_queue done;	    /* a bio has ended */
	unsigned pending[BK_TASKS]; /* bios under way, by bio.owner */
};

static void bk_command_done(void *arg)
{
	struct bk_command *c = arg;
	struct disk_request *rq = c->rq;

	c->rq = NULL;
	disk_complete(&c->device->disk, rq, c->device->error);
}

static void bk_submit(struct disk *disk, struct disk_request *rq, simtime at)
{
	struct bk_device *d = container_of(disk, struct bk_device, disk);
	struct bk_command *c = d->command;

	while (c->rq)
		c++;
	BUG_ON(c >= d->command + disk->depth);
	c->rq = rq;
	event_post(disk->events, &c->event, at + d->service);
}

static void bk_listen(void *arg, const struct trace_event *ev)
{
	struct bk *b = arg;
	struct bk_entry *e;

	if (ev->kind == TR_RQ_DISPATCH) {
		BUG_ON(b->logged == BK_LOG);
		b->log[b->logged++] = (struct bk_entry){
			.at = cpu_now(&b->cpu),
			.start = ev->v[1],
			.sectors = (uint32_t)ev->v[2],
			.write = ev->v[3],
		};
		return;
	}
	for (e = b->log; e->start != ev->v[1] || e->done; e++)
		BUG_ON(e >= b->log + b->logged);
	e->done = cpu_now(&b->cpu);
	b->completed++;
}

static const struct disk_ops bk_disk_ops = { .name = "constant",
					     .submit = bk_submit };

static void bk_device_init(struct bk *b, unsigned depth, simtime service)
{
	struct bk_device *d = &b->device;

	disk_init(&d->disk, &bk_disk_ops, 0, BK_SECTORS, depth, &b->events);
	d->service = service;
	for (unsigned i = 0; i < BK_DEPTH; i++) {
		d->command[i].device = d;
		event_init(&d->command[i].event, bk_command_done,
			   &d->command[i]);
	}
}

static void bk_kernel_init(struct bk *b, unsigned hz)
{
	struct kernel *k = &b->k;

	k->config.hz = hz;
	k->events = &b->events;
	k->trace = &b->trace;
	k->ram = &b->ram;
	k->cpu = &b->cpu;
	k->cost.bio = 1500;
	k->cost.interrupt = 4000;
	k->cost.request = 4000;
	k->cost.context_switch = 2000;
	list_init(&k->tasks);
	list_init(&k->mms);
	k->coros = coro_pool_new(65536);
	sched_init(k);
}

/* A machine at time 0 with one queue; options NULL: the defaults. */
static inline struct bk *bk_new(const char *elevator, void *options,
				unsigned hz, unsigned depth, simtime service)
{
	const struct tlb_geometry geometry = { 64, 4 };
	struct bk *b = xcalloc(1, sizeof(*b));

	events_init(&b->events);
	trace_init(&b->trace, trace_variable, &b->events.now);
	trace_subscribe(&b->trace, bk_listen, b,
			1ULL << TR_RQ_DISPATCH | 1ULL << TR_RQ_DONE);
	ram_init(&b->ram, BK_FRAMES);
	cpu_init(&b->cpu, 0, BK_KHZ, 10, &b->events, &b->ram, geometry,
		 geometry);
	bk_kernel_init(b, hz);
	bk_device_init(b, depth, service);
	b->media = media_new(BK_SECTORS / SECTORS_PER_PAGE);
	wait_queue_init(&b->done);
	b->config = (struct queue_config){ .elevator = elevator_find(elevator),
					   .elevator_options = options,
					   .nr_requests = 128,
					   .max_sectors = 1024 };
	b->q = queue_new(&b->k, &b->device.disk, b->media, &b->config);
	return b;
}

static inline void bk_free(struct bk *b)
{
	task_finish_all(&b->k);
	queue_free(b->q);
	sched_finish(&b->k);
	coro_pool_free(b->k.coros);
	media_free(b->media);
	cpu_finish(&b->cpu);
	ram_finish(&b->ram);
	events_finish(&b->events);
	free(b);
}

/* Until nothing can happen any more. */
static inline void bk_run(struct bk *b)
{
	BUG_ON(sched_run(&b->k));
	BUG_ON(b->completed != b->logged);
	BUG_ON(queue_in_use(b->q));
}

/* Empty the log; everything in it is done. */
static inline void bk_forget(struct bk *b)
{
	BUG_ON(b->completed != b->logged);
	b->logged = 0;
	b->completed = 0;
}

static void bk_end(struct kernel *k, struct bio *bio, enum disk_error error)
{
	struct bk *b = container_of(k, struct bk, k);
	unsigned *pending = bio->owner;

	BUG_ON(*pending == 0);
	--*pending;
	b->bios_done++;
	b->last_end = bio->start;
	if (error != DISK_OK)
		b->errors++;
	wake_up(k, &b->done, 0, WAKE_ALL);
}

/* Submit pages pages from frame 1 on; task is an index into pending. */
static inline void bk_io(struct bk *b, unsigned task, sector start,
			 unsigned pages, bool write)
{
	struct bio *bio = bio_new(b->q, start, write, bk_end);

	BUG_ON(task >= BK_TASKS);
	bio->owner = &b->pending[task];
	for (unsigned i = 0; i < pages; i++)
		bio->page[bio->pages++] = 1 + i;
	b->pending[task]++;
	block_submit(b->q, bio);
}

/* Until all I/O of a task is done, as a reader waits for its page. */
static inline void bk_wait(struct bk *b, unsigned task)
{
	while (b->pending[task]) {
		queue_unplug(b->q);
		wait_on(&b->k, &b->done, 0, WAIT_IO, "test");
	}
}
