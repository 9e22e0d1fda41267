/*
 * Trouble by request: bad sectors, slow and hung drives, bad transfers, and
 * power cuts.
 *
 * A hung drive answers nothing until the host's time-out of the hung command
 * resets it; that command fails, and commands that were waiting behind it are
 * served afterwards. A power cut loses what only the buffer has and every
 * command inside; the host notices by their time-outs.
 *
 * Leaves out: the host's fall-back towards PIO after a time-out, and its
 * retries after an error (2.4 and 2.6 do not retry unreadable sectors).
 */
#include "disk/ide_drive.h"

#include "emu/bug.h"

#include <stdlib.h>

static const char *const kind_names[] = { "read-weak", "read-hard", "slow",
					  "crc",       "hang",	    "power-cut",
					  NULL };

#define FIELD(name) offsetof(struct ide_fault, name)
#define ANY	    INT64_MAX

/* Bad sectors are kept one by one; so many at once are a dead drive. */
#define MAX_BAD 65536

const struct param ide_fault_params[] = {
	{ "kind", PARAM_ENUM, FIELD(kind), "read-hard", "what goes wrong", 0, 0,
	  kind_names },
	{ "start", PARAM_INT, FIELD(start), "0", "first sector", 0, ANY, NULL },
	{ "sectors", PARAM_INT, FIELD(sectors), "1",
	  "how many sectors; 0 is to the end of the drive", 0, ANY, NULL },
	{ "reads", PARAM_BOOL, FIELD(reads), "yes",
	  "slow, crc, hang: reads match", 0, 0, NULL },
	{ "writes", PARAM_BOOL, FIELD(writes), "yes",
	  "slow, crc, hang: writes match", 0, 0, NULL },
	{ "head", PARAM_INT, FIELD(head), "-1",
	  "slow, crc, hang: only commands that start on this head; -1 is any",
	  -1, 254, NULL },
	{ "tries", PARAM_INT, FIELD(tries), "1",
	  "read-weak: failures before a success; from 4 on the sector is moved",
	  1, 256, NULL },
	{ "count", PARAM_INT, FIELD(count), "1",
	  "slow, crc, hang: commands until it is over; 0 is for ever", 0, ANY,
	  NULL },
	{ "delay", PARAM_TIME, FIELD(delay), "100ms",
	  "slow: how much longer; power-cut: how long the power is off", 0, ANY,
	  NULL },
	{ NULL, PARAM_END, 0, NULL, NULL, 0, 0, NULL },
};

static uint64_t fault_sectors(const struct disk *disk,
			      const struct ide_fault *f)
{
	return f->sectors ? (uint64_t)f->sectors
			  : disk->sectors - (uint64_t)f->start;
}

static bool fault_is_bad_sector(const struct ide_fault *f)
{
	return f->kind == IDE_READ_WEAK || f->kind == IDE_READ_HARD;
}

bool ide_fault_check(const struct disk *disk, const struct ide_fault *fault,
		     struct diag *d, struct diag_place place)
{
	uint64_t start = (uint64_t)fault->start;

	if (!ide_is(disk)) {
		diag_error(d, place,
			   "disk fault: a fixed-rate device has no faults");
		return false;
	}
	if (start >= disk->sectors ||
	    fault_sectors(disk, fault) > disk->sectors - start) {
		diag_error(d, place,
			   "disk fault: the drive has only %llu sectors",
			   (unsigned long long)disk->sectors);
		return false;
	}
	if (fault_is_bad_sector(fault) &&
	    fault_sectors(disk, fault) > MAX_BAD) {
		diag_error(d, place,
			   "disk fault: more than %d bad sectors at once",
			   MAX_BAD);
		return false;
	}
	return true;
}

/* Do the fault and the command have anything to do with each other? */
static bool fault_matches(const struct ide *ide, const struct ide_fault *f,
			  const struct ide_command *c)
{
	uint64_t start = (uint64_t)f->start;

	if (c->rq->write ? !f->writes : !f->reads)
		return false;
	if (f->head >= 0 && c->where.head != (uint64_t)f->head)
		return false;
	return c->rq->start < start + fault_sectors(&ide->disk, f) &&
	       c->rq->start + c->rq->sectors > start;
}

/* One command has been hit. True if that was the last. */
static bool fault_spent(struct ide_fault *f)
{
	return f->count > 0 && --f->count == 0;
}

simtime ide_fault_delay(struct ide *ide, const struct ide_command *c,
			bool *hang)
{
	simtime delay = 0;
	unsigned i = 0;

	while (i < ide->nr_faults) {
		struct ide_fault *f = &ide->fault[i];

		if (!fault_matches(ide, f, c)) {
			i++;
			continue;
		}
		if (f->kind == IDE_SLOW)
			delay += f->delay;
		else if (f->kind == IDE_CRC)
			ide->repeat = true;
		else
			*hang = true;
		if (!fault_spent(f)) {
			i++;
			continue;
		}
		ide->nr_faults--;
		for (unsigned j = i; j < ide->nr_faults; j++)
			ide->fault[j] = ide->fault[j + 1];
	}
	return delay;
}

/* When will the host give up on this command? SIMTIME_MAX: never. */
static simtime fault_expiry(const struct ide *ide, const struct ide_command *c)
{
	simtime expiry = c->rq->arrived + ide->spec.command_timeout;

	if (c->lost)
		return expiry;
	/* after a reset the host issues again what was waiting */
	return ide->dark_until > expiry ? expiry : SIMTIME_MAX;
}

