/*
 * LBA to cylinder, head, sector: 1500 addresses of the oracle, and that the
 * sectors follow each other without gaps over every zone boundary.
 */
#include "disk/geometry.h"
#include "tests/disk-host.h"

static void check_trace(const struct geometry *g, const char *root)
{
	FILE *f = host_open(root, "t42-trace.csv");
	unsigned long lba, cylinder, head, sec;
	unsigned checked = 0;
	char line[256];

	while (fgets(line, sizeof(line), f)) {
		struct position p;

		if (line[0] == '#')
			continue;
		BUG_ON(sscanf(line, "%lu,%lu,%lu,%lu", &lba, &cylinder, &head,
			      &sec) != 4);
		geometry_find(g, lba, &p);
		BUG_ON(p.cylinder != cylinder || p.head != head ||
		       p.sector != sec);
		checked++;
	}
	fclose(f);
	BUG_ON(checked != 1500);
}

/* Walk over the sectors around s: each is the next place of the last. */
static void check_walk(const struct geometry *g, sector s)
{
	struct position a, b;

	geometry_find(g, s, &a);
	for (unsigned i = 0; i < 6000 && s + 1 < g->sectors; i++) {
		geometry_find(g, ++s, &b);
		if (b.head == a.head && b.cylinder == a.cylinder) {
			BUG_ON(b.sector != a.sector + 1);
			BUG_ON(b.slot != (a.slot + 1) % a.zone->sectors);
		} else {
			BUG_ON(a.sector != a.zone->sectors - 1 || b.sector);
			BUG_ON(b.cylinder * g->heads + b.head !=
			       a.cylinder * g->heads + a.head + 1);
		}
		a = b;
	}
}

/* The skew between two tracks is what the zone says. */
static void check_skew(const struct geometry *g)
{
	const struct zone *z = &g->zone[3];
	uint32_t spt = z->sectors;
	struct position p;

	geometry_find(g, z->first, &p);
	BUG_ON(p.slot != 0 || p.cylinder != z->cylinder || p.head != 0);
	geometry_find(g, z->first + spt, &p);
	BUG_ON(p.slot != z->track_skew || p.head != 1);
	geometry_find(g, z->first + 4ULL * spt, &p);
	BUG_ON(p.slot != (3 * z->track_skew + z->cylinder_skew) % spt);
	BUG_ON(p.head != 0 || p.cylinder != z->cylinder + 1);
}

int main(int argc, char **argv)
{
	static struct drive_spec spec;
	static struct geometry g;

	BUG_ON(argc < 2);
	host_t42_ideal(&spec, argv[1]);
	geometry_init(&g, &spec);
	BUG_ON(g.sectors != 117179480);
	check_trace(&g, argv[1]);
	for (unsigned i = 0; i < g.nr_zones; i++)
		check_walk(&g, g.zone[i].end - 3000);
	check_skew(&g);
	drive_finish(&spec);
	return 0;
}
