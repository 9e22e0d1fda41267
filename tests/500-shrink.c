/*
 * What becomes of one page of the inactive list: the decisions of
 * shrink_page_list in their order, row by row. Source: mm/vmscan.c of 2.6.18.
 */
#include "tests/mmkit.h"

#define FRAMES 4096u /* one zone */

enum fate { FREED, KEPT, ACTIVE };

/*
 * With it on the inactive list are 31 locked pages, which nobody looks at
 * for long: so a batch has the page in it once.
 */
#define FILLERS 31

/* One scan of one page. */
struct look {
	enum fate fate;
	uint64_t scanned; /* for slab pressure */
	uint64_t written;
};

static struct scan everything(void)
{
	return (struct scan){ .gfp = GFP_KERNEL, .may_writepage = true };
}

SLEEPS static struct look look_with(struct puppet *p, struct page *page,
				    struct scan scan)
{
	struct kernel *k = p->k;
	struct zone *z = page_zone(k, page);
	uint64_t written = k->vmstat.pswpout;
	uint64_t looked = k->vmstat.pgscan_direct;
	struct look look;
	uint64_t freed;

	mm_deactivate(k, page);
	BUG_ON(z->nr_inactive != 1 + FILLERS);
	freed = mm_shrink(k, z, 0, SWAP_CLUSTER_MAX, &scan);
	BUG_ON(k->vmstat.pgscan_direct - looked != 1 + FILLERS);
	BUG_ON(k->vmstat.pgsteal);
	look.fate = page_test(page, PG_FREE)	 ? FREED
		    : page_test(page, PG_ACTIVE) ? ACTIVE
						 : KEPT;
	BUG_ON(freed != (look.fate == FREED));
	BUG_ON(look.fate != FREED && !page_test(page, PG_LRU));
	look.scanned = scan.scanned;
	look.written = k->vmstat.pswpout - written;
	return look;
}

SLEEPS static bool is(struct puppet *p, struct page *page, enum fate fate,
		      uint64_t scanned, uint64_t written)
{
	struct look look = look_with(p, page, everything());

	return look.fate == fate && look.scanned == scanned &&
	       look.written == written;
}

/* A new page that nobody has looked at for long. */
static struct page *old_page(struct puppet *p)
{
	mm_unmap(p->mm, MM_HEAP, mm_bytes(64));
	mm_fill(p, 1);
	mm_make_old(p, 0);
	return mm_page(p, 0);
}

static void wait_for_writes(struct kernel *k)
{
	while (k->nr_writeback)
		congestion_wait(k, true, NSEC_PER_SEC / 10);
}

/* Out to swap and back in: clean, in the swap cache, mapped, old. */
static struct page *swapped_in(struct puppet *p)
{
	old_page(p);
	mm_push_out(p, 0);
	touch_read(p, MM_HEAP);
	BUG_ON(!page_test(mm_page(p, 0), PG_SWAPCACHE));
	mm_make_old(p, 0);
	return mm_page(p, 0);
}

/* Rows 1 and 4: locked or being written, it is left alone. */
static void test_busy(struct puppet *p)
{
	struct page *page = old_page(p);

	page->flags |= PG_LOCKED;
	BUG_ON(!is(p, page, KEPT, 0, 0));
	page_unlock(p->k, page);
	page->flags |= PG_WRITEBACK | PG_REFERENCED;
	BUG_ON(!is(p, page, KEPT, 2, 0));
	/* and not even asked whether it was used */
	BUG_ON(!page_test(page, PG_REFERENCED));
	page->flags &= ~(uint32_t)(PG_WRITEBACK | PG_REFERENCED);
}

/* Row 5: used by the hardware's word or the kernel's, and in use. */
static void test_referenced(struct puppet *p)
{
	uint64_t activated = p->k->vmstat.pgactivate_true;
	struct page *page = old_page(p);

	page->flags |= PG_REFERENCED;
	BUG_ON(!is(p, page, ACTIVE, 2, 0));
	BUG_ON(page_test(page, PG_REFERENCED));
	touch_read(p, MM_HEAP);
	BUG_ON(!is(p, page, ACTIVE, 2, 0));
	BUG_ON(mm_entry(p, 0).v & PTE_A);
	BUG_ON(p->k->vmstat.pgactivate_true != activated + 2);
	/* the bits are gone: now it is written */
	BUG_ON(!is(p, page, KEPT, 2, 1));
	wait_for_writes(p->k);
	/* in the swap cache only, but asked for: still in use */
	page->flags |= PG_REFERENCED;
	BUG_ON(!is(p, page, ACTIVE, 2, 0));
	BUG_ON(!is(p, page, FREED, 2, 0));
}

