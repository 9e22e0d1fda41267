/*
 * The CPU's only door to memory: look in the TLB, else walk the tables, else
 * a fault code. Two levels of 4 KiB tables with 4 MiB pages (PSE).
 *
 * On a fault no entry is changed: A bits of upper entries that the walk
 * passed stay as they were (the SDM leaves this open).
 */
#pragma once

#include "mmu/tlb.h"

enum mmu_access { MMU_READ, MMU_WRITE, MMU_FETCH };

struct mmu {
	struct ram *ram;
	uint32_t cr2; /* address of the last fault */
	uint32_t cr3; /* physical address of the page directory */
	bool wp; /* CR0.WP: read-only pages bind the supervisor too */
	bool pse; /* CR4.PSE */
	bool pge; /* CR4.PGE */

	struct tlb itlb;
	struct tlb dtlb;

	uint64_t walks;
	uint64_t key; /* tag key of the address space, see ram_store */
};

/* wp, pse and pge start as true. */
void mmu_init(struct mmu *m, struct ram *ram, struct tlb_geometry itlb,
	      struct tlb_geometry dtlb);
void mmu_finish(struct mmu *m);

/* What translate found out. */
struct mmu_result {
	bool fault;
	uint8_t error; /* PF_ bits when fault; CR2 is set then */
	uint32_t address; /* physical, when not fault */
};

/*
 * Translate one access by user or supervisor code. Sets A on a walk, D on
 * the first write (also through an entry that a read filled), fills the TLB.
 * Never sleeps. Does not touch the frame's tag.
 */
struct mmu_result mmu_translate(struct mmu *m, vaddr va,
				enum mmu_access access, bool user);

/* Load CR3: drops translations that are not global. */
void mmu_load_cr3(struct mmu *m, uint32_t cr3);

/* INVLPG: drops the page from both TLBs, global or not. */
void mmu_invlpg(struct mmu *m, vaddr va);

/* Everything, globals too: a toggle of CR4.PGE. */
void mmu_flush_all(struct mmu *m);
