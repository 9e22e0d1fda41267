/*
 * What all devices share: accounting of the requests inside and the way in
 * and out.
 *
 * Leaves out: any timing (the device's) and the record of requests (the block
 * layer's, which knows them before they are merged).
 */
#include "disk/disk.h"

#include "emu/bug.h"

#include <stdlib.h>

void disk_init(struct disk *disk, const struct disk_ops *ops, unsigned id,
	       uint64_t sectors, unsigned depth, struct events *events)
{
	BUG_ON(!ops || !ops->submit);
	BUG_ON(sectors == 0 || depth == 0);

	*disk = (struct disk){ .ops = ops,
			       .id = id,
			       .sectors = sectors,
			       .depth = depth,
			       .events = events };
}

/*
 * The number of requests inside is about to change. A CPU may run a little
 * ahead of the events, so a submission can be followed by a completion that
 * lies before it; the negative span then takes back what was counted too
 * much, and the sums stay exact.
 */
static void disk_account(struct disk *disk, simtime at)
{
	simtime span = at - disk->last_change;

	if (disk->inside > 0)
		disk->stats.busy += span;
	disk->stats.queue_integral += span * (simtime)disk->inside;
	disk->last_change = at;
}

void disk_submit(struct disk *disk, struct disk_request *rq, simtime at)
{
	BUG_ON(disk_full(disk));
	BUG_ON(rq->start > disk->sectors);
	BUG_ON(rq->sectors > disk->sectors - rq->start);
	BUG_ON(rq->sectors == 0 && !rq->write);
	BUG_ON(at < disk->events->now);
	BUG_ON(!rq->done);

	disk_account(disk, at);
	disk->inside++;
	rq->arrived = at;
	disk->ops->submit(disk, rq, at);
}

void disk_complete(struct disk *disk, struct disk_request *rq,
		   enum disk_error error)
{
	struct disk_stats *s = &disk->stats;
	simtime now = disk->events->now;

	BUG_ON(disk->inside == 0);
	BUG_ON(now < rq->arrived);

	disk_account(disk, now);
	disk->inside--;
	s->response += now - rq->arrived;
	if (rq->write) {
		s->writes++;
		s->written_sectors += rq->sectors;
	} else {
		s->reads++;
		s->read_sectors += rq->sectors;
	}
	rq->done(rq, error);
}

void disk_free(struct disk *disk)
{
	if (!disk)
		return;
	if (disk->ops->finish)
		disk->ops->finish(disk);
	free(disk);
}
