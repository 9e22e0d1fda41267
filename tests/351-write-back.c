/*
 * The write cache as the host sees it: early completions, streaming at media
 * rate, merging, limits, FLUSH CACHE, and who waits for whom. And reading
 * ahead: what counts as a hit.
 */
#include "tests/disk-host.h"

#define MS NSEC_PER_MSEC
#define US NSEC_PER_USEC

static struct events events;
static struct disk *disk;
static struct drive_spec spec;

/* The buffer's own time: 0.1 ms, and 5.12 us a sector on the bus. */
static simtime hit(uint32_t sectors)
{
	return 100 * US + (simtime)sectors * 5120;
}

static void power_on(const char *root)
{
	host_t42(&spec, root, "t42");
	spec.switch_settle = 100 * US;
	spec.write_cache = true;
	events_init(&events);
	disk = ide_new(&spec, 0, 0, &events, NULL);
}

static void power_off(void)
{
	disk_free(disk);
	events_finish(&events);
	drive_finish(&spec);
}

static void flush(void)
{
	probe(disk, 0, 0, true, NULL);
	BUG_ON(ide_dirty_sectors(disk) != 0);
}

static void check_early_completion(void)
{
	BUG_ON(probe(disk, 1000000, 8, true, NULL) != hit(8));
	BUG_ON(probe(disk, 90000000, 256, true, NULL) != hit(256));
	BUG_ON(ide_dirty_sectors(disk) != 264);
	/* both written once the arm has been idle for 10 ms */
	host_pass_time(&events, 9 * MS);
	BUG_ON(ide_dirty_sectors(disk) != 264);
	host_pass_time(&events, 80 * MS);
	BUG_ON(ide_dirty_sectors(disk) != 0);
	BUG_ON(disk->stats.seek == 0);
}

static void check_read_of_dirty(void)
{
	uint64_t hits = disk->stats.cache_hits;

	probe(disk, 50000, 16, true, NULL);
	BUG_ON(probe(disk, 50000, 8, false, NULL) != hit(8));
	BUG_ON(disk->stats.cache_hits != hits + 1);
	/* partly dirty: the platter has to be asked */
	BUG_ON(probe(disk, 50008, 16, false, NULL) < MS);
	flush();
}

/* Overwriting dirty data costs no room; neighbours are written in one go. */
static void check_merge(void)
{
	struct disk_stats before;

	flush();
	for (unsigned i = 0; i < 30; i++)
		probe(disk, 70000000, 8, true, NULL);
	BUG_ON(ide_dirty_sectors(disk) != 8);
	for (unsigned i = 31; i > 0; i--)
		probe(disk, 70000000 + 8 * i, 8, true, NULL);
	BUG_ON(ide_dirty_sectors(disk) != 256);
	before = disk->stats;
	flush();
	/* one positioning and one or two tracks: under four turns in all */
	BUG_ON(disk->stats.rotation - before.rotation > 17 * MS);
}

/*
 * 200 MB in 128 KiB writes: once the cache is full, the speed of the outer
 * zone, 37.9 MB/s; one lost turn in each track would be less than half.
 */
static void check_stream(void)
{
	simtime from;
	int64_t bytes = 0, rate;

	flush();
	for (unsigned i = 0; i < 64; i++) /* fill the cache */
		probe(disk, i * 256ULL, 256, true, NULL);
	from = events.now;
	for (unsigned i = 64; i < 1600; i++) {
		probe(disk, i * 256ULL, 256, true, NULL);
		bytes += 256LL * SECTOR_SIZE;
	}
	rate = bytes * 1000 / ((events.now - from) / 1000);
	BUG_ON(rate < 37500 || rate > 38300); /* kB/s */
	flush();
}

/* A full cache takes a new write as soon as a chunk has gone. */
static void check_limit(void)
{
	simtime longest = 0;

	flush();
	for (unsigned i = 0; i < 1200; i++) {
		simtime t = probe(disk, i * 90000ULL, 8, true, NULL);

		if (i < 1024)
			BUG_ON(t != hit(8));
		else if (t > longest)
			longest = t;
		BUG_ON(ide_dirty_sectors(disk) > 16 * 1024 / 2);
	}
	BUG_ON(longest < MS);
}

/* A read waits for the chunk under way (under 35 ms) and for no more. */
static void check_read_first(void)
{
	uint64_t dirty = ide_dirty_sectors(disk);

	BUG_ON(dirty < 4000);
	for (unsigned i = 0; i < 10; i++)
		BUG_ON(probe(disk, 100000000 - i * 7000000ULL, 8, false, NULL) >
		       65 * MS);
	BUG_ON(ide_dirty_sectors(disk) < dirty - 240);
	flush();
	BUG_ON(probe(disk, 0, 0, true, NULL) != 100 * US);
}

/* A long pause must not bring the drive out of step. */
static void check_read_ahead(void)
{
	simtime t;

	probe(disk, 20000000, 8, false, NULL);
	BUG_ON(probe(disk, 20000000, 8, false, NULL) != hit(8));
	/* on its way under the head: about as far off as it is long */
	t = probe(disk, 20000100, 8, false, NULL);
	BUG_ON(t > 3 * MS);
	host_pass_time(&events, 50 * MS);
	BUG_ON(probe(disk, 20000800, 8, false, NULL) != hit(8));
	host_pass_time(&events, 50 * MS);
	/* it followed the host */
	BUG_ON(probe(disk, 20001600, 8, false, NULL) != hit(8));
	/* backwards, and far away: from the platter */
	BUG_ON(probe(disk, 19999992, 8, false, NULL) < MS);
	BUG_ON(probe(disk, 95000000, 8, false, NULL) < 5 * MS);
	/* overwritten: what was read of it is stale, but dirty data is not */
	host_pass_time(&events, 50 * MS);
	probe(disk, 95000008, 8, true, NULL);
	BUG_ON(probe(disk, 95000008, 8, false, NULL) != hit(8));
	flush();
	BUG_ON(probe(disk, 95000008, 8, false, NULL) < MS);
}

int main(int argc, char **argv)
{
	BUG_ON(argc < 2);
	power_on(argv[1]);
	check_early_completion();
	check_read_of_dirty();
	check_merge();
	check_stream();
	check_limit();
	check_read_first();
	check_read_ahead();
	BUG_ON(disk->stats.busy != disk->stats.response);
	power_off();
	return 0;
}
