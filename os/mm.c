/*
 * Address spaces: mapping and unmapping, the break, the end.
 *
 * Models      mm/mmap.c and kernel/fork.c (mm_init, mmput) of Linux 2.6.18.
 * Leaves out  limits, and accounting for overcommitment.
 */
#include "os/mm.h"

#include "os/fault.h"
#include "os/kernel.h"
#include "os/mm_private.h"
#include "os/pgtable.h"
#include "os/zap.h"

#include <stdio.h>

struct mm *mm_blank(struct kernel *k, const struct task *task)
{
	struct mm *mm = xcalloc(1, sizeof(*mm));

	mm->k = k;
	mm->id = k->next_mm++;
	mm->pid = task->pid;
	snprintf(mm->name, sizeof(mm->name), "%s", task->name);
	mm->users = 1;
	/* odd, and different for every address space of a run */
	mm->key = (2 * (uint64_t)mm->id + 1) * 0x9E3779B97F4A7C15ULL | 1;
	list_init(&mm->vmas);
	list_init(&mm->all);
	wait_queue_init(&mm->mmap_sem.queue);
	mm->mmap_base = MMAP_BASE;
	return mm;
}

SLEEPS struct mm *mm_new(struct kernel *k, struct task *task)
{
	struct mm *mm = mm_blank(k, task);

	if (!pgtable_new(mm)) {
		free(mm);
		return NULL;
	}
	list_add_tail(&mm->all, &k->mms);
	return mm;
}

void mm_activate(struct kernel *k, struct mm *mm)
{
	struct mmu *mmu = &k->cpu->mmu;
	uint32_t cr3 = mm->directory << PAGE_SHIFT;

	if (mmu->cr3 != cr3)
		mmu_load_cr3(mmu, cr3);
	mmu->key = mm->key;
}

static uint64_t page_align(uint64_t size)
{
	return (size + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
}

SLEEPS vaddr mm_map(struct mm *mm, vaddr start, uint64_t size, uint32_t flags,
		    struct inode *inode, uint32_t offset)
{
	struct vma *vma;

	size = page_align(size);
	if (!size || size > USER_TOP || start & ~PAGE_MASK)
		return 0;
	if (!start)
		start = vma_find_gap(mm, size);
	if (!start || start + size > USER_TOP ||
	    vma_overlaps(mm, start, start + size))
		return 0;
	if (!inode && vma_extends(mm, start, size, flags))
		return start;
	vma = xcalloc(1, sizeof(*vma));
	vma->mm = mm;
	vma->start = start;
	vma->end = start + (vaddr)size;
	vma->flags = flags;
	vma->inode = inode;
	vma->offset = inode ? offset : start >> PAGE_SHIFT;
	mm_insert(mm, vma);
	return start;
}

/* The first area that has a part in [start, end); NULL: none. */
static struct vma *first_in(const struct mm *mm, uint64_t start, uint64_t end)
{
	list_each (l, &mm->vmas) {
		struct vma *vma = container_of(l, struct vma, link);

		if (vma->end > start && vma->start < end)
			return vma;
	}
	return NULL;
}

SLEEPS void mm_unmap(struct mm *mm, vaddr start, uint64_t size)
{
	uint64_t end = start + page_align(size);
	struct vma *vma;

	might_sleep(mm->k);
	while ((vma = first_in(mm, start, end))) {
		if (vma->start < start) {
			vma_split(vma, start);
			continue;
		}
		if (vma->end > end)
			vma_split(vma, (vaddr)end);
		zap_range(vma, vma->start, vma->end);
		mm_remove(vma);
	}
}

SLEEPS vaddr mm_brk(struct mm *mm, vaddr brk)
{
	vaddr old = (vaddr)page_align(mm->brk);
	vaddr fresh = (vaddr)page_align(brk);

	if (brk < mm->brk_start)
		return mm->brk;
	if (fresh > old &&
	    !mm_map(mm, old, fresh - old, VM_READ | VM_WRITE, NULL, 0))
		return mm->brk;
	if (fresh < old)
		mm_unmap(mm, fresh, old - fresh);
	mm->brk = brk;
	return brk;
}

SLEEPS static void free_all(struct mm *mm)
{
	struct kernel *k = mm->k;

	token_exit(k, mm);
	while (!list_empty(&mm->vmas)) {
		struct vma *vma = list_first(&mm->vmas, struct vma, link);

		zap_range(vma, vma->start, vma->end);
		mm_remove(vma);
	}
	BUG_ON(mm->anon_rss || mm->file_rss || mm->swap_entries);
	pgtable_free(mm);
	list_del(&mm->all);
	free(mm);
}

SLEEPS void mm_put(struct mm *mm)
{
	BUG_ON(!mm->users);
	if (--mm->users)
		return;
	free_all(mm);
}

void mm_drop(struct mm *mm)
{
	while (!list_empty(&mm->vmas))
		mm_remove(list_first(&mm->vmas, struct vma, link));
	list_del(&mm->all);
	free(mm);
}

SLEEPS bool mm_lock_all(struct mm *mm)
{
	struct task *task = mm->k->current;

	list_each (l, &mm->vmas) {
		struct vma *vma = container_of(l, struct vma, link);

		if (!(vma->flags & VM_LOCKED))
			mm->locked_vm += (vma->end - vma->start) >> PAGE_SHIFT;
		vma->flags |= VM_LOCKED;
	}
	/* make_pages_present: an area at a time; the list may not change */
	list_each (l, &mm->vmas) {
		struct vma *vma = container_of(l, struct vma, link);
		enum mmu_access access =
			vma->flags & VM_WRITE ? MMU_WRITE : MMU_READ;

		for (vaddr va = vma->start; va < vma->end; va += PAGE_SIZE)
			if (!pte_present(pgtable_read(mm, va)) &&
			    fault_handle(task, va, access) > FAULT_MAJOR)
				return false;
	}
	return true;
}
