/*
 * The two lists and the vectors in front of them: mark_page_accessed's
 * states, where pages enter, when vectors empty, rotation after a write.
 * Source: mm/swap.c of 2.6.18.
 */
#include "tests/mmkit.h"

#define FRAMES 4096u

static struct zone *zone_of(struct kernel *k)
{
	return &k->zones.zone[ZONE_DMA];
}

/* mark_page_accessed, every state it can find. */
static void test_accessed(struct puppet *p)
{
	static const struct {
		uint32_t before, after;
	} rows[] = {
		/* inactive: referenced first, then active and forgotten */
		{ PG_LRU, PG_LRU | PG_REFERENCED },
		{ PG_LRU | PG_REFERENCED, PG_LRU | PG_ACTIVE },
		/* active: referenced, and there it stays */
		{ PG_LRU | PG_ACTIVE, PG_LRU | PG_ACTIVE | PG_REFERENCED },
		{ PG_LRU | PG_ACTIVE | PG_REFERENCED,
		  PG_LRU | PG_ACTIVE | PG_REFERENCED },
		/* on no list yet: it can not be moved */
		{ 0, PG_REFERENCED },
		{ PG_REFERENCED, PG_REFERENCED },
		{ PG_ACTIVE, PG_ACTIVE | PG_REFERENCED },
	};
	const uint32_t mask = PG_LRU | PG_ACTIVE | PG_REFERENCED;
	struct kernel *k = p->k;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct page *page = page_alloc(k, GFP_HIGHUSER);
		uint64_t moved = k->vmstat.pgactivate_true;

		page->flags |= rows[i].before & ~(uint32_t)PG_LRU;
		if (rows[i].before & PG_LRU)
			lru_add(k, page);
		lru_mark_accessed(k, page);
		BUG_ON((page->flags & mask) != rows[i].after);
		BUG_ON(k->vmstat.pgactivate_true - moved != (i == 1));
		page_put(k, page);
	}
}

/* New pages go to the head, and activated ones. */
static void test_order(struct puppet *p)
{
	struct kernel *k = p->k;
	struct zone *z = zone_of(k);
	struct page *page[3];

	for (int i = 0; i < 3; i++) {
		page[i] = page_alloc(k, GFP_HIGHUSER);
		lru_add(k, page[i]);
	}
	BUG_ON(lru_tail(k, z, LRU_INACTIVE) != page[0]);
	BUG_ON(lru_towards_head(k, page[0]) != page[1]);
	BUG_ON(lru_towards_head(k, page[1]) != page[2]);
	BUG_ON(lru_towards_head(k, page[2]));
	for (int i = 0; i < 4; i++)
		lru_mark_accessed(k, page[i & 1]);
	BUG_ON(lru_tail(k, z, LRU_ACTIVE) != page[0]);
	BUG_ON(lru_towards_head(k, page[0]) != page[1]);
	BUG_ON(z->nr_active != 2 || z->nr_inactive != 1);
	for (int i = 0; i < 3; i++)
		page_put(k, page[i]);
	BUG_ON(z->nr_active || z->nr_inactive);
}

/* A vector holds 14, and a reference to each; then all of them go. */
static void test_vector(struct puppet *p)
{
	struct kernel *k = p->k;
	struct zone *z = zone_of(k);
	struct page *page[PAGEVEC_SIZE];

	for (unsigned i = 0; i < PAGEVEC_SIZE; i++) {
		page[i] = page_alloc(k, GFP_HIGHUSER);
		BUG_ON(z->nr_active);
		lru_add_later(k, page[i], LRU_ACTIVE);
		BUG_ON(page[i]->count != (i == 13 ? 1 : 2));
	}
	BUG_ON(z->nr_active != 14 || k->lru.add_active.count);
	BUG_ON(lru_tail(k, z, LRU_ACTIVE) != page[0]);
	for (unsigned i = 0; i < PAGEVEC_SIZE; i++)
		page_put(k, page[i]);

	/* a page that its owner drops meanwhile is freed by the drain */
	page[0] = page_alloc(k, GFP_HIGHUSER);
	lru_add_later(k, page[0], LRU_INACTIVE);
	BUG_ON(page_test(page[0], PG_ACTIVE));
	page_put(k, page[0]);
	BUG_ON(page_test(page[0], PG_FREE));
	lru_drain(k);
	BUG_ON(!page_test(page[0], PG_FREE) || z->nr_inactive);
}

