/*
 * Injected faults: what they cost, what they report, what they lose.
 */
#include "disk/geometry.h"
#include "tests/disk-host.h"

#define MS NSEC_PER_MSEC

struct rig {
	struct events events;
	struct disk *disk;
	struct drive_spec spec;
	uint64_t lost; /* sectors reported lost */
	sector lost_first;
};

static void rig_on(struct rig *r, const char *root, unsigned depth)
{
	host_t42(&r->spec, root, "t42-nc");
	r->spec.depth = depth;
	events_init(&r->events);
	r->disk = ide_new(&r->spec, 0, 0, &r->events, NULL);
	r->lost = 0;
}

static void rig_off(struct rig *r)
{
	disk_free(r->disk);
	events_finish(&r->events);
	drive_finish(&r->spec);
}

static void inject(struct rig *r, struct ide_fault f)
{
	struct diag *d = diag_new();
	struct diag_place nowhere = { NULL, 0, 0 };

	BUG_ON(!ide_fault_check(r->disk, &f, d, nowhere));
	diag_free(d);
	ide_inject(r->disk, &f);
}

/* A read takes at most 0.3 + 18 + 8.4 ms and a little. */
static bool ordinary(simtime t)
{
	return t < 27 * MS;
}

static void check_weak(const char *root)
{
	static struct rig r;
	enum disk_error error;
	simtime good, bad;

	rig_on(&r, root, 1);
	probe(r.disk, 5000000, 8, false, NULL);
	good = probe(r.disk, 5000000, 8, false, NULL);
	inject(&r, (struct ide_fault){ .kind = IDE_READ_WEAK,
				       .start = 5000003,
				       .sectors = 1,
				       .tries = 3 });
	bad = probe(r.disk, 5000000, 8, false, &error);
	/* three turns more, and as good as new afterwards */
	BUG_ON(error != DISK_OK);
	BUG_ON(!host_near(bad, good + 25 * MS, 10));
	BUG_ON(!ordinary(probe(r.disk, 5000000, 8, false, NULL)));
	BUG_ON(ide_moved_sectors(r.disk) != 0);

	inject(&r, (struct ide_fault){ .kind = IDE_READ_WEAK,
				       .start = 5000003,
				       .sectors = 1,
				       .tries = 12 });
	/* twelve turns and a recalibration; then the sector is moved */
	bad = probe(r.disk, 5000000, 8, false, NULL);
	BUG_ON(bad < 100 * MS + 18 * MS || bad > 150 * MS);
	BUG_ON(ide_moved_sectors(r.disk) != 1);
	/* there and back again: two long seeks and up to three turns */
	bad = probe(r.disk, 5000000, 8, false, NULL);
	BUG_ON(bad < 25 * MS || bad > 70 * MS);
	BUG_ON(!ordinary(probe(r.disk, 5000004, 8, false, NULL)));
	rig_off(&r);
}

static void check_hard(const char *root)
{
	static struct rig r;
	enum disk_error error;
	simtime t;

	rig_on(&r, root, 1);
	inject(&r, (struct ide_fault){
			   .kind = IDE_READ_HARD, .start = 700, .sectors = 2 });
	for (unsigned i = 0; i < 2; i++) {
		t = probe(r.disk, 696, 8, false, &error);
		BUG_ON(error != DISK_MEDIA_ERROR);
		BUG_ON(t < 1500 * MS || !ordinary(t - 1500 * MS));
	}
	probe(r.disk, 688, 8, false, NULL);
	probe(r.disk, 702, 8, false, NULL);
	/* a write moves them, two turns each, and all is well */
	t = probe(r.disk, 696, 8, true, NULL);
	BUG_ON(t < 33 * MS || !ordinary(t - 33 * MS));
	BUG_ON(ide_moved_sectors(r.disk) != 2);
	probe(r.disk, 696, 8, false, NULL);
	rig_off(&r);
}

/* Spares used up: the sector stays, the write cache is off. */
static void check_no_spares(const char *root)
{
	static struct rig r;

	host_t42(&r.spec, root, "t42-nc");
	r.spec.spares = 1;
	r.spec.write_cache = true;
	r.spec.segments = 16;
	events_init(&r.events);
	r.disk = ide_new(&r.spec, 0, 0, &r.events, NULL);
	inject(&r, (struct ide_fault){
			   .kind = IDE_READ_HARD, .start = 800, .sectors = 2 });
	BUG_ON(probe(r.disk, 800, 8, true, NULL) > MS);
	probe(r.disk, 0, 0, true, NULL);
	BUG_ON(ide_moved_sectors(r.disk) != 1);
	BUG_ON(probe(r.disk, 8000000, 8, true, NULL) < MS);
	rig_off(&r);
}

static void check_slow(const char *root)
{
	static struct rig r;
	struct position p;
	static struct geometry g;

	rig_on(&r, root, 1);
	geometry_init(&g, &r.spec);
	inject(&r, (struct ide_fault){ .kind = IDE_SLOW,
				       .reads = true,
				       .head = 2,
				       .delay = 200 * MS });
	for (sector s = 0; s < 8000; s += 200) {
		simtime t = probe(r.disk, s, 8, false, NULL);

		geometry_find(&g, s, &p);
		BUG_ON((p.head == 2) != (t >= 200 * MS));
		BUG_ON(!ordinary(p.head == 2 ? t - 200 * MS : t));
		BUG_ON(!ordinary(probe(r.disk, s, 8, true, NULL)));
	}
	rig_off(&r);
}

