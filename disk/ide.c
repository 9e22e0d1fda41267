/*
 * An IDE drive: takes commands, has them served by the buffer or the arm, and
 * reports completions.
 *
 * One command is in service at a time. Its overhead comes first (serial), or
 * was spent while the command before was in service (overlapped, a queued
 * drive). A read then comes from the write cache, a segment, the reading
 * ahead under way, or the platter; a write goes into the cache if that is on,
 * else to the platter while the bus is still sending.
 *
 * Leaves out: PIO, the phases of tagged queuing on the bus (10 to 20 us of
 * the host's time each), a second drive on the cable.
 */
#include "disk/ide.h"

#include "disk/ide_drive.h"
#include "emu/bug.h"

#include <stdlib.h>

/* The command's share of the drive's controller is over at this time. */
static simtime ide_ready(struct ide *ide, const struct disk_request *rq,
			 simtime overhead, simtime delay)
{
	simtime now = ide->disk.events->now, ready;

	if (ide->spec.overhead_mode == OVERHEAD_SERIAL)
		ready = now + overhead;
	else
		ready = ide_later(now, rq->arrived + overhead);
	return ready + delay;
}

static simtime ide_start_read(struct ide *ide, const struct disk_request *rq,
			      simtime delay)
{
	simtime at = ide_ready(ide, rq, ide->spec.hit_overhead, delay);
	simtime done = ide_read_buffer(ide, rq, at);

	if (done >= 0) {
		ide->disk.stats.overhead += ide->spec.hit_overhead + delay;
		ide->disk.stats.cache_hits++;
		return done;
	}
	ide->uses_arm = true;
	ide_flush_yield(ide);
	ide->disk.stats.overhead += ide->spec.overhead + delay;
	at = ide_ready(ide, rq, ide->spec.overhead, delay);
	return ide_read_media(ide, rq, ide_later(at, ide->arm_free));
}

static simtime ide_write_through(struct ide *ide, const struct disk_request *rq,
				 simtime delay)
{
	struct extent what = { rq->start, rq->start + rq->sectors };
	simtime at = ide_ready(ide, rq, ide->spec.overhead, delay);
	simtime sent = at + rq->sectors * ide->spec.bus_sector;
	struct position where;

	ide->uses_arm = true;
	ide_flush_yield(ide);
	ide->disk.stats.overhead += ide->spec.overhead + delay;
	buffer_clean(&ide->buffer, rq->start, rq->sectors);
	ide_stop_stream(ide, ide_later(at, ide->arm_free));
	buffer_invalidate(&ide->buffer, rq->start, rq->sectors);
	at = ide_later(at, ide->arm_free);
	/* the first sector must have come; a seek hides that */
	geometry_find(&ide->mech.geometry, rq->start, &where);
	if (mech_move_time(&ide->mech, &where, true) == 0)
		at += ide->spec.bus_sector;
	return ide_later(ide_write_media(ide, what, at), sent);
}

/* -1: no room in the write cache until some of it has been written. */
static simtime ide_write_cached(struct ide *ide, const struct disk_request *rq,
				simtime delay)
{
	uint64_t held = ide->buffer.dirty_sectors + ide->writing.end -
			ide->writing.first;
	simtime at = ide_ready(ide, rq, ide->spec.hit_overhead, delay);

	if (held + rq->sectors > ide->buffer.dirty_limit)
		return -1;
	ide->disk.stats.overhead += ide->spec.hit_overhead + delay;
	ide_break_stream(ide, rq->start, rq->sectors);
	buffer_invalidate(&ide->buffer, rq->start, rq->sectors);
	return at + rq->sectors * ide->spec.bus_sector;
}

static simtime ide_start_write(struct ide *ide, const struct disk_request *rq,
			       simtime delay)
{
	if (rq->sectors == 0) {
		if (ide_unwritten(ide))
			return -1;
		return ide_ready(ide, rq, ide->spec.hit_overhead, delay);
	}
	if (!ide->write_cache || rq->sectors > ide->buffer.dirty_limit)
		return ide_write_through(ide, rq, delay);
	return ide_write_cached(ide, rq, delay);
}

/* Serve the active command; it may have to wait for dirty data to go. */
static void ide_start(struct ide *ide, simtime delay)
{
	struct disk_request *rq = ide->active;
	simtime done;

	ide->error = DISK_OK;
	ide->uses_arm = false;
	ide->wants_room = false;
	done = rq->write ? ide_start_write(ide, rq, delay)
			 : ide_start_read(ide, rq, delay);
	if (done >= 0) {
		event_post(ide->disk.events, &ide->done, done);
		return;
	}
	ide->wants_room = true;
	ide->flushing = true;
	ide_flush(ide);
}

