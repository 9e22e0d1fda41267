/*
 * What the arm does for commands: passes over tracks, detours to spare
 * sectors, retries, and reading ahead.
 *
 * Models a drive that after a read miss goes on reading until its segment is
 * full or the arm is wanted, and then stops at the next sector boundary. A
 * read of what is on its way under the head just waits for it: that decides
 * whether sequential small reads run at media speed or at one in a turn.
 *
 * Leaves out: reading ahead backwards or before the request, and into a
 * second segment.
 */
#include "disk/ide_drive.h"

#include "emu/bug.h"

/* One recovery attempt in eight recalibrates: a full stroke and settling. */
#define RECALIBRATE_EVERY 8u
/* Read errors recovered this late get their sector moved. */
#define MOVE_AT_TRIES 4u
/* Rewrite and verify before a sector is given up when it is written. */
#define MOVE_TURNS 2

static uint32_t extent_sectors(struct extent e)
{
	return (uint32_t)(e.end - e.first);
}

static void ide_account(struct ide *ide, const struct mech_run *run)
{
	struct disk_stats *s = &ide->disk.stats;

	s->seek += run->arrive - run->start;
	s->rotation += run->begin - run->arrive;
	s->transfer += run->end - run->begin;
	if (ide->disk.trace && run->from_cylinder != run->cylinder)
		trace_emit(ide->disk.trace, TR_DISK_SEEK, ide->disk.id,
			   run->from_cylinder, run->cylinder,
			   (uint64_t)(run->arrive - run->start));
}

/*
 * The bus sends sector by sector as they come in, so the last has left when
 * whichever is slower, bus or platter, has dealt with it.
 */
static simtime ide_bus(const struct ide *ide, const struct mech_run *run,
		       simtime bus)
{
	simtime each = ide->spec.bus_sector;
	simtime first = mech_sector_done(&ide->mech, run, run->first);

	bus = ide_later(bus, first) + run->sectors * each;
	return ide_later(bus, run->end + each);
}

/* Give a sector a spare in place of itself. */
static void ide_move_sector(struct ide *ide, sector s)
{
	if (!defects_move(&ide->defects, s)) {
		/* no spares: IBM's drives then switch the cache off */
		ide->write_cache = false;
		defects_clear(&ide->defects, s);
	}
}

/* One more pass of a sweep: up to a moved sector, or that sector itself. */
static void ide_sweep_pass(struct ide *ide, struct extent left, bool write,
			   simtime at, struct mech_run *run)
{
	const struct defect *d =
		defects_find(&ide->defects, left.first, extent_sectors(left));

	while (d && d->kind != DEFECT_MOVED)
		d = defects_find(&ide->defects, d->sector + 1,
				 left.end - d->sector - 1);
	if (d && d->sector == left.first) {
		mech_pass_spare(&ide->mech, d->value, left.first, write, at,
				run);
		return;
	}
	mech_pass(&ide->mech, left.first,
		  (uint32_t)((d ? d->sector : left.end) - left.first), write,
		  at, run);
}

simtime ide_sweep(struct ide *ide, struct extent what, bool write, simtime at,
		  simtime *bus)
{
	BUG_ON(what.first >= what.end);
	while (what.first < what.end) {
		struct mech_run run;

		ide_sweep_pass(ide, what, write, at, &run);
		ide_account(ide, &run);
		if (bus)
			*bus = ide_bus(ide, &run, *bus);
		at = run.end;
		what.first += run.sectors;
	}
	ide->arm_free = at;
	return at;
}

static simtime ide_recalibrate(const struct ide *ide)
{
	const struct seek *seek = &ide->mech.seek;

	return seek->time[seek->cylinders - 1] + ide->spec.write_settle;
}

/* Nothing comes after a sector that cannot be read. */
static void ide_cut_unreadable(struct ide *ide, struct extent *what)
{
	sector from = what->first;

	while (from < what->end) {
		const struct defect *d =
			defects_find(&ide->defects, from, what->end - from);
		if (!d)
			return;
		from = d->sector + 1;
		if (d->kind == DEFECT_UNREADABLE) {
			what->end = from;
			ide->error = DISK_MEDIA_ERROR;
		}
	}
}

