/*
 * Whose memory is taken: the two-list LRU of 2.6.
 *
 * Models      shrink_zone, shrink_active_list, shrink_inactive_list,
 *             shrink_page_list and pageout of mm/vmscan.c, vanilla Linux
 *             2.6.18. pgactivate and pgsteal are counted as it counts them.
 * Leaves out  pages with file system buffers; congestion of a device that is
 *             written for files (no file is written yet).
 * Seen in     every scenario.
 */
#include "os/filemap.h"
#include "os/vmscan.h"

#include "os/kernel.h"

/*
 * Pages taken off a list for one pass, in the order in which they were
 * scanned: the tail's first. They have no PG_LRU and one reference more.
 */
struct batch {
	struct page *page[SWAP_CLUSTER_MAX];
	unsigned count;
	unsigned scanned;
};

/* isolate_lru_pages */
static void isolate(struct kernel *k, struct zone *z, enum lru_list list,
		    unsigned want, struct batch *b)
{
	b->count = 0;
	b->scanned = 0;
	while (b->scanned < want) {
		struct page *page = lru_tail(k, z, list);

		if (!page)
			break;
		BUG_ON(!page->count);
		lru_del(k, page);
		page->count++;
		b->page[b->count++] = page;
		b->scanned++;
	}
	z->pages_scanned += b->scanned;
}

/*
 * Back to the lists, by PG_ACTIVE: the first scanned goes to the head first
 * and ends up nearest the tail. A page whose last user left meanwhile is
 * freed here.
 */
static void put_back(struct kernel *k, struct batch *b, enum lru_list from)
{
	for (unsigned i = 0; i < b->count; i++) {
		struct page *page = b->page[i];

		if (!page)
			continue;
		lru_add(k, page);
		trace_emit(k->trace, TR_LRU_MOVE, page_number(k, page), from,
			   page_test(page, PG_ACTIVE) ? LRU_ACTIVE
						      : LRU_INACTIVE,
			   LRU_PUT_BACK);
	}
	for (unsigned i = 0; i < b->count; i++)
		if (b->page[i])
			page_put(k, b->page[i]);
}

/* --- the inactive list --- */

enum verdict { FREED, KEEP, ACTIVATE };

/* page_mapping_inuse: mapped, cached for swap, or its file is mapped. */
static bool in_use(struct kernel *k, const struct page *page)
{
	if (page->mapcount || page_test(page, PG_SWAPCACHE))
		return true;
	if (page_test(page, PG_ANON))
		return false;
	return !list_empty(&fs_inode(k->fs, page->owner)->mappings);
}

/*
 * remove_mapping: only the cache's reference and ours may be left. The last
 * reference is dropped and the page is free.
 */
static bool remove_from_cache(struct kernel *k, struct page *page)
{
	bool swap = page_test(page, PG_SWAPCACHE);

	if (page_test(page, PG_ANON) && !swap)
		return false;
	if (page->count != 2 || page_test(page, PG_DIRTY))
		return false;
	trace_emit(k->trace, TR_EVICT, page_number(k, page), page->owner,
		   page->index, swap);
	if (swap)
		swap_cache_remove(k, page);
	else
		filemap_remove(k, page);
	page_unlock(k, page);
	page->count = 0;
	page_free(k, page, true);
	k->vmstat.pgsteal_true++;
	return true;
}

/*
 * pageout: start the write of a dirty page. False: it cannot be written now.
 * The page is unlocked if its write was started or it turned out unused.
 */
SLEEPS static bool write_out(struct kernel *k, struct page *page)
{
	if (page->count != 2 || !page_test(page, PG_SWAPCACHE))
		return false;
	page->flags &= ~(uint32_t)PG_DIRTY;
	page->flags |= PG_RECLAIM;
	swap_write(k, page);
	/* not written but dropped: nothing will rotate it */
	if (!page_test(page, PG_WRITEBACK))
		page->flags &= ~(uint32_t)PG_RECLAIM;
	return true;
}

/* What becomes of a dirty page: *unlocked is set if its lock was given up. */
SLEEPS static enum verdict clean_page(struct kernel *k, struct page *page,
				      bool referenced, const struct scan *scan,
				      bool *unlocked)
{
	bool may_io = scan->gfp & GFP_FS ||
		      (page_test(page, PG_SWAPCACHE) && scan->gfp & GFP_IO);

	if (referenced || !may_io || !scan->may_writepage)
		return KEEP;
	if (!write_out(k, page))
		return KEEP;
	*unlocked = true;
	if (page->flags & (PG_WRITEBACK | PG_DIRTY) || !page_trylock(page))
		return KEEP;
	*unlocked = false; /* the write is over already */
	return page->flags & (PG_WRITEBACK | PG_DIRTY) ? KEEP : FREED;
}

/* Give an anonymous page a slot and take a mapped page out of the tables. */
static enum verdict detach(struct kernel *k, struct page *page)
{
	if (page_test(page, PG_ANON) && !page_test(page, PG_SWAPCACHE) &&
	    !swap_cache_add(k, page))
		return ACTIVATE;
	if (!page->mapcount)
		return FREED;
	switch (rmap_unmap(k, page)) {
	case UNMAP_IN_USE:
		return ACTIVATE;
	case UNMAP_AGAIN:
		return KEEP;
	case UNMAP_DONE:
		break;
	}
	return FREED;
}

/* One locked page; see clean_page for *unlocked. FREED: it is gone. */
SLEEPS static enum verdict shrink_locked(struct kernel *k, struct page *page,
					 struct scan *scan, bool *unlocked)
{
	enum verdict verdict;
	bool referenced;
	bool clean, swap;