void ide_watch(struct ide *ide)
{
	simtime at = SIMTIME_MAX;

	for (unsigned i = 0; i < ide->queued; i++) {
		simtime expiry = fault_expiry(ide, &ide->queue[i]);

		if (expiry < at)
			at = expiry;
	}
	event_cancel(ide->disk.events, &ide->timeout);
	if (at != SIMTIME_MAX)
		event_post(ide->disk.events, &ide->timeout,
			   ide_later(at, ide->disk.events->now));
}

/* Take those out of the queue whose time is over. */
static unsigned fault_expired(struct ide *ide, struct disk_request **out)
{
	simtime now = ide->disk.events->now;
	unsigned n = 0, kept = 0;

	for (unsigned i = 0; i < ide->queued; i++) {
		if (fault_expiry(ide, &ide->queue[i]) <= now)
			out[n++] = ide->queue[i].rq;
		else
			ide->queue[kept++] = ide->queue[i];
	}
	ide->queued = kept;
	return n;
}

static void fault_timeout(void *arg)
{
	struct ide *ide = arg;
	struct disk_request *expired[DRIVE_QUEUE];
	unsigned n = fault_expired(ide, expired);

	if (ide->off_until == SIMTIME_MAX)
		ide->off_until = ide->disk.events->now + ide->spec.reset;
	ide_watch(ide);
	ide_next(ide);
	for (unsigned i = 0; i < n; i++)
		disk_complete(&ide->disk, expired[i], DISK_TIMEOUT);
}

void ide_hang(struct ide *ide, const struct ide_command *c)
{
	ide->queue[c - ide->queue].lost = true;
	ide->repeat = false;
	ide->off_until = SIMTIME_MAX;
	ide_watch(ide);
}

/* Report what is lost: the chunk being written and all dirty extents. */
static void fault_report_loss(struct ide *ide)
{
	struct buffer *b = &ide->buffer;

	if (ide->writing.first != ide->writing.end)
		buffer_dirty(b, ide->writing.first,
			     (uint32_t)(ide->writing.end - ide->writing.first));
	for (unsigned i = 0; i < b->nr_dirty && ide->lost; i++)
		ide->lost(ide->lost_arg, b->dirty[i].first,
			  (uint32_t)(b->dirty[i].end - b->dirty[i].first));
}

/* The command in service goes back to the front of the queue, forgotten. */
static void fault_forget_active(struct ide *ide)
{
	BUG_ON(ide->queued >= DRIVE_QUEUE);
	for (unsigned i = ide->queued; i > 0; i--)
		ide->queue[i] = ide->queue[i - 1];
	ide->queue[0] = (struct ide_command){ .rq = ide->active };
	ide->queued++;
	ide->active = NULL;
}

static void fault_power_cut(struct ide *ide, simtime off)
{
	struct events *events = ide->disk.events;

	fault_report_loss(ide);
	if (ide->active)
		fault_forget_active(ide);
	for (unsigned i = 0; i < ide->queued; i++)
		if (ide->queue[i].rq->arrived <= events->now)
			ide->queue[i].lost = true;
	event_cancel(events, &ide->done);
	event_cancel(events, &ide->written);
	event_cancel(events, &ide->idle);

	buffer_finish(&ide->buffer);
	buffer_init(&ide->buffer, &ide->spec);
	ide->writing = (struct extent){ 0, 0 };
	ide->stream.active = false;
	ide->flushing = false;
	ide->repeat = false;
	ide->dark_until = events->now + off;
	ide->off_until = ide->dark_until + ide->spec.reset;
	ide->arm_free = ide->off_until;
	ide_watch(ide);
	ide_next(ide);
}

static void fault_bad_sectors(struct ide *ide, const struct ide_fault *f)
{
	uint64_t sectors = fault_sectors(&ide->disk, f);

	/* what was read before the damage would hide it */
	ide_break_stream(ide, (sector)f->start, sectors);
	buffer_invalidate(&ide->buffer, (sector)f->start, (uint32_t)sectors);
	for (uint64_t i = 0; i < sectors; i++)
		defects_set(&ide->defects, (sector)f->start + i,
			    f->kind == IDE_READ_HARD ? DEFECT_UNREADABLE
						     : DEFECT_WEAK,
			    (uint32_t)f->tries);
}

void ide_inject(struct disk *disk, const struct ide_fault *fault)
{
	struct ide *ide = container_of(disk, struct ide, disk);

	BUG_ON(!ide_is(disk));
	if (fault->kind == IDE_POWER_CUT) {
		fault_power_cut(ide, fault->delay);
		return;
	}
	if (fault_is_bad_sector(fault)) {
		fault_bad_sectors(ide, fault);
		return;
	}
	ide->fault = xrealloc(ide->fault,
			      (ide->nr_faults + 1) * sizeof(*ide->fault));
	ide->fault[ide->nr_faults++] = *fault;
}

void ide_on_loss(struct disk *disk,
		 void (*lost)(void *arg, sector first, uint32_t sectors),
		 void *arg)
{
	struct ide *ide = container_of(disk, struct ide, disk);

	ide->lost = lost;
	ide->lost_arg = arg;
}

void ide_fault_init(struct ide *ide)
{
	event_init(&ide->timeout, fault_timeout, ide);
}