/* Time spent on sectors that read badly, after the head has been there. */
static simtime ide_read_trouble(struct ide *ide, struct extent what)
{
	simtime spent = ide->error ? ide->spec.read_retry : 0;

	while (what.first < what.end) {
		const struct defect *d = defects_find(&ide->defects, what.first,
						      extent_sectors(what));
		uint32_t tries;

		if (!d)
			break;
		what.first = d->sector + 1;
		if (d->kind != DEFECT_WEAK)
			continue;
		tries = d->value;
		spent += tries * mech_turn(&ide->mech);
		spent += tries / RECALIBRATE_EVERY * ide_recalibrate(ide);
		if (tries >= MOVE_AT_TRIES)
			ide_move_sector(ide, d->sector);
		else
			defects_clear(&ide->defects, d->sector);
	}
	return spent;
}

/* The same after writing: bad sectors are found by verifying, and moved. */
static simtime ide_write_trouble(struct ide *ide, struct extent what)
{
	simtime spent = 0;

	while (what.first < what.end) {
		struct defect *d = defects_find(&ide->defects, what.first,
						extent_sectors(what));
		if (!d)
			break;
		what.first = d->sector + 1;
		if (d->kind == DEFECT_UNREADABLE) {
			spent += MOVE_TURNS * mech_turn(&ide->mech);
			ide_move_sector(ide, d->sector);
		} else if (d->kind == DEFECT_WEAK) {
			defects_clear(&ide->defects, d->sector);
		}
	}
	return spent;
}

simtime ide_write_media(struct ide *ide, struct extent what, simtime at)
{
	ide_sweep(ide, what, true, at, NULL);
	ide->arm_free += ide_write_trouble(ide, what);
	return ide->arm_free;
}

static sector run_end(const struct mech_run *run)
{
	return run->first + run->sectors;
}

/* Start the next pass of the stream at time at; stop before bad sectors. */
static void ide_stream_pass(struct ide *ide, sector from, simtime at)
{
	struct ide_stream *st = &ide->stream;
	const struct defect *d;
	sector limit = st->limit;

	if (limit > ide->disk.sectors)
		limit = ide->disk.sectors;
	d = limit > from ? defects_find(&ide->defects, from, limit - from)
			 : NULL;
	if (d)
		limit = d->sector;
	st->active = from < limit;
	if (st->active)
		mech_pass(&ide->mech, from, (uint32_t)(limit - from), false, at,
			  &st->run);
}

/* Let the stream go on up to time at. */
static void ide_stream_settle(struct ide *ide, simtime at)
{
	struct ide_stream *st = &ide->stream;

	while (st->active && st->run.end <= at) {
		buffer_extend(&ide->buffer, st->segment, run_end(&st->run));
		ide_stream_pass(ide, run_end(&st->run), st->run.end);
	}
}

void ide_stop_stream(struct ide *ide, simtime at)
{
	struct ide_stream *st = &ide->stream;
	const struct mech_run *run = &st->run;
	sector passed;

	ide_stream_settle(ide, at);
	if (!st->active)
		return;
	st->active = false;
	if (at <= run->begin) {
		/* between tracks: a move is not broken off */
		ide->arm_free = ide_later(at, run->arrive);
		return;
	}
	passed = mech_next_boundary(&ide->mech, run, at);
	buffer_extend(&ide->buffer, st->segment, passed);
	ide->arm_free =
		ide_later(at, mech_sector_done(&ide->mech, run, passed - 1));
}

void ide_break_stream(struct ide *ide, sector first, uint64_t sectors)
{
	const struct ide_stream *st = &ide->stream;

	if (st->active && first < st->limit &&
	    first + sectors > st->segment->data.first)
		ide_stop_stream(
			ide, ide_later(ide->disk.events->now, ide->arm_free));
}

/* Go on reading into this segment after the arm has got to its end. */
static void ide_start_stream(struct ide *ide, struct segment *seg,
			     sector wanted, simtime at)
{
	struct ide_stream *st = &ide->stream;

	st->segment = seg;
	st->limit = wanted;
	if (ide->spec.read_ahead)
		st->limit += ide->buffer.segment_sectors;
	ide_stream_pass(ide, seg->data.end, at);
}

