/*
 * Zones, watermarks, per-CPU lists and the allocator's slow path.
 *
 * Models      mm/page_alloc.c of Linux 2.6.18, order 0.
 * Leaves out  the buddy system above order 0: which frame of a zone is handed
 *             out makes no difference to any count, only the zone does.
 */
#include "os/page_alloc.h"

#include "os/kernel.h"

#define DMA_FRAMES    4096u   /* end of the zone: 16 MiB */
#define LOWMEM_FRAMES 229376u /* end of lowmem on i386: 896 MiB */

/* mm/page_alloc.c, sysctl_lowmem_reserve_ratio: DMA (and DMA32), NORMAL */
static const uint32_t reserve_ratio[NR_ZONES] = { 256, 32, 1 };

static uint64_t square_root(uint64_t x)
{
	uint64_t r = 0;

	for (uint64_t bit = 1ULL << 31; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= x)
			r += bit;
	return r;
}

static uint64_t clamp(uint64_t x, uint64_t low, uint64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* init_per_zone_pages_min: in KiB, from the size of low memory. */
static uint64_t min_free_kbytes(const struct kernel *k, uint64_t low_pages)
{
	if (k->sysctl.min_free_kbytes)
		return (uint64_t)k->sysctl.min_free_kbytes;
	return clamp(square_root(16ULL * 4 * low_pages), 128, 65536);
}

void page_alloc_marks(struct kernel *k)
{
	struct zone *zone = k->zones.zone;
	uint64_t low = zone[ZONE_DMA].present + zone[ZONE_NORMAL].present;
	uint64_t pages = min_free_kbytes(k, low) / 4;

	for (int i = 0; i < NR_ZONES; i++) {
		uint64_t share = pages * zone[i].present / low;

		if (!zone[i].present)
			continue;
		zone[i].min = (uint32_t)share;
		if (i == ZONE_HIGHMEM)
			zone[i].min = (uint32_t)clamp(zone[i].present / 1024,
						      32, 128);
		zone[i].low = zone[i].min + (uint32_t)(share / 4);
		zone[i].high = zone[i].min + (uint32_t)(share / 2);
	}
}

/* setup_per_zone_lowmem_reserve: keep low zones from high-zone requests. */
static void set_reserves(struct kernel *k)
{
	struct zone *zone = k->zones.zone;

	for (unsigned class = 1; class < NR_ZONES; class ++) {
		uint32_t above = 0;

		for (unsigned i = class; i-- > 0;) {
			above += zone[i + 1].present;
			zone[i].reserve[class] = above / reserve_ratio[i];
		}
	}
}

/* Number of the highest set bit, from 1; x must not be 0. */
static unsigned find_last_set(uint32_t x)
{
	BUG_ON(!x);
	return 32 - (unsigned)__builtin_clz(x);
}

/* zone_batchsize and setup_pageset */
static void set_pcp(struct zone *z)
{
	uint32_t batch =
		(uint32_t)clamp(z->present / 1024, 0, 512 * 1024 / PAGE_SIZE) /
		4;

	batch = batch ? batch : 1;
	batch += batch / 2;
	batch = (1u << (find_last_set(batch) - 1)) - 1;
	z->pcp[0].high = 6 * batch;
	z->pcp[0].batch = batch > 1 ? batch : 1;
	z->pcp[1].high = 2 * batch;
	z->pcp[1].batch = batch / 2 > 1 ? batch / 2 : 1;
}

static void push_free(struct kernel *k, struct zone *z, pfn frame)
{
	struct page *page = &k->pages[frame];

	page->flags = PG_FREE | (page->flags & (3u << PG_ZONE_SHIFT));
	page->next = z->free_head;
	z->free_head = frame;
	z->free++;
}

static void zone_init(struct kernel *k, unsigned index, uint32_t start,
		      uint32_t end)
{
	static const char *const names[] = { "DMA", "Normal", "HighMem" };
	struct zone *z = &k->zones.zone[index];

	z->name = names[index];
	z->free_head = PFN_NONE;
	z->pcp[0].head = z->pcp[1].head = PFN_NONE;
	z->temp_priority = z->prev_priority = 12;
	if (end <= start)
		return;
	z->start = start;
	z->present = end - start;
	k->zones.highest = index;
	set_pcp(z);
	for (uint32_t frame = end; frame-- > start;) {
		k->pages[frame].flags = index << PG_ZONE_SHIFT;
		push_free(k, z, frame);
	}
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void page_alloc_init(struct kernel *k)
{
	uint32_t frames = k->ram->frames;

	zone_init(k, ZONE_DMA, 0, smaller(frames, DMA_FRAMES));
	zone_init(k, ZONE_NORMAL, DMA_FRAMES, smaller(frames, LOWMEM_FRAMES));
	zone_init(k, ZONE_HIGHMEM, LOWMEM_FRAMES, frames);
	/* build_all_zonelists runs before the marks are set: all present */
	k->zones.vm_total = frames;
	page_alloc_marks(k);
	set_reserves(k);
}

uint64_t nr_free_pages(const struct kernel *k)
{
	uint64_t free = 0;

	for (int i = 0; i < NR_ZONES; i++)
		free += k->zones.zone[i].free;
	return free;
}

bool zone_ok(const struct zone *z, uint32_t mark, unsigned class, bool high,
	     bool harder)
{
	if (high)
		mark -= mark / 2;
	if (harder)
		mark -= mark / 4;
	return z->free > mark + z->reserve[class];
}

/* rmqueue_bulk: up to count frames from the zone onto a per-CPU list. */
static void refill(struct kernel *k, struct zone *z, struct pcp *pcp)
{
	for (uint32_t i = 0; i < pcp->batch && z->free; i++) {
		pfn frame = z->free_head;
		struct page *page = &k->pages[frame];

		BUG_ON(!page_test(page, PG_FREE));
		z->free_head = page->next;
		z->free--;
		page->next = pcp->head;
		pcp->head = frame;
		pcp->count++;
	}
}

static struct page *take(struct kernel *k, struct zone *z, uint32_t gfp)
{
	struct pcp *pcp = &z->pcp[gfp & GFP_COLD ? 1 : 0];
	struct page *page;

	if (!pcp->count)
		refill(k, z, pcp);
	if (!pcp->count)
		return NULL;
	page = &k->pages[pcp->head];
	pcp->head = page->next;
	pcp->count--;
	BUG_ON(page->count || page->mapcount);
	page->flags &= 3u << PG_ZONE_SHIFT;
	page->count = 1;
	return page;
}

enum which_mark { MARK_NONE, MARK_MIN, MARK_LOW, MARK_HIGH };

/* First zone that a request may use: what it is classed by. */
static unsigned class_of(const struct kernel *k, uint32_t gfp)
{
	unsigned top = gfp & GFP_HIGHMEM ? ZONE_HIGHMEM : ZONE_NORMAL;

	return k->zones.highest < top ? k->zones.highest : top;
}

static uint32_t mark_of(const struct zone *z, enum which_mark mark)
{
	return mark == MARK_HIGH ? z->high : mark == MARK_LOW ? z->low : z->min;
}

/* get_page_from_freelist: high zone first, the first one above the mark. */
static struct page *from_zones(struct kernel *k, uint32_t gfp,
			       enum which_mark mark)
{
	unsigned class = class_of(k, gfp);
	bool slow = mark == MARK_MIN;

	for (unsigned i = class + 1; i-- > 0;) {
		struct zone *z = &k->zones.zone[i];
		struct page *page = NULL;

		if (mark == MARK_NONE || zone_ok(z, mark_of(z, mark), class,
						 slow && (gfp & GFP_HIGH),
						 slow && !(gfp & GFP_WAIT)))
			page = take(k, z, gfp);
		if (page) {
			k->vmstat.pgalloc++;
			cpu_charge(k->cpu, (uint64_t)k->cost.page_alloc);
			return page;
		}
	}
	return NULL;
}

static void wake_kswapd_for(struct kernel *k, uint32_t gfp)
{
	for (unsigned i = class_of(k, gfp) + 1; i-- > 0;)
		vmscan_wake_kswapd(k, &k->zones.zone[i]);
}

/* May this task use the reserves below the min mark? */
static bool may_use_reserves(const struct kernel *k)
{
	const struct task *task = k->current;

	return task && !k->cpu->irq_depth &&
	       (task->flags & (TF_MEMALLOC | TF_MEMDIE));
}

/*
 * What __alloc_pages does once both quick passes have failed: reclaim, try
 * again, nap, or despair. NULL with *restart set means: start all over.
 */
static struct page *after_reclaim(struct kernel *k, uint32_t gfp, bool *restart)
{
	struct task *task = k->current;
	struct page *page;
	bool progress;

	cond_resched(k);
	task->flags |= TF_MEMALLOC;
	progress = vmscan_direct(k, gfp, class_of(k, gfp));
	task->flags &= ~(uint32_t)TF_MEMALLOC;
	cond_resched(k);
	if (progress)
		return from_zones(k, gfp, MARK_MIN);
	if (!(gfp & GFP_FS) || gfp & GFP_NORETRY)
		return NULL;
	/* somebody may have been killed meanwhile: look above high first */
	page = from_zones(k, gfp, MARK_HIGH);
	if (!page) {
		out_of_memory(k);
		*restart = true;
	}
	return page;
}

/*
 * Reclaim, and nap in between, until there is a page. NULL: it was not to be
 * retried, or somebody was killed and all starts over (*restart).
 */
SLEEPS static struct page *reclaim_page(struct kernel *k, uint32_t gfp,
					bool *restart)
{
	for (;;) {
		struct page *page = after_reclaim(k, gfp, restart);

		if (page || *restart || gfp & GFP_NORETRY || k->stop)
			return page;
		congestion_wait(k, true, NSEC_PER_SEC / 50);
	}
}

SLEEPS static struct page *alloc_slow(struct kernel *k, uint32_t gfp)
{
	struct page *page;
	bool restart = true;

	while (restart && !k->stop) {
		restart = false;
		page = from_zones(k, gfp, MARK_LOW);
		if (page)
			return page;
		wake_kswapd_for(k, gfp);
		page = from_zones(k, gfp, MARK_MIN);
		if (page)
			return page;
		if (may_use_reserves(k))
			return from_zones(k, gfp, MARK_NONE);
		if (!(gfp & GFP_WAIT))
			return NULL;
		page = reclaim_page(k, gfp, &restart);
		if (page)
			return page;
	}
	return NULL;
}

SLEEPS struct page *page_alloc(struct kernel *k, uint32_t gfp)
{
	struct page *page = from_zones(k, gfp, MARK_LOW);

	if (!page)
		page = alloc_slow(k, gfp);
	if (page && gfp & GFP_ZERO) {
		ram_clear(k->ram, page_number(k, page));
		cpu_charge(k->cpu, (uint64_t)k->cost.page_clear);
	}
	return page;
}

struct page *page_alloc_reserved(struct kernel *k, int zone)
{
	for (int i = zone < 0 ? (int)k->zones.highest : zone; i >= 0; i--) {
		struct page *page = take(k, &k->zones.zone[i], 0);

		if (page || zone >= 0)
			return page;
	}
	return NULL;
}

/* free_pages_bulk: the coldest of the list go back to the zone. */
static void give_back(struct kernel *k, struct zone *z, struct pcp *pcp)
{
	uint32_t keep = pcp->count > pcp->batch ? pcp->count - pcp->batch : 0;
	uint32_t *link = &pcp->head;
	pfn rest;

	for (uint32_t i = 0; i < keep; i++)
		link = &k->pages[*link].next;
	rest = *link;
	*link = PFN_NONE;
	while (rest != PFN_NONE) {
		pfn next = k->pages[rest].next;

		push_free(k, z, rest);
		rest = next;
	}
	pcp->count = keep;
	z->all_unreclaimable = false;
	z->pages_scanned = 0;
}

void page_free(struct kernel *k, struct page *page, bool cold)
{
	struct zone *z = page_zone(k, page);
	struct pcp *pcp = &z->pcp[cold];

	BUG_ON(page->count || page->mapcount);
	BUG_ON(page->flags &
	       (PG_LRU | PG_LOCKED | PG_WRITEBACK | PG_SWAPCACHE | PG_FREE));
	page->flags = PG_FREE | (page->flags & (3u << PG_ZONE_SHIFT));
	page->next = pcp->head;
	pcp->head = page_number(k, page);
	k->vmstat.pgfree++;
	cpu_charge(k->cpu, (uint64_t)k->cost.page_free);
	if (++pcp->count >= pcp->high)
		give_back(k, z, pcp);
}

void page_put(struct kernel *k, struct page *page)
{
	BUG_ON(!page->count);
	if (--page->count)
		return;
	if (page_test(page, PG_LRU)) {
		trace_emit(k->trace, TR_LRU_MOVE, page_number(k, page),
			   page_test(page, PG_ACTIVE), 2, LRU_GONE);
		lru_del(k, page);
	}
	page_free(k, page, false);
}
