/*
 * Faults on anonymous memory: the zero page, first writes, writes to what is
 * read-only, spurious ones, stacks that grow, and who gets SIGSEGV. Source:
 * mm/memory.c and arch/i386/mm/fault.c of 2.6.18.
 */
#include "tests/mmkit.h"

#define FRAMES 4096u

enum { P = PTE_P, U = PTE_US, A = PTE_A, D = PTE_D, W = PTE_RW };

static uint32_t rights(const struct puppet *p, uint32_t page)
{
	return mm_entry(p, page).v & PTE_FLAGS;
}

/* A read maps the zero page and takes no memory; a write copies it. */
static void test_zero(struct puppet *p)
{
	struct kernel *k = p->k;
	struct page *zero = &k->pages[k->zero_page];
	uint32_t references = zero->count;
	uint64_t allocated;

	mm_area(p, MM_HEAP, 4);
	touch_read(p, MM_HEAP); /* makes the page table */
	allocated = k->vmstat.pgalloc;
	touch_read(p, MM_HEAP + PAGE_SIZE);
	BUG_ON(k->vmstat.pgalloc != allocated);
	BUG_ON(mm_page(p, 0) != zero || mm_page(p, 1) != zero);
	BUG_ON(rights(p, 1) != (P | U | A));
	BUG_ON(zero->count != references + 2 || zero->mapcount != 2);
	BUG_ON(p->mm->file_rss != 2 || p->mm->anon_rss);

	touch_write(p, MM_HEAP + PAGE_SIZE);
	BUG_ON(mm_page(p, 1) == zero || zero->mapcount != 1);
	BUG_ON(rights(p, 1) != (P | U | A | D | W));
	BUG_ON(p->mm->file_rss != 1 || p->mm->anon_rss != 1);
	BUG_ON(k->vmstat.pgfault_cow != 1 || k->vmstat.pgfault_zero != 2);
	BUG_ON(p->task->self.minor_faults != 3 || p->task->self.major_faults);
	/* one store to a page of zeroes */
	BUG_ON(k->ram->tag[pte_pfn(mm_entry(p, 1))] !=
	       p->mm->key * (2 * (MM_HEAP / PAGE_SIZE + 1) + 1));
	BUG_ON(k->ram->tag[k->zero_page]);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(4));
	BUG_ON(zero->count != references || zero->mapcount);
}

/* A first write: a page of zeroes, young, dirty, writable. */
static void test_first_write(struct puppet *p)
{
	struct kernel *k = p->k;
	struct page *page;

	mm_area(p, MM_HEAP, 4);
	/* the entry as the kernel makes it, before hardware writes to it */
	BUG_ON(fault_handle(p->task, MM_HEAP, MMU_WRITE) != FAULT_MINOR);
	page = mm_page(p, 0);
	BUG_ON(rights(p, 0) != (P | U | A | D | W));
	BUG_ON(!page_test(page, PG_ANON) || !page_test(page, PG_UPTODATE));
	BUG_ON(page->flags & (PG_DIRTY | PG_SWAPCACHE | PG_REFERENCED));
	BUG_ON(page->index != MM_HEAP / PAGE_SIZE || page->mapcount != 1);
	BUG_ON(k->vmstat.pgfault_anon != 1 || p->mm->max_rss != 2);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(4));
}

/* Read-only but nobody else's: it is made writable, and not copied. */
static void test_reuse(struct puppet *p)
{
	struct kernel *k = p->k;
	struct page *page;
	struct pte e;

	mm_fill(p, 1);
	page = mm_page(p, 0);
	e = mm_entry(p, 0);
	e.v &= ~(uint32_t)(W | D | A);
	pgtable_set(p->mm, MM_HEAP, e);
	pgtable_flush(p->mm, MM_HEAP);
	touch_write(p, MM_HEAP);
	BUG_ON(mm_page(p, 0) != page || k->vmstat.pgfault_reuse != 1);
	BUG_ON(rights(p, 0) != (P | U | A | D | W));
	/* not even looked at while somebody holds its lock: copied */
	pgtable_set(p->mm, MM_HEAP, e);
	pgtable_flush(p->mm, MM_HEAP);
	BUG_ON(!page_trylock(page));
	page->count++;
	touch_write(p, MM_HEAP);
	BUG_ON(mm_page(p, 0) == page || k->vmstat.pgfault_reuse != 1);
	page_unlock(k, page);
	BUG_ON(page->count != 1 || page->mapcount);
	page_put(k, page);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
}

