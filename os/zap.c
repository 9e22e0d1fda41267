/*
 * Unmapping pages.
 *
 * Models      zap_pte_range of mm/memory.c and free_pages_and_swap_cache of
 *             mm/swap_state.c, Linux 2.6.18.
 * Leaves out  the gathering of pages before one flush: the flush is charged
 *             with the entry.
 */
#include "os/zap.h"

#include "os/filemap.h"
#include "os/kernel.h"
#include "os/pgtable.h"
#include "os/shadow.h"

/* Bytes unmapped before others may run: ZAP_BLOCK_SIZE. */
#define PIECE ((uint64_t)256 * PAGE_SIZE)

/* free_page_and_swap_cache: drop the reference of the entry. */
static void release_page(struct kernel *k, struct page *page)
{
	if (page_test(page, PG_SWAPCACHE) && page_trylock(page)) {
		swap_cache_remove_exclusive(k, page);
		page_unlock(k, page);
	}
	page_put(k, page);
}

static void zap_present(struct mm *mm, struct pte e)
{
	struct kernel *k = mm->k;
	struct page *page = &k->pages[pte_pfn(e)];

	if (page_test(page, PG_ANON)) {
		mm->anon_rss--;
	} else {
		mm->file_rss--;
		if (e.v & PTE_D)
			page->flags |= PG_DIRTY;
		if (e.v & PTE_A && !page_test(page, PG_RESERVED))
			lru_mark_accessed(k, page);
	}
	rmap_remove(k, page);
	release_page(k, page);
}

static bool zap_one(struct mm *mm, vaddr va, struct pte *e, void *arg)
{
	struct pte old = *e;

	(void)arg;
	cpu_charge(mm->k->cpu, (uint64_t)mm->k->cost.unmap);
	*e = (struct pte){ 0 };
	if (pte_present(old)) {
		pgtable_flush(mm, va);
		zap_present(mm, old);
	} else {
		mm->swap_entries--;
		shadow_forget(mm->k, mm, va);
		swap_entry_gone(mm->k, pte_slot(old));
	}
	return true;
}

SLEEPS void zap_range(struct vma *vma, vaddr start, vaddr end)
{
	struct kernel *k = vma->mm->k;

	lru_drain(k);
	/* in pieces, so that others are not kept waiting for long */
	for (uint64_t at = start; at < end; at += PIECE) {
		uint64_t stop = at + PIECE;

		pgtable_each(vma->mm, (vaddr)at,
			     (vaddr)(stop < end ? stop : end), zap_one, NULL);
		cpu_spend(k->cpu, 0);
		cond_resched(k);
	}
}