/* Row 6: no slot to be had. Row 7: locked into memory. */
static void test_stuck(struct puppet *p)
{
	struct page *page = old_page(p);
	uint32_t free = p->k->swap->free;

	p->k->swap->free = 0;
	BUG_ON(!is(p, page, ACTIVE, 2, 0));
	BUG_ON(page_test(page, PG_SWAPCACHE));
	p->k->swap->free = free;
	mm_find(p->mm, MM_HEAP)->flags |= VM_LOCKED;
	BUG_ON(!is(p, page, ACTIVE, 2, 0));
	BUG_ON(!pte_present(mm_entry(p, 0)));
	mm_find(p->mm, MM_HEAP)->flags &= ~(uint32_t)VM_LOCKED;
	/* it has its slot now, and keeps it */
	BUG_ON(!page_test(page, PG_SWAPCACHE) || !page_test(page, PG_DIRTY));
}

/* Rows 8..10 and 13: dirty, written, at the tail when that ends, freed. */
static void test_written(struct puppet *p)
{
	struct kernel *k = p->k;
	struct page *page = old_page(p);
	struct scan scan = everything();
	struct look look;
	uint32_t slot;

	scan.gfp = GFP_WAIT;
	look = look_with(p, page, scan);
	BUG_ON(look.fate != KEPT || look.written);
	/* unmapped all the same */
	slot = pte_slot(mm_entry(p, 0));
	BUG_ON(pte_present(mm_entry(p, 0)) || page->private != slot);
	BUG_ON(k->swap->map[slot] != 2);
	scan.gfp = GFP_KERNEL;
	scan.may_writepage = false;
	look = look_with(p, page, scan);
	BUG_ON(look.fate != KEPT || look.written);
	/* swap needs the disk, not the file system */
	scan.may_writepage = true;
	scan.gfp = GFP_WAIT | GFP_IO;
	look = look_with(p, page, scan);
	BUG_ON(look.fate != KEPT || look.written != 1);
	BUG_ON(!page_test(page, PG_WRITEBACK) || !page_test(page, PG_RECLAIM));
	BUG_ON(page_test(page, PG_DIRTY));
	wait_for_writes(k);
	BUG_ON(page->flags & (PG_WRITEBACK | PG_RECLAIM | PG_LOCKED));
	BUG_ON(!is(p, page, FREED, 2, 0));
	BUG_ON(k->swap->map[slot] != 1 || k->swap->cache[slot] != PFN_NONE);
}

/* Clean in the swap cache: gone without a write. */
static void test_clean(struct puppet *p)
{
	struct page *page = swapped_in(p);
	uint64_t clean = p->k->vmstat.swap_clean;

	BUG_ON(!is(p, page, FREED, 2, 0));
	BUG_ON(p->k->vmstat.swap_clean != clean + 1);
	BUG_ON(pte_present(mm_entry(p, 0)) || pte_none(mm_entry(p, 0)));

	/* row 7: the entry's dirty bit makes the page dirty */
	page = swapped_in(p);
	pgtable_set(p->mm, MM_HEAP, (struct pte){ mm_entry(p, 0).v | PTE_D });
	BUG_ON(!is(p, page, KEPT, 2, 1));
	wait_for_writes(p->k);
}

/* Rows 9 and 12: somebody holds a reference. */
static void test_held(struct puppet *p)
{
	struct page *page = swapped_in(p);

	page->count++;
	BUG_ON(!is(p, page, KEPT, 2, 0));
	page->count--;
	BUG_ON(!is(p, page, FREED, 2, 0));
	page = old_page(p);
	page->count++;
	BUG_ON(!is(p, page, KEPT, 2, 0));
	BUG_ON(!page_test(page, PG_DIRTY));
	page->count--;
	BUG_ON(!is(p, page, KEPT, 2, 1));
	wait_for_writes(p->k);
}

