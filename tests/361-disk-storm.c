/*
 * Whatever the drive, the load and the faults: every command is answered once,
 * the accounts add up, and the same seed gives the same answers.
 */
#include "emu/digest.h"
#include "emu/rng.h"
#include "tests/disk-host.h"

#define SEEDS	 60u
#define COMMANDS 600u

struct storm {
	struct events events;
	struct disk *disk;
	struct drive_spec spec;
	struct rng rng;
	struct digest digest;
	struct disk_request rq[HOST_DEPTH];
	uint64_t inside; /* bit i: rq[i] is in the drive */
	unsigned issued, answered;
	uint64_t answered_sectors;
};

static bool chance(struct storm *s, unsigned percent)
{
	return rng_below(&s->rng, 100) < percent;
}

static void random_spec(struct storm *s)
{
	struct drive_spec *d = &s->spec;

	d->depth = 1 + (int64_t)rng_below(&s->rng, DRIVE_QUEUE);
	d->order = (int)rng_below(&s->rng, 3);
	d->overhead_mode = (int)rng_below(&s->rng, 2);
	d->ageing = chance(s, 30) ? NSEC_PER_SEC : 0;
	d->segments = (int64_t)rng_below(&s->rng, 4);
	d->segment_sectors = 64;
	d->read_ahead = chance(s, 70);
	d->write_cache = chance(s, 70);
	d->dirty_sectors = (int64_t)rng_below(&s->rng, 200);
	d->flush_order = (int)rng_below(&s->rng, 2);
	d->flush_idle = chance(s, 30) ? 0 : 10 * NSEC_PER_MSEC;
	d->spares = (int64_t)rng_below(&s->rng, 20);
}

/* Commands crowd together, so that they overlap and hit. */
static void random_issue(struct storm *s, unsigned i)
{
	struct disk_request *rq = &s->rq[i];
	uint64_t area = 4000 + 40000000 * rng_below(&s->rng, 3) / 2;
	simtime ahead = chance(s, 40) ? (simtime)rng_below(&s->rng, 10000) : 0;

	rq->start = area + rng_below(&s->rng, 1000);
	rq->sectors = 1 + (uint32_t)rng_below(&s->rng, 300);
	rq->write = chance(s, 50);
	if (rq->write && chance(s, 5))
		rq->sectors = 0;
	s->inside |= 1ULL << i;
	s->issued++;
	disk_submit(s->disk, rq, s->events.now + ahead);
}

static void storm_fill(struct storm *s)
{
	for (unsigned i = 0; i < s->spec.depth; i++)
		if (!(s->inside >> i & 1) && s->issued < COMMANDS &&
		    chance(s, 60))
			random_issue(s, i);
}

static void storm_done(struct disk_request *rq, enum disk_error error)
{
	struct storm *s = rq->owner;
	uint64_t bit = 1ULL << (rq - s->rq);

	BUG_ON(!(s->inside & bit));
	s->inside &= ~bit;
	s->answered++;
	s->answered_sectors += rq->sectors;
	digest_word(&s->digest, (uint64_t)s->events.now);
	digest_word(&s->digest, rq->start + error);
	storm_fill(s);
}

static void random_fault(struct storm *s)
{
	struct ide_fault f = {
		.kind = (int)rng_below(&s->rng, IDE_POWER_CUT + 1),
		.start = 4000 + (int64_t)rng_below(&s->rng, 1000),
		.sectors = 1 + (int64_t)rng_below(&s->rng, 20),
		.reads = chance(s, 80),
		.writes = chance(s, 50),
		.head = (int64_t)rng_below(&s->rng, 5) - 1,
		.tries = 1 + (int64_t)rng_below(&s->rng, 10),
		.count = 1 + (int64_t)rng_below(&s->rng, 3),
		.delay = (simtime)rng_below(&s->rng, 4000) * NSEC_PER_MSEC * 4,
	};

	ide_inject(s->disk, &f);
}

static void storm_check(const struct storm *s)
{
	const struct disk_stats *t = &s->disk->stats;

	BUG_ON(s->answered != COMMANDS || s->inside || s->disk->inside);
	BUG_ON(t->reads + t->writes != COMMANDS);
	BUG_ON(t->read_sectors + t->written_sectors != s->answered_sectors);
	BUG_ON(t->response != t->queue_integral);
	BUG_ON(t->busy > s->events.now || t->busy > t->response);
}

static uint64_t storm_run(const char *root, uint64_t seed, unsigned faults)
{
	static struct storm s;

	s = (struct storm){ 0 };
	rng_init(&s.rng, seed, "storm");
	digest_init(&s.digest);
	host_t42(&s.spec, root, "t42");
	random_spec(&s);
	events_init(&s.events);
	s.disk = ide_new(&s.spec, 0, 0, &s.events, NULL);
	for (unsigned i = 0; i < HOST_DEPTH; i++) {
		s.rq[i].done = storm_done;
		s.rq[i].owner = &s;
	}
	while (s.answered < COMMANDS) {
		storm_fill(&s);
		if (faults && rng_below(&s.rng, 400) < faults)
			random_fault(&s);
		if (!event_run_one(&s.events))
			BUG_ON(s.inside); /* nothing will ever happen */
	}
	storm_check(&s);
	/* what is left to do is write-back, and it ends */
	while (event_run_one(&s.events))
		;
	BUG_ON(ide_dirty_sectors(s.disk) != 0);
	disk_free(s.disk);
	events_finish(&s.events);
	drive_finish(&s.spec);
	return digest_value(&s.digest);
}

int main(int argc, char **argv)
{
	BUG_ON(argc < 2);
	for (unsigned seed = 1; seed <= SEEDS; seed++)
		for (unsigned faults = 0; faults < 12; faults += 5)
			BUG_ON(storm_run(argv[1], seed, faults) !=
			       storm_run(argv[1], seed, faults));
	return 0;
}
