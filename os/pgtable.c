/*
 * Page tables: find, make, walk, free.
 *
 * Models      i386 without PAE, arch/i386/mm/pgtable.c of Linux 2.6.18.
 * Leaves out  the kernel's own part of the directory: user programs never
 *             touch it, and the kernel runs on the host.
 */
#include "os/pgtable.h"

#include "os/kernel.h"

#define TABLE_SPAN (1u << 22) /* bytes that one page table maps */

/* A zeroed frame for a table, with real bytes. */
SLEEPS static struct page *table_page(struct kernel *k)
{
	struct page *page = page_alloc(k, GFP_KERNEL | GFP_ZERO);

	if (!page)
		return NULL;
	page->flags |= PG_KERNEL | PG_TABLE;
	ram_poke(k->ram, page_number(k, page));
	k->nr_page_tables++;
	return page;
}

static void table_page_free(struct kernel *k, pfn frame)
{
	struct page *page = &k->pages[frame];

	BUG_ON(!page_test(page, PG_TABLE));
	ram_clear(k->ram, frame);
	page->flags &= ~(uint32_t)(PG_KERNEL | PG_TABLE);
	k->nr_page_tables--;
	page_put(k, page);
}

SLEEPS struct pte *pgtable_make(struct mm *mm, vaddr va)
{
	struct pte *dir = pgtable_directory(mm, va);
	struct page *page;

	if (pte_present(*dir))
		return pgtable_entry(mm, *dir, va);
	page = table_page(mm->k);
	if (!page)
		return NULL;
	if (pte_present(*dir)) { /* somebody made it while we slept */
		table_page_free(mm->k, page_number(mm->k, page));
		return pgtable_entry(mm, *dir, va);
	}
	*dir = pte_make(page_number(mm->k, page), PTE_P | PTE_RW | PTE_US);
	mm->tables++;
	return pgtable_entry(mm, *dir, va);
}

void pgtable_flush_all(struct mm *mm)
{
	if (pgtable_loaded(mm))
		mmu_load_cr3(&mm->k->cpu->mmu, mm->k->cpu->mmu.cr3);
}

SLEEPS bool pgtable_new(struct mm *mm)
{
	struct page *page = table_page(mm->k);

	if (!page)
		return false;
	mm->directory = page_number(mm->k, page);
	return true;
}

static bool table_is_empty(const struct mm *mm, struct pte dir)
{
	const struct pte *e = pgtable_entry(mm, dir, 0);

	for (int i = 0; i < 1024; i++)
		if (e[i].v)
			return false;
	return true;
}

void pgtable_free(struct mm *mm)
{
	struct kernel *k = mm->k;

	/* the tables may still be loaded, under a kernel thread */
	if (pgtable_loaded(mm))
		mmu_load_cr3(&k->cpu->mmu, 0);
	for (uint64_t va = 0; va < USER_TOP; va += TABLE_SPAN) {
		struct pte dir = *pgtable_directory(mm, (vaddr)va);

		if (!pte_present(dir))
			continue;
		BUG_ON(!table_is_empty(mm, dir));
		table_page_free(k, pte_pfn(dir));
		mm->tables--;
	}
	BUG_ON(mm->tables);
	table_page_free(k, mm->directory);
}

SLEEPS bool pgtable_each(struct mm *mm, vaddr start, vaddr end, pgtable_fn fn,
			 void *arg)
{
	vaddr va = start;

	while (va < end) {
		struct pte *e = pgtable_find(mm, va);

		if (!e) {
			vaddr next = (va & ~(TABLE_SPAN - 1)) + TABLE_SPAN;

			if (next <= va)
				break;
			va = next;
			continue;
		}
		if (e->v && !fn(mm, va, e, arg))
			return false;
		va += PAGE_SIZE;
	}
	return true;
}