/* A page whose owner left while it was locked: dropped, not written. */
static void test_orphan(struct puppet *p)
{
	struct kernel *k = p->k;
	struct page *page = old_page(p);
	struct scan scan = everything();
	uint64_t dropped = k->vmstat.swap_drop;
	struct look look;

	scan.may_writepage = false;
	look = look_with(p, page, scan);
	BUG_ON(look.fate != KEPT || pte_present(mm_entry(p, 0)));
	BUG_ON(!page_trylock(page));
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
	page_unlock(k, page);
	BUG_ON(k->swap->map[page->private] != 1);
	mm_deactivate(k, page);
	/* put-back frees it, which does not count as reclaimed */
	BUG_ON(mm_reclaim(k, page_zone(k, page)));
	BUG_ON(!page_test(page, PG_FREE) || k->vmstat.swap_drop != dropped + 1);
	BUG_ON(k->swap->free != k->swap->total);
}

/* File pages: free once clean, unless used and mapped somewhere. */
static void test_file(struct puppet *p)
{
	struct kernel *k = p->k;
	struct inode *inode = fs_find(k->fs, "f");
	struct page *page;

	filemap_read_page(k, inode, 0);
	page = &k->pages[inode->cache[0]];
	page_wait_unlocked(k, page);
	page->flags |= PG_REFERENCED;
	page->count++;
	BUG_ON(!is(p, page, KEPT, 1, 0)); /* row 12 */
	page->count--;
	/* its file is mapped, elsewhere even: in use */
	mm_map(p->mm, MM_HEAP + 0x100000, PAGE_SIZE, VM_READ, inode, 1);
	page->flags |= PG_REFERENCED;
	BUG_ON(!is(p, page, ACTIVE, 1, 0));
	mm_unmap(p->mm, MM_HEAP + 0x100000, PAGE_SIZE);
	/* nobody maps the file: that it was used does not help it */
	page->flags |= PG_REFERENCED;
	BUG_ON(!is(p, page, FREED, 1, 0));
	BUG_ON(inode->cache[0] != PFN_NONE || inode->cached);

	/* mapped and old: the entry goes, with the page */
	mm_map(p->mm, MM_HEAP + 0x100000, PAGE_SIZE, VM_READ, inode, 1);
	touch_read(p, MM_HEAP + 0x100000);
	mm_make_old(p, 0x100);
	/* page 0 was read with it: out of the way */
	page = &k->pages[inode->cache[0]];
	lru_del(k, page);
	page->flags |= PG_ACTIVE;
	lru_add(k, page);
	BUG_ON(!is(p, mm_page(p, 0x100), FREED, 2, 0));
	BUG_ON(!pte_none(mm_entry(p, 0x100)) || p->mm->file_rss);
	mm_unmap(p->mm, MM_HEAP + 0x100000, PAGE_SIZE);
}

/* Dirty through a shared mapping: no file is written, so it stays. */
static void test_file_dirty(struct puppet *p)
{
	struct inode *inode = fs_install(p->k->fs, "g", NULL, 0, 4096);
	struct page *page;

	mm_map(p->mm, MM_HEAP + 0x100000, PAGE_SIZE,
	       VM_READ | VM_WRITE | VM_SHARED, inode, 0);
	touch_write(p, MM_HEAP + 0x100000);
	page = mm_page(p, 0x100);
	BUG_ON(page_test(page, PG_ANON));
	mm_make_old(p, 0x100);
	BUG_ON(!is(p, page, KEPT, 2, 0));
	BUG_ON(!page_test(page, PG_DIRTY) || page->mapcount);
}

static void test(struct puppet *p)
{
	struct page *filler[FILLERS];

	for (int i = 0; i < FILLERS; i++) {
		filler[i] = page_alloc(p->k, GFP_HIGHUSER);
		filler[i]->flags |= PG_LOCKED;
		lru_add(p->k, filler[i]);
	}
	fs_install(p->k->fs, "f", NULL, 0, mm_bytes(2));
	test_busy(p);
	test_referenced(p);
	test_stuck(p);
	test_written(p);
	test_clean(p);
	test_held(p);
	test_orphan(p);
	test_file(p);
	test_file_dirty(p);
	for (int i = 0; i < FILLERS; i++) {
		page_unlock(p->k, filler[i]);
		page_put(p->k, filler[i]);
	}
}

int main(void)
{
	puppet_alone(FRAMES, test);
	return 0;
}
