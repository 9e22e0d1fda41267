/*
 * The memory management unit.
 *
 * Models      CR2, CR3, CR0.WP, CR4.PSE and CR4.PGE; one instruction and one
 *             data TLB; what flushes them.
 * Leaves out  turning paging off, segmentation, accesses to nowhere (the
 *             caller sees a frame above RAM and decides).
 * Seen in     every access of every program; tests/2xx.
 */
#include "mmu/mmu.h"

#include "emu/bug.h"
#include "mmu/walk.h"

void mmu_init(struct mmu *m, struct ram *ram, struct tlb_geometry itlb,
	      struct tlb_geometry dtlb)
{
	*m = (struct mmu){
		.ram = ram, .wp = true, .pse = true, .pge = true, .key = 1
	};
	tlb_init(&m->itlb, itlb);
	tlb_init(&m->dtlb, dtlb);
}

void mmu_finish(struct mmu *m)
{
	tlb_finish(&m->itlb);
	tlb_finish(&m->dtlb);
	*m = (struct mmu){ 0 };
}

/* The walk that walk_quick left to us: a fault, or something uncommon. */
static __attribute__((noinline)) uint64_t miss_in_full(struct mmu *m,
						       struct tlb *t, vaddr va,
						       enum mmu_access access,
						       bool user)
{
	struct walk w;

	walk_tables(m, va, access, user, &w);
	if (w.fault) {
		m->cr2 = va;
		mmu_invlpg(m, va);
		return (uint64_t)w.error << 8 | MMU_FAULT;
	}
	tlb_fill(t, va >> PAGE_SHIFT, w.frame, w.flags);
	return (uint64_t)w.frame << 32;
}

uint64_t mmu_miss(struct mmu *m, vaddr va, enum mmu_access access, bool user)
{
	struct tlb *t = access == MMU_FETCH ? &m->itlb : &m->dtlb;
	struct walk w;

	t->misses++;
	m->walks++;
	if (!walk_quick(m, va, access == MMU_WRITE, user, &w))
		return miss_in_full(m, t, va, access, user);
	tlb_fill(t, va >> PAGE_SHIFT, w.frame, w.flags);
	return (uint64_t)w.frame << 32;
}

void mmu_load_cr3(struct mmu *m, uint32_t cr3)
{
	BUG_ON(cr3 & ~PAGE_MASK);
	m->cr3 = cr3;
	tlb_flush(&m->itlb, false);
	tlb_flush(&m->dtlb, false);
}

void mmu_invlpg(struct mmu *m, vaddr va)
{
	tlb_flush_page(&m->itlb, va >> PAGE_SHIFT);
	tlb_flush_page(&m->dtlb, va >> PAGE_SHIFT);
}

void mmu_flush_all(struct mmu *m)
{
	tlb_flush(&m->itlb, true);
	tlb_flush(&m->dtlb, true);
}
