/*
 * Page tables as the kernel edits them: two levels in emulated frames.
 *
 * A present entry is the hardware's (mmu/pte.h). An entry that is not present
 * but not zero names a swap slot: slot number in the upper 24 bits, as
 * __swp_offset of i386 does (include/asm-i386/pgtable-2level.h).
 */
#pragma once

#include "os/mm.h"

static inline bool pte_none(struct pte e)
{
	return !e.v;
}

static inline bool pte_same(struct pte a, struct pte b)
{
	return a.v == b.v;
}

static inline struct pte pte_swap(uint32_t slot)
{
	return (struct pte){ slot << 8 };
}

static inline uint32_t pte_slot(struct pte e)
{
	return e.v >> 8;
}

/* The entry for va; NULL where there is no page table. */
struct pte *pgtable_find(const struct mm *mm, vaddr va);

/* The same, making the page table. NULL: no memory. */
SLEEPS struct pte *pgtable_make(struct mm *mm, vaddr va);

/* What the entry for va holds now; zero where there is no page table. */
struct pte pgtable_read(const struct mm *mm, vaddr va);

/* Set an entry whose page table exists. Does not flush. */
void pgtable_set(struct mm *mm, vaddr va, struct pte e);

/* Drop the page's translation where it may be cached. */
void pgtable_flush(struct mm *mm, vaddr va);

/* Drop all of the address space's translations. */
void pgtable_flush_all(struct mm *mm);

/* The page directory of a new mm. False: no memory. */
SLEEPS bool pgtable_new(struct mm *mm);

/* Free all page tables; every entry must be zero by now. */
void pgtable_free(struct mm *mm);

/*
 * Call fn for each entry in [start, end) that is not zero. fn may change the
 * entry and may sleep; tables it makes are seen.
 */
typedef bool (*pgtable_fn)(struct mm *mm, vaddr va, struct pte *entry,
			   void *arg);
SLEEPS bool pgtable_each(struct mm *mm, vaddr start, vaddr end, pgtable_fn fn,
			 void *arg);
