/*
 * Zones: watermarks, lowmem reserves and per-CPU lists by size of memory, and
 * the watermark test. Figures: worked out by hand from mm/page_alloc.c of
 * 2.6.18 for ideal sizes; the one of 9168 pages is what a real kernel said.
 */
#include "os/kernel.h"

#include <stdlib.h>

/* A kernel with zones and nothing else */
struct rig {
	struct events events;
	struct trace trace;
	struct ram ram;
	struct cpu cpu;
	struct kernel k;
};

static struct rig *rig_new(uint32_t frames, int64_t min_free_kbytes)
{
	struct rig *r = xcalloc(1, sizeof(*r));

	/* no frame's content is looked at, so there may be 4 GiB of them */
	r->ram.frames = frames;
	events_init(&r->events);
	trace_init(&r->trace, trace_variable, &r->events.now);
	r->k.ram = &r->ram;
	r->k.trace = &r->trace;
	r->k.cpu = &r->cpu;
	r->cpu.task_system = &r->cpu.nobody[1];
	r->k.sysctl.min_free_kbytes = min_free_kbytes;
	r->k.pages = xcalloc(frames + 2u * NR_ZONES, sizeof(*r->k.pages));
	page_alloc_init(&r->k);
	lru_init(&r->k);
	return r;
}

static void rig_free(struct rig *r)
{
	free(r->k.pages);
	events_finish(&r->events);
	free(r);
}

struct row {
	uint32_t frames;
	uint32_t min_free_kbytes; /* 0: from the size */
	struct {
		uint32_t present, min, low, high;
	} zone[NR_ZONES];
	uint32_t dma_normal, dma_high, normal_high; /* reserves */
};

static const struct row rows[] = {
	/* 16 MiB, 64, 96, 192 */
	{ 4096, 0, { { 4096, 128, 160, 192 } }, 0, 0, 0 },
	{ 16384,
	  0,
	  { { 4096, 64, 80, 96 }, { 12288, 192, 240, 288 } },
	  48,
	  48,
	  0 },
	{ 24576,
	  0,
	  { { 4096, 52, 65, 78 }, { 20480, 260, 325, 390 } },
	  80,
	  80,
	  0 },
	{ 49152,
	  0,
	  { { 4096, 36, 45, 54 }, { 45056, 406, 507, 609 } },
	  176,
	  176,
	  0 },
	/* as a real 2.6.18 reported it */
	{ 9168,
	  0,
	  { { 4096, 85, 106, 127 }, { 5072, 105, 131, 157 } },
	  19,
	  19,
	  0 },
	/* 4 GiB, all of it and with a hole of 512 MiB */
	{ 1048576,
	  0,
	  { { 4096, 17, 21, 25 },
	    { 225280, 939, 1173, 1408 },
	    { 819200, 128, 982, 1836 } },
	  880,
	  4080,
	  25600 },
	{ 917504,
	  0,
	  { { 4096, 17, 21, 25 },
	    { 225280, 939, 1173, 1408 },
	    { 688128, 128, 845, 1563 } },
	  880,
	  3568,
	  21504 },
	/* a high zone so small that its min is clamped from below */
	{ 229376 + 8192,
	  0,
	  { { 4096, 17, 21, 25 },
	    { 225280, 939, 1173, 1408 },
	    { 8192, 32, 40, 49 } },
	  880,
	  912,
	  256 },
	/* vm.min_free_kbytes by hand: 4 MiB on 64 */
	{ 16384,
	  4096,
	  { { 4096, 256, 320, 384 }, { 12288, 768, 960, 1152 } },
	  48,
	  48,
	  0 },
	/* the least: 128 kB, for less than 1 MiB of memory */
	{ 256, 0, { { 256, 32, 40, 48 } }, 0, 0, 0 },
};

static void test_row(const struct row *row)
{
	struct rig *r = rig_new(row->frames, row->min_free_kbytes);
	const struct zone *z = r->k.zones.zone;

	for (int i = 0; i < NR_ZONES; i++) {
		BUG_ON(z[i].present != row->zone[i].present);
		BUG_ON(z[i].free != z[i].present);
		BUG_ON(z[i].min != row->zone[i].min);
		BUG_ON(z[i].low != row->zone[i].low);
		BUG_ON(z[i].high != row->zone[i].high);
		/* nothing is kept from requests of its own class */
		BUG_ON(z[i].reserve[i] || z[i].reserve[0]);
	}
	BUG_ON(z[ZONE_DMA].reserve[ZONE_NORMAL] != row->dma_normal);
	BUG_ON(z[ZONE_DMA].reserve[ZONE_HIGHMEM] != row->dma_high);
	BUG_ON(z[ZONE_NORMAL].reserve[ZONE_HIGHMEM] != row->normal_high);
	BUG_ON(r->k.zones.vm_total != row->frames);
	rig_free(r);
}

static void test_table(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		test_row(&rows[i]);
}

