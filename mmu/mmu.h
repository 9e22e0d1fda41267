/*
 * The CPU's only door to memory: look in the TLB, else walk the tables, else
 * a fault code. Two levels of 4 KiB tables with 4 MiB pages (PSE).
 *
 * Where the SDM leaves the hardware a choice, this is ours, the same every
 * time (docs/mmu.md says why):
 *
 * - A fault changes no entry: A bits of upper entries that the walk passed
 *   stay as they were. It drops the page from both TLBs.
 * - Instructions and data have TLBs of their own: an entry that a fetch
 *   filled does not serve loads, and the other way round.
 * - An entry filled by the supervisor does not serve user code; one filled by
 *   user code serves both.
 * - A write through an entry that was clean, and any access for which the
 *   entry lacks the right, walks memory anew: rights granted without a flush
 *   work at once, rights revoked without one may last.
 * - Upper entries are not cached. Global entries survive CR3 loads.
 */
#pragma once

#include "mmu/tlb.h"

enum mmu_access { MMU_READ, MMU_WRITE, MMU_FETCH };

struct mmu {
	struct ram *ram;
	uint32_t cr2; /* address of the last fault */
	uint32_t cr3; /* physical address of the page directory */
	bool wp;      /* CR0.WP: read-only pages bind the supervisor too */
	bool pse;     /* CR4.PSE */
	bool pge;     /* CR4.PGE */

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
	bool walked;   /* the tables were walked, whatever came of it */
	uint8_t error; /* PF_ bits when fault; CR2 is set then */
	pfn frame;     /* when not fault; may lie above the last frame of RAM */
	uint32_t address; /* physical, low 32 bits, when not fault */
};

/*
 * What the TLB does not know: walk, fill or fault. For mmu_translate only.
 * The result is packed, frame << 32 or error << 8 | MMU_FAULT: compilers put
 * small structs together in memory and stall on reading them back, which
 * costs more than the walk.
 */
#define MMU_FAULT 1u
uint64_t mmu_miss(struct mmu *m, vaddr va, enum mmu_access access, bool user);

/* Rights that a cached entry must have to serve the access. */
static inline uint8_t mmu_needs(const struct mmu *m, enum mmu_access access,
				bool user)
{
	uint8_t needs = user ? TLB_USER : 0;

	if (access != MMU_WRITE)
		return needs;
	return needs | TLB_DIRTY | (user || m->wp ? TLB_WRITE : 0);
}

/*
 * Translate one access by user or supervisor code. Sets A on a walk, D on
 * the first write (also through an entry that a read filled), fills the TLB.
 * Never sleeps. Does not touch the frame's tag.
 */
static inline struct mmu_result mmu_translate(struct mmu *m, vaddr va,
					      enum mmu_access access, bool user)
{
	struct tlb *t = access == MMU_FETCH ? &m->itlb : &m->dtlb;
	const struct tlb_set *s = tlb_set_of(t, va >> PAGE_SHIFT);
	unsigned match = tlb_match(s, (va >> PAGE_SHIFT) + 1);
	uint8_t needs = mmu_needs(m, access, user);
	uint64_t packed;

	if (__builtin_expect(match != 0, 1)) {
		unsigned way = (unsigned)__builtin_ctz(match);
		pfn frame = s->frame[way];

		if (__builtin_expect((s->flags[way] & needs) == needs, 1)) {
			t->hits++;
			return (struct mmu_result){
				.frame = frame,
				.address =
					frame << PAGE_SHIFT | (va & ~PAGE_MASK),
			};
		}
	}
	packed = mmu_miss(m, va, access, user);
	return (struct mmu_result){
		.fault = packed & MMU_FAULT,
		.walked = true,
		.error = (uint8_t)(packed >> 8),
		.frame = (pfn)(packed >> 32),
		.address = (uint32_t)(packed >> 32) << PAGE_SHIFT |
			   (va & ~PAGE_MASK),
	};
}

/* Load CR3: drops translations that are not global. */
void mmu_load_cr3(struct mmu *m, uint32_t cr3);

/* INVLPG: drops the page from both TLBs, global or not. */
void mmu_invlpg(struct mmu *m, vaddr va);

/* Everything, globals too: a toggle of CR4.PGE. */
void mmu_flush_all(struct mmu *m);
