/*
 * For tests of memory management: on a machine of tests/oskit.h, a process
 * whose program is a C function (a puppet), so that it can touch pages one by
 * one through the real MMU and fault path and look at the kernel in between.
 */
#pragma once

#include "os/fault.h"
#include "os/filemap.h"
#include "os/pgtable.h"
#include "tests/oskit.h"

#define MM_HEAP	 0x10000000u /* where mm_pages maps, if the test says so */
#define MM_TOUCH 200	     /* cycles of one touch */

static inline uint64_t mm_bytes(uint64_t pages)
{
	return pages * PAGE_SIZE;
}

struct puppet {
	struct oskit *o;
	struct kernel *k;
	struct task *task;
	struct mm *mm;
	void (*fn)(struct puppet *p);
	void *arg;
	bool done;
};

static inline void puppet_main(void *arg)
{
	struct puppet *p = arg;

	p->task = p->k->current;
	p->mm = mm_new(p->k, p->task);
	BUG_ON(!p->mm);
	p->task->mm = p->mm;
	mm_activate(p->k, p->mm);
	p->fn(p);
	p->done = true;
	p->k->stop = true;
	/* returning ends the task, which gives its memory back */
}

/* Run fn as a process to its end. */
static inline void puppet_run(struct oskit *o, void (*fn)(struct puppet *p),
			      void *arg)
{
	struct puppet p = { .o = o, .k = o->k, .fn = fn, .arg = arg };

	kthread_new(o->k, "puppet", puppet_main, &p);
	BUG_ON(!sched_run(o->k));
	BUG_ON(!p.done);
	o->k->stop = false;
	oskit_check_time(o);
}

/* The same on a machine of its own. */
static inline void puppet_alone(uint32_t frames, void (*fn)(struct puppet *p))
{
	struct oskit o;

	oskit_init_size(&o, frames);
	oskit_boot(&o);
	puppet_run(&o, fn, NULL);
	kernel_check(o.k);
	oskit_finish(&o);
}

/* One access by its program; FAULT_MINOR also if nothing faulted. */
static inline enum fault_result touch_as(struct puppet *p, vaddr va,
					 enum mmu_access access)
{
	enum fault_result worst = FAULT_MINOR;
	struct mmu *mmu = &p->k->cpu->mmu;

	cpu_spend(p->k->cpu, MM_TOUCH);
	cond_resched(p->k);
	for (;;) {
		struct mmu_result r = mmu_translate(mmu, va, access, true);
		enum fault_result result;

		if (!r.fault && access == MMU_WRITE)
			ram_store(p->k->ram, r.frame, mmu->key,
				  va >> PAGE_SHIFT, 1);
		if (!r.fault)
			return worst;
		result = fault_handle(p->task, va, access);
		if (result > FAULT_MAJOR)
			return result;
		if (result == FAULT_MAJOR)
			worst = result;
	}
}

static inline void touch_read(struct puppet *p, vaddr va)
{
	BUG_ON(touch_as(p, va, MMU_READ) > FAULT_MAJOR);
}

static inline void touch_write(struct puppet *p, vaddr va)
{
	BUG_ON(touch_as(p, va, MMU_WRITE) > FAULT_MAJOR);
}

/* Map pages of anonymous memory at va, nothing in it. */
static inline void mm_area(struct puppet *p, vaddr va, uint32_t pages)
{
	BUG_ON(mm_map(p->mm, va, (uint64_t)pages * PAGE_SIZE,
		      VM_READ | VM_WRITE, NULL, 0) != va);
}

/* The same at MM_HEAP, every page written once. */
static inline void mm_fill(struct puppet *p, uint32_t pages)
{
	mm_area(p, MM_HEAP, pages);
	for (uint32_t i = 0; i < pages; i++)
		touch_write(p, MM_HEAP + i * PAGE_SIZE);
	lru_drain(p->k);
}

static inline struct pte mm_entry(const struct puppet *p, uint32_t page)
{
	return pgtable_read(p->mm, MM_HEAP + page * PAGE_SIZE);
}

/* The page that is mapped at a page of MM_HEAP; BUG if it is not present. */
static inline struct page *mm_page(const struct puppet *p, uint32_t page)
{
	struct pte e = mm_entry(p, page);

	BUG_ON(!pte_present(e));
	return &p->k->pages[pte_pfn(e)];
}

/* As if nobody had looked at the page for long: no A, not referenced. */
static inline void mm_make_old(struct puppet *p, uint32_t page)
{
	vaddr va = MM_HEAP + page * PAGE_SIZE;
	struct pte e = pgtable_read(p->mm, va);

	mm_page(p, page)->flags &= ~(uint32_t)PG_REFERENCED;
	e.v &= ~(uint32_t)PTE_A;
	pgtable_set(p->mm, va, e);
	pgtable_flush(p->mm, va);
}

/* To the head of the inactive list, whatever it is on. */
static inline void mm_deactivate(struct kernel *k, struct page *page)
{
	lru_drain(k);
	lru_del(k, page);
	page->flags &= ~(uint32_t)PG_ACTIVE;
	lru_add(k, page);
}

/*
 * Scan just so many pages of a zone's lists, at a priority that adds nothing:
 * pages freed. Amounts are 0 or a batch and more.
 */
SLEEPS static inline uint64_t mm_shrink(struct kernel *k, struct zone *z,
					uint32_t active, uint32_t inactive,
					struct scan *scan)
{
	BUG_ON((active && active < SWAP_CLUSTER_MAX) ||
	       (inactive && inactive < SWAP_CLUSTER_MAX));
	z->scan_active = active ? active - 1 : 0;
	z->scan_inactive = inactive ? inactive - 1 : 0;
	BUG_ON((z->nr_active | z->nr_inactive) >> DEF_PRIORITY);
	return k->vmscan.ops->shrink_zone(k, z, DEF_PRIORITY, scan);
}

/* One batch of the inactive list, allowed everything; pages freed. */
SLEEPS static inline uint64_t mm_reclaim(struct kernel *k, struct zone *z)
{
	struct scan scan = { .gfp = GFP_KERNEL, .may_writepage = true };

	return mm_shrink(k, z, 0, SWAP_CLUSTER_MAX, &scan);
}

/* Old, inactive, and one pass of reclaim over it; its write has ended. */
SLEEPS static inline void mm_push_out(struct puppet *p, uint32_t page)
{
	struct page *frame = mm_page(p, page);

	mm_make_old(p, page);
	mm_deactivate(p->k, frame);
	mm_reclaim(p->k, page_zone(p->k, frame));
	while (p->k->nr_writeback)
		congestion_wait(p->k, true, NSEC_PER_SEC / 10);
	mm_reclaim(p->k, page_zone(p->k, frame));
}

/* A copy of the puppet's address space, as fork makes it. */
SLEEPS static inline struct mm *mm_copy(struct puppet *p)
{
	struct mm *mm = mm_fork(p->task, p->mm);

	BUG_ON(!mm);
	return mm;
}

/* Go on in another address space of the puppet's; the one it was in. */
static inline struct mm *mm_switch(struct puppet *p, struct mm *mm)
{
	struct mm *old = p->mm;

	p->mm = mm;
	p->task->mm = mm;
	mm_activate(p->k, mm);
	return old;
}

/* Frames that are free, in the zones or in the per-CPU lists. */
static inline uint32_t mm_free_frames(const struct kernel *k)
{
	uint32_t n = 0;

	for (int i = 0; i < NR_ZONES; i++) {
		const struct zone *z = &k->zones.zone[i];

		n += z->free + z->pcp[0].count + z->pcp[1].count;
	}
	return n;
}
