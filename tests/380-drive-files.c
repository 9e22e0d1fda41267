/*
 * The drive files that we ship: they load without a word, and give the
 * capacity, the random access times and the sequential rates that their
 * comments claim.
 */
#include "disk/geometry.h"
#include "disk/seek.h"
#include "emu/run/drivefile.h"
#include "tests/disk-host.h"

#define REQUESTS 8000u

struct drive_fact {
	const char *file;
	int64_t capacity;     /* MB, 10^6 bytes */
	int64_t average_seek; /* us */
	int64_t read, write;  /* us, random 4 KiB, without buffer */
	int64_t outer;	      /* kB/s, reading in 128 KiB */
	int64_t in_swap;      /* us, random 4 KiB within 256 MiB */
};

static const struct drive_fact facts[] = {
	{ "t42-class", 59996, 10000, 14550, 15600, 37900, 6100 },
	{ "desktop-gxp-40g", 40000, 8360, 13000, 14000, 36500, 6300 },
	{ "wd400bb", 40000, 8900, 13400, 15500, 35800, 6800 },
	{ "laptop-5400", 47900, 12000, 18600, 20700, 22300, 9700 },
	{ "laptop-4200", 20000, 12000, 20200, 22200, 22200, 11700 },
	{ "p166-2g", 2030, 12000, 20250, 22800, 7100, 13800 },
	{ NULL, 0, 0, 0, 0, 0, 0 },
};

static void near(int64_t got, int64_t want, int64_t percent, const char *what)
{
	if (host_near(got, want, want * percent / 100))
		return;
	fprintf(stderr, "%s: %ld, not %ld\n", what, (long)got, (long)want);
	BUG_ON(true);
}

/* Mean response in us of random 4 KiB requests without any buffer. */
static int64_t random_us(const struct drive_spec *with, sector start,
			 uint64_t span, bool write)
{
	static struct drive_spec spec;
	static simtime response[REQUESTS];
	const struct host_load load = { "rand",	  1, start,
					span,	  8, write ? 100 : 0,
					REQUESTS, 1 };

	spec = *with;
	spec.segments = 0;
	spec.read_ahead = false;
	spec.write_cache = false;
	host_run(&spec, &load, response, NULL);
	return host_mean(response, REQUESTS) / 1000;
}

static int64_t outer_kb(const struct drive_spec *spec)
{
	static simtime response[600];
	const struct host_load load = { "seq", 1, 0, 0, 256, 0, 600, 1 };
	simtime end = host_run(spec, &load, response, NULL);

	return 600LL * 256 * SECTOR_SIZE * 1000 / (end / 1000);
}

static void check_drive(const struct drive_fact *fact, const char *root)
{
	static struct drive_spec spec;
	static struct geometry g;
	struct diag *d = diag_new();
	struct seek seek;
	char path[4096];

	BUG_ON(snprintf(path, sizeof(path), "%s/disk/drives/%s.yaml", root,
			fact->file) >= (int)sizeof(path));
	if (!drive_load(path, &spec, d)) {
		diag_print(d, stderr);
		BUG_ON(true);
	}
	diag_free(d);
	geometry_init(&g, &spec);
	seek_init(&seek, &spec);
	near((int64_t)(g.sectors * SECTOR_SIZE / 1000000), fact->capacity, 1,
	     fact->file);
	near(seek_mean(&seek) / 1000, fact->average_seek, 1, fact->file);
	seek_finish(&seek);
	near(random_us(&spec, 0, g.sectors, false), fact->read, 2, fact->file);
	near(random_us(&spec, 0, g.sectors, true), fact->write, 2, fact->file);
	near(outer_kb(&spec), fact->outer, 2, fact->file);
	near(random_us(&spec, g.sectors / 80 * 8, 524288, false), fact->in_swap,
	     2, fact->file);
	drive_finish(&spec);
}

int main(int argc, char **argv)
{
	BUG_ON(argc < 2);
	for (const struct drive_fact *f = facts; f->file; f++)
		check_drive(f, argv[1]);
	return 0;
}