/* The entry is there by now: it becomes young, and dirty for a write. */
static void test_spurious(struct puppet *p)
{
	struct pte e;

	mm_fill(p, 1);
	e = mm_entry(p, 0);
	e.v &= ~(uint32_t)(D | A);
	pgtable_set(p->mm, MM_HEAP, e);
	BUG_ON(fault_handle(p->task, MM_HEAP, MMU_READ) != FAULT_MINOR);
	BUG_ON(rights(p, 0) != (P | U | A | W));
	BUG_ON(fault_handle(p->task, MM_HEAP, MMU_WRITE) != FAULT_MINOR);
	BUG_ON(rights(p, 0) != (P | U | A | D | W));
	BUG_ON(p->k->vmstat.pgfault_spurious != 2);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
}

/* sole user: mapped once, and no other entry names the slot. */
static void test_sole_user(struct puppet *p)
{
	static const struct {
		uint32_t mapcount, slot;
		bool cached, sole;
	} rows[] = {
		{ 1, 0, false, true }, { 2, 0, false, false },
		{ 1, 1, true, true },  { 1, 2, true, false },
		{ 0, 2, true, true },  { 0, 3, true, false },
		{ 2, 1, true, false },
	};
	struct kernel *k = p->k;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct page page = { .mapcount = rows[i].mapcount,
				     .private = 7 };
		uint16_t saved = k->swap->map[7];

		page.flags = rows[i].cached ? PG_SWAPCACHE : 0;
		k->swap->map[7] = (uint16_t)rows[i].slot;
		BUG_ON(swap_sole_user(k, &page) != rows[i].sole);
		k->swap->map[7] = saved;
	}
}

/* Down to 8 MiB below its top, not more, and only by faults above 0. */
static void test_stack(struct puppet *p)
{
	const vaddr top = STACK_TOP, bottom = STACK_TOP - STACK_SIZE;
	struct vma *vma;

	BUG_ON(mm_map(p->mm, top - 2 * PAGE_SIZE, mm_bytes(2),
		      VM_READ | VM_WRITE | VM_GROWSDOWN, NULL,
		      0) != top - 2 * PAGE_SIZE);
	vma = mm_find(p->mm, top - 1);
	touch_write(p, top - 8);
	touch_write(p, top - 5 * PAGE_SIZE + 4);
	BUG_ON(vma->start != top - 5 * PAGE_SIZE || p->mm->total_vm != 5);
	/* pages keep their place: the area's offset went down with it */
	BUG_ON(vma->offset + 5 != top / PAGE_SIZE);
	touch_write(p, top - 4 * PAGE_SIZE);
	BUG_ON(p->mm->total_vm != 5 || p->mm->anon_rss != 3);
	BUG_ON(touch_as(p, bottom - 1, MMU_WRITE) != FAULT_SEGV);
	touch_read(p, bottom);
	BUG_ON(vma->start != bottom);
	BUG_ON(p->mm->total_vm != STACK_SIZE / PAGE_SIZE);
	mm_unmap(p->mm, bottom, STACK_SIZE);
	BUG_ON(p->mm->total_vm);
}

/* Rights of the area decide, whatever is mapped. */
static void test_rights(struct puppet *p)
{
	uint64_t faults = p->task->self.minor_faults;

	BUG_ON(touch_as(p, 0, MMU_READ) != FAULT_SEGV);
	BUG_ON(touch_as(p, MM_HEAP, MMU_WRITE) != FAULT_SEGV);
	mm_map(p->mm, MM_HEAP, PAGE_SIZE, VM_READ, NULL, 0);
	BUG_ON(touch_as(p, MM_HEAP, MMU_WRITE) != FAULT_SEGV);
	touch_read(p, MM_HEAP);
	BUG_ON(touch_as(p, MM_HEAP, MMU_WRITE) != FAULT_SEGV);
	BUG_ON(touch_as(p, MM_HEAP + PAGE_SIZE, MMU_READ) != FAULT_SEGV);
	/* an ordinary area does not grow */
	BUG_ON(touch_as(p, MM_HEAP - 1, MMU_READ) != FAULT_SEGV);
	BUG_ON(p->task->self.minor_faults != faults + 1);
	BUG_ON(p->mm->mmap_sem.readers || p->mm->mmap_sem.writer);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
}

static void test(struct puppet *p)
{
	test_zero(p);
	test_first_write(p);
	test_reuse(p);
	test_spurious(p);
	test_sole_user(p);
	test_stack(p);
	test_rights(p);
}

int main(void)
{
	puppet_alone(FRAMES, test);
	return 0;
}
