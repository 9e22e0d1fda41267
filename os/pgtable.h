/*
 * Page tables as the kernel edits them: two levels in emulated frames.
 *
 * A present entry is the hardware's (mmu/pte.h). An entry that is not present
 * but not zero names a swap slot: slot number in the upper 24 bits, as
 * __swp_offset of i386 does (include/asm-i386/pgtable-2level.h).
 */
#pragma once

#include "os/kernel.h"

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

/* The directory's entry for va. */
static inline struct pte *pgtable_directory(const struct mm *mm, vaddr va)
{
	uint32_t address = (mm->directory << PAGE_SHIFT) + (va >> 22) * 4;

	return (struct pte *)(void *)ram_word(mm->k->ram, address);
}

/* The entry for va in the table that dir, which is present, names. */
static inline struct pte *pgtable_entry(const struct mm *mm, struct pte dir,
					vaddr va)
{
	uint32_t index = (va >> PAGE_SHIFT) & 1023;

	return (struct pte *)(void *)ram_word(mm->k->ram,
					      (dir.v & PAGE_MASK) + index * 4);
}

/*
 * The entry for va; NULL where there is no page table. It stays where it is
 * until the address space is gone: tables are not freed before.
 */
static inline struct pte *pgtable_find(const struct mm *mm, vaddr va)
{
	struct pte dir = *pgtable_directory(mm, va);

	return pte_present(dir) ? pgtable_entry(mm, dir, va) : NULL;
}

/* The same, making the page table. NULL: no memory. */
SLEEPS struct pte *pgtable_make(struct mm *mm, vaddr va);

/* What the entry for va holds now; zero where there is no page table. */
static inline struct pte pgtable_read(const struct mm *mm, vaddr va)
{
	const struct pte *e = pgtable_find(mm, va);

	return e ? *e : (struct pte){ 0 };
}

/* Set an entry whose page table exists. Does not flush. */
static inline void pgtable_set(struct mm *mm, vaddr va, struct pte e)
{
	struct pte *at = pgtable_find(mm, va);

	BUG_ON(!at);
	*at = e;
}

/* Does the CPU use these tables now? Else its TLBs hold nothing of them. */
static inline bool pgtable_loaded(const struct mm *mm)
{
	return mm->k->cpu->mmu.cr3 == mm->directory << PAGE_SHIFT;
}

/* Drop the page's translation where it may be cached. */
static inline void pgtable_flush(struct mm *mm, vaddr va)
{
	if (pgtable_loaded(mm))
		mmu_invlpg(&mm->k->cpu->mmu, va);
}

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