void ide_retry(struct ide *ide)
{
	if (ide->active && ide->wants_room)
		ide_start(ide, 0);
}

/* Take the i-th command out of the queue and serve it. */
static void ide_begin(struct ide *ide, unsigned i)
{
	struct ide_command c = ide->queue[i];
	bool hang = false;
	simtime delay = ide_fault_delay(ide, &c, &hang);

	if (hang) {
		ide_hang(ide, &ide->queue[i]);
		return;
	}
	ide->queued--;
	for (unsigned j = i; j < ide->queued; j++)
		ide->queue[j] = ide->queue[j + 1];
	ide->active = c.rq;
	ide_start(ide, delay);
}

static void ide_wake_at(struct ide *ide, simtime at)
{
	event_cancel(ide->disk.events, &ide->wake);
	if (at != SIMTIME_MAX)
		event_post(ide->disk.events, &ide->wake, at);
}

/* Nothing to serve now: when will there be? */
static void ide_sleep(struct ide *ide)
{
	simtime at = SIMTIME_MAX;

	for (unsigned i = 0; i < ide->queued; i++)
		if (!ide->queue[i].lost && ide->queue[i].rq->arrived < at)
			at = ide->queue[i].rq->arrived;
	ide_wake_at(ide, at);
}

void ide_next(struct ide *ide)
{
	int i;

	if (ide->active)
		return;
	if (ide->off_until > ide->disk.events->now) {
		ide_watch(ide);
		ide_wake_at(ide, ide->off_until);
		return;
	}
	i = ide_pick(ide);
	if (i >= 0)
		ide_begin(ide, (unsigned)i);
	else
		ide_sleep(ide);
	ide_flush(ide);
}

static void ide_done(void *arg)
{
	struct ide *ide = arg;
	struct disk_request *rq = ide->active;
	enum disk_error error = ide->error;

	BUG_ON(!rq);
	if (ide->repeat) {
		ide->repeat = false;
		ide_start(ide, 0);
		return;
	}
	if (rq->write && rq->sectors && !ide->uses_arm)
		buffer_dirty(&ide->buffer, rq->start, rq->sectors);
	ide->active = NULL;
	/* the drive goes on before the host can react */
	ide_next(ide);
	disk_complete(&ide->disk, rq, error);
}

static void ide_wake(void *arg)
{
	ide_next(arg);
}

static void ide_submit(struct disk *disk, struct disk_request *rq, simtime at)
{
	struct ide *ide = container_of(disk, struct ide, disk);
	struct ide_command *c = &ide->queue[ide->queued];

	BUG_ON(ide->queued >= DRIVE_QUEUE || rq->arrived != at);
	*c = (struct ide_command){ .rq = rq };
	if (rq->sectors)
		geometry_find(&ide->mech.geometry, rq->start, &c->where);
	ide->queued++;
	ide_next(ide);
}

static void ide_finish(struct disk *disk)
{
	struct ide *ide = container_of(disk, struct ide, disk);
	struct event *event[] = { &ide->wake,	 &ide->done, &ide->written,
				  &ide->timeout, &ide->idle, NULL };

	for (struct event **e = event; *e; e++)
		event_cancel(disk->events, *e);
	mech_finish(&ide->mech);
	buffer_finish(&ide->buffer);
	defects_finish(&ide->defects);
	free(ide->fault);
}

static const struct disk_ops ide_ops = {
	.name = "ide",
	.submit = ide_submit,
	.finish = ide_finish,
};

bool ide_is(const struct disk *disk)
{
	return disk->ops == &ide_ops;
}

struct disk *ide_new(const struct drive_spec *spec, unsigned id, simtime phase,
		     struct events *events, struct trace *trace)
{
	struct ide *ide = xcalloc(1, sizeof(*ide));

	ide->spec = *spec;
	ide->spec.name = NULL;
	mech_init(&ide->mech, spec, phase);
	buffer_init(&ide->buffer, spec);
	defects_init(&ide->defects, (uint32_t)spec->spares);
	ide->write_cache = spec->write_cache;
	disk_init(&ide->disk, &ide_ops, id, ide->mech.geometry.sectors,
		  (unsigned)spec->depth, events);
	ide->disk.trace = trace;
	event_init(&ide->wake, ide_wake, ide);
	event_init(&ide->done, ide_done, ide);
	ide_flush_init(ide);
	ide_fault_init(ide);
	return &ide->disk;
}

uint64_t ide_dirty_sectors(const struct disk *disk)
{
	const struct ide *ide = container_of(disk, struct ide, disk);

	return ide->buffer.dirty_sectors + ide->writing.end -
	       ide->writing.first;
}

uint32_t ide_moved_sectors(const struct disk *disk)
{
	const struct ide *ide = container_of(disk, struct ide, disk);

	return ide->defects.spares_used;
}
