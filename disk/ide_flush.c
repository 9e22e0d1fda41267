/*
 * Write-back: when and in which order dirty data goes to the platter.
 *
 * It starts when the arm has been idle for flush_idle, when a new write finds
 * no room, and on FLUSH CACHE; and then goes on until everything is clean or
 * a command wants the arm. Data goes in chunks; a chunk on its way is never
 * interrupted, so a chunk is the longest wait of a read for write-back.
 * While a chunk is written, new commands go in and out of the buffer.
 *
 * Leaves out: the order real firmware uses, which is nobody's knowledge; and
 * several chunks in one pass that are not adjacent.
 */
#include "disk/ide_drive.h"

#include "emu/bug.h"

/*
 * 128 KiB: the largest request of the kernels of the time; but small against
 * the limit, so that new data comes in while a chunk goes out. A choice.
 */
#define CHUNK	    256u
#define CHUNK_SHARE 4u

bool ide_unwritten(const struct ide *ide)
{
	return ide->buffer.nr_dirty > 0 ||
	       ide->writing.first != ide->writing.end;
}

static unsigned flush_nearest(const struct ide *ide, simtime at)
{
	simtime least = SIMTIME_MAX;
	unsigned best = 0;

	for (unsigned i = 0; i < ide->buffer.nr_dirty; i++) {
		struct position p;
		simtime cost;

		geometry_find(&ide->mech.geometry, ide->buffer.dirty[i].first,
			      &p);
		cost = mech_position_time(&ide->mech, &p, true, at);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}

/* One way over the disk, then again from the outer edge. */
static unsigned flush_ascending(const struct ide *ide)
{
	for (unsigned i = 0; i < ide->buffer.nr_dirty; i++)
		if (ide->buffer.dirty[i].first >= ide->swept)
			return i;
	return 0;
}

static uint32_t flush_chunk_size(const struct ide *ide)
{
	uint64_t most = ide->buffer.dirty_limit / CHUNK_SHARE;

	if (most > CHUNK)
		return CHUNK;
	return most ? (uint32_t)most : 1;
}

static void flush_chunk(struct ide *ide)
{
	simtime now = ide->disk.events->now, at;
	unsigned i;

	ide_stop_stream(ide, ide_later(now, ide->arm_free));
	at = ide_later(now, ide->arm_free);
	i = ide->spec.flush_order == FLUSH_NEAREST ? flush_nearest(ide, at)
						   : flush_ascending(ide);
	ide->writing = buffer_take(&ide->buffer, i, flush_chunk_size(ide));
	ide->swept = ide->writing.end;
	event_post(ide->disk.events, &ide->written,
		   ide_write_media(ide, ide->writing, at));
}

static void flush_wait_idle(struct ide *ide)
{
	simtime from = ide_later(ide->disk.events->now, ide->arm_free);

	if (!ide->idle.pending)
		event_post(ide->disk.events, &ide->idle,
			   from + ide->spec.flush_idle);
}

void ide_flush_yield(struct ide *ide)
{
	ide->flushing = false;
	event_cancel(ide->disk.events, &ide->idle);
}

void ide_flush(struct ide *ide)
{
	if (ide->writing.first != ide->writing.end)
		return;
	if (ide->buffer.nr_dirty == 0) {
		ide_flush_yield(ide);
		return;
	}
	if (ide->active && ide->uses_arm)
		return; /* comes back when that is done */
	if (ide->flushing)
		flush_chunk(ide);
	else
		flush_wait_idle(ide);
}

static void flush_written(void *arg)
{
	struct ide *ide = arg;

	BUG_ON(ide->writing.first == ide->writing.end);
	ide->writing = (struct extent){ 0, 0 };
	ide_flush(ide);
	ide_retry(ide);
}

static void flush_idle(void *arg)
{
	struct ide *ide = arg;

	ide->flushing = true;
	ide_flush(ide);
}

void ide_flush_init(struct ide *ide)
{
	event_init(&ide->written, flush_written, ide);
	event_init(&ide->idle, flush_idle, ide);
}