/* Anonymous pages linger in the active vector until somebody scans. */
static void test_anonymous(struct puppet *p)
{
	struct kernel *k = p->k;
	struct zone *z = zone_of(k);
	struct scan scan = { .gfp = GFP_KERNEL };

	mm_area(p, MM_HEAP, 20);
	for (uint32_t i = 0; i < 5; i++)
		touch_write(p, MM_HEAP + i * PAGE_SIZE);
	BUG_ON(k->lru.add_active.count != 5 || z->nr_active);
	BUG_ON(mm_page(p, 0)->flags & (PG_LRU | PG_REFERENCED));
	BUG_ON(!page_test(mm_page(p, 0), PG_ACTIVE));
	/* a scan that finds nothing due does not even drain */
	mm_shrink(k, z, 0, 0, &scan);
	BUG_ON(k->lru.add_active.count != 5);
	mm_shrink(k, z, 32, 0, &scan);
	BUG_ON(k->lru.add_active.count || z->nr_active != 5);
	touch_write(p, MM_HEAP + 5 * PAGE_SIZE);
	mm_shrink(k, z, 0, 32, &scan);
	BUG_ON(k->lru.add_active.count || z->nr_active != 6);
	/* and unmapping empties it */
	touch_write(p, MM_HEAP + 6 * PAGE_SIZE);
	mm_unmap(p->mm, MM_HEAP + 19 * PAGE_SIZE, PAGE_SIZE);
	BUG_ON(k->lru.add_active.count || z->nr_active != 7);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(20));
	BUG_ON(z->nr_active);
}

/* Read pages enter the inactive list, not referenced, before they are used. */
static void test_file(struct puppet *p)
{
	struct kernel *k = p->k;
	struct inode *inode = fs_find(k->fs, "file");
	struct zone *z = zone_of(k);

	filemap_readahead(k, inode, 0, 5, false);
	BUG_ON(z->nr_inactive != 5 || z->nr_active || k->lru.add.count);
	for (uint32_t i = 0; i < 5; i++) {
		struct page *page = &k->pages[inode->cache[i]];

		BUG_ON(page->count != 1 || !page_test(page, PG_LRU));
		BUG_ON(page->flags & (PG_ACTIVE | PG_REFERENCED));
		BUG_ON(!page_test(page, PG_LOCKED));
	}
	page_wait_unlocked(k, &k->pages[inode->cache[4]]);
	BUG_ON(!page_test(&k->pages[inode->cache[4]], PG_UPTODATE));
	/* a page read alone goes by way of the CPU's vector */
	filemap_read_page(k, inode, 7);
	BUG_ON(z->nr_inactive != 5 || k->lru.add.count != 1);
	lru_drain(k);
	BUG_ON(z->nr_inactive != 6);
}

/* The end of a write that reclaim asked for: only a page that is ready. */
static void test_rotate(struct puppet *p)
{
	static const struct {
		uint32_t flags;
		bool rotates;
	} rows[] = {
		{ PG_RECLAIM, true },
		{ 0, false },
		{ PG_RECLAIM | PG_DIRTY, false },
		{ PG_RECLAIM | PG_LOCKED, false },
		{ PG_RECLAIM | PG_ACTIVE, false },
	};
	struct kernel *k = p->k;
	struct zone *z = zone_of(k);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct page *page = page_alloc(k, GFP_HIGHUSER);
		uint64_t rotated = k->vmstat.pgrotated;

		page->flags |= PG_WRITEBACK | rows[i].flags;
		k->nr_writeback++;
		lru_add(k, page);
		page_writeback_ended(k, page);
		BUG_ON(page->flags & (PG_WRITEBACK | PG_RECLAIM));
		BUG_ON(k->nr_writeback);
		BUG_ON((lru_tail(k, z, LRU_INACTIVE) == page) !=
		       rows[i].rotates);
		BUG_ON(k->vmstat.pgrotated - rotated != rows[i].rotates);
		page->flags &= ~(uint32_t)PG_LOCKED;
		page_put(k, page);
	}
}

static void test(struct puppet *p)
{
	fs_install(p->k->fs, "file", NULL, 0, mm_bytes(12));
	test_accessed(p);
	test_order(p);
	test_vector(p);
	test_anonymous(p);
	test_file(p);
	test_rotate(p);
}

int main(void)
{
	puppet_alone(FRAMES, test);
	return 0;
}
