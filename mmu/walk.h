/*
 * The page walk: what the hardware does on a TLB miss. Reads the tables in
 * emulated frames, decides about rights, and sets A and D.
 */
#pragma once

#include "mmu/mmu.h"

struct walk {
	bool fault;
	uint8_t error; /* PF_ bits when fault */
	uint8_t flags; /* TLB_ bits when not fault */
	pfn frame;     /* of the 4 KiB page, when not fault */
};

/*
 * Walk the tables of m->cr3 for one access; *w says what came of it (by
 * pointer: a small struct returned in registers is put together in memory,
 * at three times the cost of the walk). Succeeds and sets A at both
 * levels, and D in the leaf for a write; or faults and changes nothing. Does
 * not look at, fill or flush the TLBs. Never sleeps.
 *
 * The order is the SDM's: from the top, the first entry that is not present
 * or has a reserved bit decides; rights are judged after the last level.
 */
void walk_tables(const struct mmu *m, vaddr va, enum mmu_access access,
		 bool user, struct walk *w);

/*
 * The walk as it mostly goes, in a few instructions: both entries present, a
 * 4 KiB page, the rights there. Does what walk_tables does and returns true;
 * or changes nothing and returns false, and walk_tables must be asked.
 */
static inline bool walk_quick(const struct mmu *m, vaddr va, bool write,
			      bool user, struct walk *w)
{
	const struct ram *ram = m->ram;
	uint32_t *pde = ram_word(m->ram, m->cr3 | va >> 22 << 2);
	pfn table = *pde >> PAGE_SHIFT;
	uint32_t *pte =
		ram_word(m->ram, (*pde & PAGE_MASK) | (va >> 10 & 0xffc));
	uint32_t needs = PTE_P | (user ? PTE_US : 0) | (write ? PTE_RW : 0);
	uint32_t traces = PTE_A | (write ? PTE_D : 0);
	uint32_t leaf;

	/* a large page, even without PSE; a table that is no frame of ours */
	if ((*pde & (PTE_P | PTE_PS)) != PTE_P || table >= ram->frames ||
	    ram->real[table] != RAM_REAL)
		return false;
	leaf = *pte;
	if ((*pde & leaf & needs) != needs)
		return false;
	if (!(*pde & PTE_A))
		*pde |= PTE_A;
	if ((leaf & traces) != traces)
		*pte = leaf |= traces;
	w->frame = leaf >> PAGE_SHIFT;
	/* the bits of the entry move to those of the TLB: see tlb.h */
	w->flags = (uint8_t)((*pde & leaf & PTE_RW) >> 1 | (leaf & PTE_D) >> 4 |
			     (leaf & PTE_G & (m->pge ? PTE_G : 0)) >> 5 |
			     (user ? TLB_USER : 0));
	return true;
}
