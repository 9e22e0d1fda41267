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
 * Walk the tables of m->cr3 for one access. Succeeds and sets A at both
 * levels, and D in the leaf for a write; or faults and changes nothing. Does
 * not look at, fill or flush the TLBs. Never sleeps.
 *
 * The order is the SDM's: from the top, the first entry that is not present
 * or has a reserved bit decides; rights are judged after the last level.
 */
struct walk walk_tables(const struct mmu *m, vaddr va, enum mmu_access access,
			bool user);