simtime ide_read_media(struct ide *ide, const struct disk_request *rq,
		       simtime at)
{
	struct extent what = { rq->start, rq->start + rq->sectors };
	simtime bus = at, trouble;
	struct segment *seg;

	ide_stop_stream(ide, at);
	ide_cut_unreadable(ide, &what);
	at = ide_later(at, ide->arm_free);
	ide_sweep(ide, what, false, at, &bus);
	trouble = ide_read_trouble(ide, what);
	ide->arm_free += trouble;
	if (ide->error)
		return ide->arm_free;

	seg = buffer_find(&ide->buffer, rq->start);
	if (!seg)
		seg = buffer_start(&ide->buffer, rq->start);
	if (seg) {
		buffer_touch(&ide->buffer, seg);
		if (seg->data.end < what.end)
			buffer_extend(&ide->buffer, seg, what.end);
		if (seg->data.end == what.end)
			ide_start_stream(ide, seg, what.end, ide->arm_free);
	}
	return bus + trouble;
}

/* Is it in this segment, or on its way into it in the pass under way? */
static bool ide_stream_covers(const struct ide *ide, const struct segment *seg,
			      const struct disk_request *rq)
{
	const struct ide_stream *st = &ide->stream;

	if (rq->start < seg->data.first)
		return false;
	if (rq->start + rq->sectors <= seg->data.end)
		return true;
	return st->active && st->segment == seg &&
	       rq->start < run_end(&st->run) &&
	       !defects_find(&ide->defects, rq->start, rq->sectors);
}

static struct segment *ide_serving_segment(struct ide *ide,
					   const struct disk_request *rq)
{
	struct segment *seg = buffer_find(&ide->buffer, rq->start);

	if (seg && ide_stream_covers(ide, seg, rq))
		return seg;
	seg = ide->stream.active ? ide->stream.segment : NULL;
	return seg && ide_stream_covers(ide, seg, rq) ? seg : NULL;
}

static bool ide_in_write_cache(const struct ide *ide,
			       const struct disk_request *rq)
{
	if (buffer_is_dirty(&ide->buffer, rq->start, rq->sectors))
		return true;
	return rq->start >= ide->writing.first &&
	       rq->start + rq->sectors <= ide->writing.end;
}

bool ide_in_buffer(struct ide *ide, const struct disk_request *rq)
{
	ide_stream_settle(ide, ide->disk.events->now);
	return ide_in_write_cache(ide, rq) || ide_serving_segment(ide, rq);
}

/* The reading ahead follows the host: as far beyond it as the segment is. */
static void ide_stream_follow(struct ide *ide, struct segment *seg, sector end)
{
	struct ide_stream *st = &ide->stream;
	simtime now = ide->disk.events->now;

	if (!ide->spec.read_ahead || end <= seg->data.first)
		return;
	if (st->active && st->segment == seg)
		st->limit = end + ide->buffer.segment_sectors;
	else if (!st->active && st->segment == seg && !ide->flushing &&
		 ide->writing.first == ide->writing.end &&
		 seg->data.end < end + ide->buffer.segment_sectors)
		ide_start_stream(ide, seg, end, ide_later(now, ide->arm_free));
}

simtime ide_read_buffer(struct ide *ide, const struct disk_request *rq,
			simtime at)
{
	simtime each = ide->spec.bus_sector, done = at + rq->sectors * each;
	sector end = rq->start + rq->sectors;
	struct ide_stream *st = &ide->stream;
	struct segment *seg;

	ide_stream_settle(ide, ide->disk.events->now);
	if (ide_in_write_cache(ide, rq))
		return done;
	seg = ide_serving_segment(ide, rq);
	if (!seg)
		return -1;
	buffer_touch(&ide->buffer, seg);
	ide_stream_follow(ide, seg, end);
	if (end > seg->data.end) {
		simtime passed;

		BUG_ON(!st->active);
		while (end > run_end(&st->run)) {
			ide_stream_settle(ide, st->run.end);
			BUG_ON(!st->active);
		}
		passed = mech_sector_done(&ide->mech, &st->run, end - 1);
		ide->disk.stats.transfer += ide_later(0, passed - at);
		ide->arm_free = passed;
		done = ide_later(done, passed + each);
	}
	return done;
}
