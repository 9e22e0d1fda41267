/*
 * The fixed-rate device: its burst, its rates, and no drift.
 */
#include "disk/fixed.h"
#include "tests/disk-host.h"

#define SERVICE (50 * NSEC_PER_USEC)

static const struct fixed_spec hundred = {
	.requests_per_second = 100,
	.bytes_per_second = 40 << 20,
	.burst = 100 * NSEC_PER_MSEC,
	.size = 1LL << 30,
};

/* n requests one after the other; the time of the last answer. */
static simtime run(const struct fixed_spec *spec, unsigned n, uint32_t sectors)
{
	struct events events;
	struct disk *disk;
	simtime end;

	events_init(&events);
	disk = fixed_new(spec, 0, 1, &events, NULL);
	for (unsigned i = 0; i < n; i++)
		probe(disk, i * 8192ULL % 1000000, sectors, i % 2, NULL);
	end = events.now;
	BUG_ON(disk->stats.reads + disk->stats.writes != n);
	BUG_ON(disk->stats.busy != end || disk->stats.response != end);
	BUG_ON(disk->stats.queue_integral != end);
	disk_free(disk);
	events_finish(&events);
	return end;
}

static void check_requests(void)
{
	/* the bucket holds ten requests; from then on one every 10 ms */
	BUG_ON(run(&hundred, 10, 8) != 10 * SERVICE);
	BUG_ON(run(&hundred, 11, 8) != 10 * NSEC_PER_MSEC + SERVICE);
	/* the n-th after the burst waits for exactly n/100 s: no drift */
	BUG_ON(run(&hundred, 10 + 12345, 8) !=
	       123450 * NSEC_PER_MSEC + SERVICE);
}

static void check_bytes(void)
{
	struct fixed_spec s = hundred;

	/* 1 MiB each, 4 MiB in the bucket, 40 MiB/s: 25 ms each */
	s.requests_per_second = 1000000;
	BUG_ON(run(&s, 4, 2048) != 4 * SERVICE);
	BUG_ON(run(&s, 4 + 1000, 2048) != 25 * NSEC_PER_SEC + SERVICE);
	/* a rate that divides nothing: 3 tokens a second, rounded up */
	s.requests_per_second = 3;
	s.burst = NSEC_PER_SEC;
	BUG_ON(run(&s, 3 + 3000, 8) != 1000 * NSEC_PER_SEC + SERVICE);
	BUG_ON(run(&s, 3 + 3001, 8) != 1000333333334 + SERVICE);
}

/* A request larger than the bucket waits for a full one and overdraws it. */
static void check_large(void)
{
	struct fixed_spec s = hundred;

	s.bytes_per_second = 1 << 20;
	s.requests_per_second = 1000;
	s.burst = 500 * NSEC_PER_MSEC;
	BUG_ON(run(&s, 1, 2048) != SERVICE);
	BUG_ON(run(&s, 2, 2048) != NSEC_PER_SEC + SERVICE);
	BUG_ON(run(&s, 100, 2048) != 99 * NSEC_PER_SEC + SERVICE);
}

static void check_idle(void)
{
	struct events events;
	struct disk *disk;

	events_init(&events);
	disk = fixed_new(&hundred, 0, 1, &events, NULL);
	for (unsigned i = 0; i < 20; i++)
		probe(disk, 0, 8, false, NULL);
	/* a day of idling saves up no more than the burst */
	host_pass_time(&events, 86400 * NSEC_PER_SEC);
	for (unsigned i = 0; i < 10; i++)
		BUG_ON(probe(disk, 0, 8, false, NULL) != SERVICE);
	BUG_ON(probe(disk, 0, 8, false, NULL) < 9 * NSEC_PER_MSEC);
	disk_free(disk);
	events_finish(&events);
}

int main(void)
{
	check_requests();
	check_bytes();
	check_large();
	check_idle();
	return 0;
}
