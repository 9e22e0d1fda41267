/*
 * LBA to place.
 *
 * Models zoned recording with track and cylinder skew; the skew starts anew
 * in each zone. Leaves out slipped sectors and spare tracks inside zones:
 * spare sectors are taken to lie at the inner end (older drives had them
 * there), sharing places with the last user sectors, which matters only for
 * time.
 */
#include "disk/geometry.h"

#include "emu/bug.h"

void geometry_init(struct geometry *g, const struct drive_spec *spec)
{
	sector next = 0;

	BUG_ON(spec->nr_zones == 0 || spec->nr_zones > DRIVE_ZONES);
	g->heads = (uint32_t)spec->heads;
	g->cylinders = (uint32_t)spec->cylinders;
	g->nr_zones = spec->nr_zones;
	for (unsigned i = 0; i < spec->nr_zones; i++) {
		const struct drive_zone *from = &spec->zone[i];
		uint64_t cylinders = from->last - from->first + 1;

		g->zone[i] = (struct zone){
			.first = next,
			.end = next + cylinders * g->heads * from->sectors,
			.cylinder = from->first,
			.sectors = from->sectors,
			.track_skew = from->track_skew,
			.cylinder_skew = from->cylinder_skew,
		};
		next = g->zone[i].end;
	}
	g->sectors = next;
}

/* Fill in the place on the track from the rest of the position. */
static void geometry_slot(const struct geometry *g, struct position *p)
{
	const struct zone *z = p->zone;
	uint64_t cylinder = p->cylinder - z->cylinder;
	uint64_t tracks = p->head + (g->heads - 1) * cylinder;
	uint64_t skew = tracks * z->track_skew + cylinder * z->cylinder_skew;

	p->slot = (uint32_t)((skew + p->sector) % z->sectors);
}

void geometry_find(const struct geometry *g, sector s, struct position *p)
{
	unsigned low = 0, high = g->nr_zones;
	uint64_t track;

	BUG_ON(s >= g->sectors);
	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (g->zone[middle].first <= s)
			low = middle;
		else
			high = middle;
	}
	p->zone = &g->zone[low];
	s -= p->zone->first;
	track = s / p->zone->sectors;
	p->sector = (uint32_t)(s % p->zone->sectors);
	p->cylinder = p->zone->cylinder + (uint32_t)(track / g->heads);
	p->head = (uint32_t)(track % g->heads);
	geometry_slot(g, p);
}

void geometry_spare(const struct geometry *g, uint32_t i, struct position *p)
{
	p->zone = &g->zone[g->nr_zones - 1];
	p->cylinder = g->cylinders - 1;
	p->head = g->heads - 1 - i / p->zone->sectors % g->heads;
	p->sector = p->zone->sectors - 1 - i % p->zone->sectors;
	geometry_slot(g, p);
}