static void check_crc(const char *root)
{
	static struct rig r;
	simtime t;

	rig_on(&r, root, 1);
	probe(r.disk, 0, 8, false, NULL);
	inject(&r, (struct ide_fault){ .kind = IDE_CRC,
				       .reads = true,
				       .head = -1,
				       .count = 1 });
	/* the same sector twice: exactly a turn in between */
	t = probe(r.disk, 0, 8, false, NULL);
	BUG_ON(t < 8 * MS || t > 17 * MS);
	t = probe(r.disk, 0, 8, false, NULL);
	BUG_ON(t > 8334 * NSEC_PER_USEC);
	rig_off(&r);
}

/* The hung command fails after 10 s; the one behind it is served. */
static void check_hang(const char *root)
{
	static struct rig r;
	struct probe hung, behind;

	rig_on(&r, root, 2);
	inject(&r, (struct ide_fault){ .kind = IDE_HANG,
				       .start = 1000,
				       .sectors = 8,
				       .reads = true,
				       .head = -1,
				       .count = 1 });
	probe_submit(&hung, r.disk, 1000, 8, false);
	probe_submit(&behind, r.disk, 9000, 8, false);
	probe_wait(&hung);
	BUG_ON(hung.error != DISK_TIMEOUT || hung.at != 10000 * MS);
	probe_wait(&behind);
	BUG_ON(behind.error != DISK_OK);
	BUG_ON(behind.at < 10500 * MS || !ordinary(behind.at - 10500 * MS));
	BUG_ON(!ordinary(probe(r.disk, 1000, 8, false, NULL)));
	rig_off(&r);
}

static void count_lost(void *arg, sector first, uint32_t sectors)
{
	struct rig *r = arg;

	if (r->lost == 0)
		r->lost_first = first;
	r->lost += sectors;
}

static void check_power_cut(const char *root)
{
	static struct rig r;
	struct probe inside;

	host_t42(&r.spec, root, "t42");
	r.spec.write_cache = true;
	r.spec.depth = 2;
	events_init(&r.events);
	r.disk = ide_new(&r.spec, 0, 0, &r.events, NULL);
	ide_on_loss(r.disk, count_lost, &r);
	probe(r.disk, 100000, 8, true, NULL);
	probe(r.disk, 0, 0, true, NULL); /* this one is safe */
	probe(r.disk, 900000, 8, true, NULL);
	probe(r.disk, 800000, 16, true, NULL);
	probe_submit(&inside, r.disk, 40000000, 8, false);
	inject(&r,
	       (struct ide_fault){ .kind = IDE_POWER_CUT, .delay = 3000 * MS });
	BUG_ON(r.lost != 24 || r.lost_first != 800000);
	BUG_ON(ide_dirty_sectors(r.disk) != 0);
	/* a command that comes while it is off waits for power and start */
	BUG_ON(probe(r.disk, 50000000, 8, false, NULL) < 3500 * MS);
	BUG_ON(inside.answered);
	probe_wait(&inside);
	BUG_ON(inside.error != DISK_TIMEOUT);
	BUG_ON(inside.at != inside.rq.arrived + 10000 * MS);
	BUG_ON(!ordinary(probe(r.disk, 900000, 8, false, NULL)));
	rig_off(&r);
}

/* Off for longer than the host waits: commands time out, one by one. */
static void check_long_cut(const char *root)
{
	static struct rig r;
	enum disk_error error;

	rig_on(&r, root, 1);
	inject(&r, (struct ide_fault){ .kind = IDE_POWER_CUT,
				       .delay = 25000 * MS });
	for (unsigned i = 0; i < 2; i++) {
		BUG_ON(probe(r.disk, 0, 8, true, &error) != 10000 * MS);
		BUG_ON(error != DISK_TIMEOUT);
	}
	BUG_ON(probe(r.disk, 0, 8, true, NULL) < 5500 * MS);
	rig_off(&r);
}

static void check_bad_faults(const char *root)
{
	static struct rig r;
	static const struct ide_fault bad[] = {
		{ .kind = IDE_SLOW, .start = 117179480, .sectors = 1 },
		{ .kind = IDE_SLOW, .start = 117179400, .sectors = 100 },
		{ .kind = IDE_READ_HARD, .start = 0, .sectors = 0 },
	};
	struct diag_place nowhere = { NULL, 0, 0 };

	rig_on(&r, root, 1);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct diag *d = diag_new();

		BUG_ON(ide_fault_check(r.disk, &bad[i], d, nowhere));
		BUG_ON(diag_errors(d) != 1);
		diag_free(d);
	}
	rig_off(&r);
}

int main(int argc, char **argv)
{
	BUG_ON(argc < 2);
	check_weak(argv[1]);
	check_hard(argv[1]);
	check_no_spares(argv[1]);
	check_slow(argv[1]);
	check_crc(argv[1]);
	check_hang(argv[1]);
	check_power_cut(argv[1]);
	check_long_cut(argv[1]);
	check_bad_faults(argv[1]);
	return 0;
}
