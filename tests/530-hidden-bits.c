/*
 * Accessed and dirty bits between the TLB and reclaim: what an old TLB entry
 * hides, what the kernel's own flushes show again, and that a write through
 * an entry which a read filled still makes the page dirty.
 */
#include "tests/mmkit.h"

#define FRAMES 4096u

static bool young(const struct puppet *p, uint32_t page)
{
	return mm_entry(p, page).v & PTE_A;
}

static void clear_bits(struct puppet *p, uint32_t page, uint32_t bits)
{
	struct pte e = mm_entry(p, page);

	e.v &= ~bits;
	pgtable_set(p->mm, MM_HEAP + page * PAGE_SIZE, e);
}

/* Cleared behind the TLB's back, A stays clear although the page is used. */
static void test_stale(struct puppet *p)
{
	struct page *page;

	mm_fill(p, 1);
	page = mm_page(p, 0);
	touch_read(p, MM_HEAP);
	clear_bits(p, 0, PTE_A);
	for (int i = 0; i < 10; i++)
		touch_write(p, MM_HEAP);
	BUG_ON(young(p, 0) || rmap_referenced(p->k, page, true));
	/* the next walk sets it */
	pgtable_flush(p->mm, MM_HEAP);
	touch_read(p, MM_HEAP);
	BUG_ON(!young(p, 0));
	/* and the kernel's own way of clearing it includes the flush */
	BUG_ON(rmap_referenced(p->k, page, true) != 1 || young(p, 0));
	touch_read(p, MM_HEAP);
	BUG_ON(!young(p, 0));
	BUG_ON(rmap_referenced(p->k, page, true) != 1);
	BUG_ON(rmap_referenced(p->k, page, true) != 0);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
}

/* So a page that is in use all the time is evicted. */
static void test_evicted(struct puppet *p)
{
	uint64_t faults;

	mm_fill(p, 1);
	touch_read(p, MM_HEAP);
	clear_bits(p, 0, PTE_A);
	mm_deactivate(p->k, mm_page(p, 0));
	touch_read(p, MM_HEAP);
	mm_reclaim(p->k, &p->k->zones.zone[ZONE_DMA]);
	BUG_ON(pte_present(mm_entry(p, 0)));
	/* unmapping does flush: the next use is a fault, not a wrong page */
	faults = p->task->self.minor_faults;
	touch_read(p, MM_HEAP);
	BUG_ON(p->task->self.minor_faults != faults + 1);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
	BUG_ON(p->k->integrity.mismatches);
}

/* Clean and old, writable, and the TLB filled by a read. */
static void read_filled(struct puppet *p)
{
	struct pte e;

	mm_fill(p, 1);
	mm_push_out(p, 0);
	touch_read(p, MM_HEAP);
	BUG_ON(page_test(mm_page(p, 0), PG_DIRTY));
	e = mm_entry(p, 0);
	BUG_ON(e.v & PTE_D);
	e.v |= PTE_RW;
	pgtable_set(p->mm, MM_HEAP, e);
	pgtable_flush(p->mm, MM_HEAP);
	touch_read(p, MM_HEAP);
}

/* The write goes to memory for the D bit; reclaim sees it and writes. */
static void test_dirty(struct puppet *p)
{
	struct kernel *k = p->k;
	uint64_t written = k->vmstat.pswpout;

	read_filled(p);
	BUG_ON(k->vmstat.pswpout != written + 1);
	mm_push_out(p, 0); /* only read: dropped */
	BUG_ON(k->vmstat.pswpout != written + 1);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);

	read_filled(p);
	BUG_ON(k->vmstat.pswpout != written + 2);
	touch_write(p, MM_HEAP);
	BUG_ON(!(mm_entry(p, 0).v & PTE_D));
	mm_push_out(p, 0);
	BUG_ON(k->vmstat.pswpout != written + 3);
	touch_read(p, MM_HEAP);
	BUG_ON(k->integrity.mismatches);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
}

/* If the D bit were lost, so would the write be: and the tags tell. */
static void test_lost_dirty(struct puppet *p)
{
	struct kernel *k = p->k;

	read_filled(p);
	touch_write(p, MM_HEAP);
	clear_bits(p, 0, PTE_D);
	mm_push_out(p, 0);
	BUG_ON(k->integrity.mismatches);
	touch_read(p, MM_HEAP);
	BUG_ON(k->integrity.mismatches != 1);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
}

/* A shared file mapping is writable at once, so its D comes the same way. */
static void test_shared_file(struct puppet *p)
{
	struct inode *inode = fs_install(p->k->fs, "f", NULL, 0, 8192);

	mm_map(p->mm, MM_HEAP, mm_bytes(2), VM_READ | VM_WRITE | VM_SHARED,
	       inode, 0);
	for (uint32_t i = 0; i < 2; i++) {
		touch_read(p, MM_HEAP + i * PAGE_SIZE);
		BUG_ON((mm_entry(p, i).v & (PTE_RW | PTE_D)) != PTE_RW);
	}
	touch_write(p, MM_HEAP);
	BUG_ON(!(mm_entry(p, 0).v & PTE_D) || mm_entry(p, 1).v & PTE_D);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(2));
	BUG_ON(!page_test(&p->k->pages[inode->cache[0]], PG_DIRTY));
	BUG_ON(page_test(&p->k->pages[inode->cache[1]], PG_DIRTY));
}

/* Another address space's entries are flushed by the switch to it. */
static void test_switch(struct puppet *p)
{
	struct mm *child;
	struct page *page;

	mm_fill(p, 1);
	page = mm_page(p, 0);
	child = mm_copy(p);
	touch_read(p, MM_HEAP);
	child = mm_switch(p, child);
	/* the parent's A goes while its tables are not loaded */
	BUG_ON(rmap_referenced(p->k, page, true) != 1);
	child = mm_switch(p, child);
	touch_read(p, MM_HEAP);
	BUG_ON(!young(p, 0) || rmap_referenced(p->k, page, true) != 1);
	mm_put(child);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
}

static void test(struct puppet *p)
{
	test_stale(p);
	test_evicted(p);
	test_dirty(p);
	test_lost_dirty(p);
	test_shared_file(p);
	test_switch(p);
}

int main(void)
{
	puppet_alone(FRAMES, test);
	return 0;
}
