/*
 * Copying an address space for fork.
 *
 * Models      dup_mmap of kernel/fork.c and copy_page_range of mm/memory.c,
 *             Linux 2.6.18: private writable entries become read-only in
 *             both; areas without an anonymous page are not copied, the child
 *             faults them in again.
 */
#include "os/kernel.h"
#include "os/mm_private.h"
#include "os/pgtable.h"
#include "os/shadow.h"

struct copy {
	struct mm *child;
	bool shared;
};

static void copy_present(struct copy *c, struct mm *parent, struct pte *from,
			 struct pte *to)
{
	struct page *page = &parent->k->pages[pte_pfn(*from)];

	if (!c->shared)
		from->v &= ~(uint32_t)PTE_RW;
	to->v = from->v & ~(uint32_t)PTE_A;
	if (c->shared)
		to->v &= ~(uint32_t)PTE_D;
	page->count++;
	rmap_dup(page);
	if (page_test(page, PG_ANON))
		c->child->anon_rss++;
	else
		c->child->file_rss++;
}

static bool copy_one(struct mm *parent, vaddr va, struct pte *from, void *arg)
{
	struct copy *c = arg;
	struct kernel *k = parent->k;
	struct pte *to = pgtable_make(c->child, va);

	if (!to)
		return false;
	cpu_charge(k->cpu, (uint64_t)k->cost.fork_page);
	/* making the table may have slept: *from is read only now */
	if (pte_present(*from)) {
		copy_present(c, parent, from, to);
	} else if (from->v) {
		swap_duplicate(k, pte_slot(*from));
		*to = *from;
		c->child->swap_entries++;
		shadow_copy(k, c->child, parent, va);
	}
	return true;
}

SLEEPS static bool copy_vma(struct mm *child, struct vma *old)
{
	struct copy c = { child, old->flags & VM_SHARED };
	struct vma *vma = xcalloc(1, sizeof(*vma));

	*vma = *old;
	vma->mm = child;
	vma->anon = NULL;
	vma->flags &= ~(uint32_t)VM_LOCKED;
	mm_insert(child, vma);
	rmap_join(vma, old);
	if (!old->anon)
		return true;
	return pgtable_each(old->mm, old->start, old->end, copy_one, &c);
}

SLEEPS struct mm *mm_fork(struct task *child, struct mm *parent)
{
	struct kernel *k = parent->k;
	struct mm *mm;
	bool ok = true;

	might_sleep(k);
	mm = mm_new(k, child);
	if (!mm)
		return NULL;
	mm->brk_start = parent->brk_start;
	mm->brk = parent->brk;
	rwsem_write(k, &parent->mmap_sem);
	list_each (l, &parent->vmas) {
		ok = copy_vma(mm, container_of(l, struct vma, link));
		if (!ok)
			break;
	}
	/* entries lost their write bit: stale translations must go */
	pgtable_flush_all(parent);
	rwsem_write_done(k, &parent->mmap_sem);
	if (!ok) {
		mm_put(mm);
		return NULL;
	}
	token_fork(k, mm, parent);
	return mm;
}