	scan->scanned++;
	if (page->mapcount || page_test(page, PG_SWAPCACHE))
		scan->scanned++;
	if (page_test(page, PG_WRITEBACK))
		return KEEP;
	referenced = rmap_referenced(k, page, true);
	if (referenced && in_use(k, page))
		return ACTIVATE;
	verdict = detach(k, page);
	if (verdict != FREED)
		return verdict;
	swap = page_test(page, PG_SWAPCACHE);
	clean = !page_test(page, PG_DIRTY);
	if (!clean) {
		verdict = clean_page(k, page, referenced, scan, unlocked);
		if (verdict != FREED)
			return verdict;
	}
	if (!remove_from_cache(k, page))
		return KEEP;
	k->vmstat.swap_clean += swap && clean;
	return FREED;
}

/* shrink_page_list: pages freed; their places in the batch become NULL. */
SLEEPS static uint64_t shrink_batch(struct kernel *k, struct batch *b,
				    struct scan *scan)
{
	uint64_t freed = 0;

	for (unsigned i = 0; i < b->count; i++) {
		struct page *page = b->page[i];
		enum verdict verdict;
		bool unlocked = false;

		cpu_spend(k->cpu, (uint64_t)k->cost.page_scan);
		cond_resched(k);
		if (!page_trylock(page))
			continue;
		verdict = shrink_locked(k, page, scan, &unlocked);
		if (verdict == FREED) {
			b->page[i] = NULL;
			freed++;
			continue;
		}
		if (verdict == ACTIVATE) {
			page->flags |= PG_ACTIVE;
			k->vmstat.pgactivate++;
			k->vmstat.pgactivate_true++;
		}
		if (!unlocked)
			page_unlock(k, page);
	}
	return freed;
}

/* shrink_inactive_list: in whole batches, so more than asked for. */
SLEEPS static uint64_t shrink_inactive(struct kernel *k, struct zone *z,
				       unsigned want, struct scan *scan)
{
	uint64_t freed = 0;
	unsigned scanned = 0;

	lru_drain(k);
	do {
		struct batch b;
		uint64_t n;

		isolate(k, z, LRU_INACTIVE, SWAP_CLUSTER_MAX, &b);
		if (!b.count)
			break;
		scanned += b.scanned;
		n = shrink_batch(k, &b, scan);
		freed += n;
		if (scan->kswapd) {
			k->vmstat.pgscan_kswapd += b.scanned;
			k->vmstat.kswapd_steal += n;
		} else {
			k->vmstat.pgscan_direct += b.scanned;
		}
		k->vmstat.pgactivate += n; /* 2.6.18's slip, see vmstat.h */
		put_back(k, &b, LRU_INACTIVE);
	} while (scanned < want);
	return freed;
}

/* --- the active list --- */

/* Is it time to take mapped pages too? */
static bool reclaim_mapped(const struct kernel *k, const struct zone *z)
{
	int64_t distress = 100 >> z->prev_priority;
	int64_t mapped = (int64_t)((k->nr_file_mapped + k->nr_anon_mapped) *
				   100 / k->zones.vm_total);

	return mapped / 2 + distress + k->sysctl.swappiness >= 100;
}

/* Does this page stay on the active list? */
static bool stays_active(struct kernel *k, struct page *page, bool take_mapped)
{
	if (!page->mapcount)
		return false;
	if (!take_mapped)
		return true; /* and its accessed bits stay as they are */
	if (!k->swap && page_test(page, PG_ANON))
		return true;
	return rmap_referenced(k, page, false);
}

/* shrink_active_list, "refill_inactive_zone" before 2.6.17 */
SLEEPS static void shrink_active(struct kernel *k, struct zone *z,
				 unsigned want)
{
	bool take_mapped = reclaim_mapped(k, z);
	struct batch b;

	lru_drain(k);
	isolate(k, z, LRU_ACTIVE, want, &b);
	k->vmstat.pgrefill += b.scanned;
	for (unsigned i = 0; i < b.count; i++) {
		struct page *page = b.page[i];

		cpu_spend(k->cpu, (uint64_t)k->cost.page_scan);
		cond_resched(k);
		if (stays_active(k, page, take_mapped))
			continue;
		page->flags &= ~(uint32_t)PG_ACTIVE;
		k->vmstat.pgdeactivate++;
	}
	put_back(k, &b, LRU_ACTIVE);
}

/* --- both --- */

/* The list's share at this priority, once a batch of it has come together. */
static uint32_t due(uint32_t *accumulated, uint32_t length, int priority)
{
	uint32_t n = *accumulated + (length >> priority) + 1;

	*accumulated = n >= SWAP_CLUSTER_MAX ? 0 : n;
	return n >= SWAP_CLUSTER_MAX ? n : 0;
}

static unsigned next_chunk(uint32_t *left)
{
	unsigned n = *left < SWAP_CLUSTER_MAX ? *left : SWAP_CLUSTER_MAX;

	*left -= n;
	return n;
}

SLEEPS static uint64_t shrink_zone(struct kernel *k, struct zone *z,
				   int priority, struct scan *scan)
{
	uint32_t active = due(&z->scan_active, z->nr_active, priority);
	uint32_t inactive = due(&z->scan_inactive, z->nr_inactive, priority);
	uint64_t freed = 0;

	while (active || inactive) {
		if (active)
			shrink_active(k, z, next_chunk(&active));
		if (inactive)
			freed += shrink_inactive(k, z, next_chunk(&inactive),
						 scan);
	}
	vmscan_throttle(k);
	return freed;
}

extern const struct reclaim_ops reclaim_v2_6;

const struct reclaim_ops reclaim_v2_6 = {
	.slot = { .name = "v2_6", .models = "Linux 2.6.18" },
	.shrink_zone = shrink_zone,
};