/* zone_batchsize: 0 for tiny zones, which then hand over single pages. */
static void test_pcp_sizes(void)
{
	static const struct {
		uint32_t frames;
		unsigned zone;
		uint32_t batch, high, cold_batch, cold_high;
	} sizes[] = {
		{ 16384, ZONE_DMA, 1, 0, 1, 0 },
		{ 16384, ZONE_NORMAL, 3, 18, 1, 6 },
		{ 9168, ZONE_NORMAL, 1, 0, 1, 0 },
		{ 49152, ZONE_NORMAL, 15, 90, 7, 30 },
		{ 1048576, ZONE_NORMAL, 31, 186, 15, 62 },
		{ 1048576, ZONE_HIGHMEM, 31, 186, 15, 62 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct rig *r = rig_new(sizes[i].frames, 0);
		const struct pcp *pcp = r->k.zones.zone[sizes[i].zone].pcp;

		BUG_ON(pcp[0].batch != sizes[i].batch);
		BUG_ON(pcp[0].high != sizes[i].high);
		BUG_ON(pcp[1].batch != sizes[i].cold_batch);
		BUG_ON(pcp[1].high != sizes[i].cold_high);
		rig_free(r);
	}
}

/* The hot list: refilled by batches, last in first out, oldest given back. */
static void test_pcp(void)
{
	struct rig *r = rig_new(16384, 0);
	struct kernel *k = &r->k;
	struct zone *z = &k->zones.zone[ZONE_NORMAL];
	struct page *page[19];

	for (uint32_t i = 0; i < 19; i++) {
		page[i] = page_alloc(k, GFP_HIGHUSER);
		BUG_ON(!page[i] || page[i]->count != 1);
		BUG_ON(page_zone(k, page[i]) != z);
		BUG_ON(z->free != 12288 - (i / 3 + 1) * 3);
		BUG_ON(z->pcp[0].count != 2 - i % 3 || z->pcp[1].count);
	}
	/* two are left on the list; sixteen more fill it to 18 */
	z->pages_scanned = 7;
	z->all_unreclaimable = true;
	for (int i = 0; i < 15; i++)
		page_put(k, page[i]);
	BUG_ON(z->pcp[0].count != 17 || z->free != 12288 - 21);
	BUG_ON(z->pages_scanned != 7 || !z->all_unreclaimable);
	page_put(k, page[15]);
	BUG_ON(z->pcp[0].count != 15 || z->free != 12288 - 18);
	BUG_ON(z->pages_scanned || z->all_unreclaimable);
	/* the oldest went: the two from the zone and the first that was put */
	BUG_ON(z->free_head == page_number(k, page[15]));
	BUG_ON(page_alloc(k, GFP_HIGHUSER) != page[15]);
	BUG_ON(page_alloc(k, GFP_HIGHUSER) != page[14]);
	/* the cold list is another one, with batches of 1 */
	BUG_ON(!page_alloc(k, GFP_HIGHUSER | GFP_COLD));
	BUG_ON(z->pcp[0].count != 13 || z->pcp[1].count);
	BUG_ON(z->free != 12288 - 19);
	page[17]->count = 0;
	page_free(k, page[17], true);
	BUG_ON(z->pcp[1].count != 1 || z->pcp[0].count != 13);
	rig_free(r);
}

/* A list whose size came out as 0 keeps nothing. */
static void test_pcp_tiny(void)
{
	struct rig *r = rig_new(4096, 0);
	struct zone *z = &r->k.zones.zone[ZONE_DMA];
	struct page *page = page_alloc(&r->k, GFP_HIGHUSER);

	BUG_ON(z->free != 4095 || z->pcp[0].count);
	page_put(&r->k, page);
	BUG_ON(z->free != 4096 || z->pcp[0].count);
	rig_free(r);
}

/* zone_watermark_ok of order 0: free must be above mark and reserve. */
static void test_ok(void)
{
	struct zone z = { .reserve = { 0, 48, 50 } };

	z.free = 101;
	BUG_ON(!zone_ok(&z, 100, 0, false, false));
	z.free = 100;
	BUG_ON(zone_ok(&z, 100, 0, false, false));
	z.free = 148;
	BUG_ON(zone_ok(&z, 100, 1, false, false));
	BUG_ON(!zone_ok(&z, 99, 1, false, false));
	BUG_ON(zone_ok(&z, 98, 2, false, false));
	/* high halves, harder takes a quarter of what is left: 101, 51, 39 */
	z.free = 51;
	BUG_ON(zone_ok(&z, 101, 0, true, false));
	z.free = 52;
	BUG_ON(!zone_ok(&z, 101, 0, true, false));
	z.free = 76;
	BUG_ON(zone_ok(&z, 101, 0, false, true));
	z.free = 77;
	BUG_ON(!zone_ok(&z, 101, 0, false, true));
	z.free = 39;
	BUG_ON(zone_ok(&z, 101, 0, true, true));
	z.free = 40;
	BUG_ON(!zone_ok(&z, 101, 0, true, true));
}

/* High zone first, then down, each to its low mark and reserve. */
static void test_fallback(void)
{
	struct rig *r = rig_new(16384, 0);
	struct kernel *k = &r->k;
	struct zone *z = k->zones.zone;
	unsigned taken = 0;

	while (zone_ok(&z[1], z[1].low, 1, false, false)) {
		BUG_ON(page_zone(k, page_alloc(k, GFP_HIGHUSER)) != &z[1]);
		taken++;
	}
	/* the last refill of 3 went below the mark of 240 */
	BUG_ON(z[1].free + taken + z[1].pcp[0].count != 12288);
	BUG_ON(z[1].free > 240 || z[1].free <= 240 - 3);
	while (zone_ok(&z[0], z[0].low, 1, false, false))
		BUG_ON(page_zone(k, page_alloc(k, GFP_HIGHUSER)) != &z[0]);
	BUG_ON(z[0].free != z[0].low + 48);
	rig_free(r);
}

int main(void)
{
	test_table();
	test_pcp_sizes();
	test_pcp();
	test_pcp_tiny();
	test_ok();
	test_fallback();
	return 0;
}
