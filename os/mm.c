/*
 * Address spaces: areas, mapping and unmapping, the break.
 *
 * Models      mm/mmap.c and kernel/fork.c (mm_init, mmput) of Linux 2.6.18.
 * Leaves out  the tree over the areas: programs here have a few dozen.
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

struct vma *mm_find(struct mm *mm, vaddr va)
{
	if (mm->cached && va >= mm->cached->start && va < mm->cached->end)
		return mm->cached;
	list_each (l, &mm->vmas) {
		struct vma *vma = container_of(l, struct vma, link);

		if (va >= vma->start && va < vma->end) {
			mm->cached = vma;
			return vma;
		}
	}
	return NULL;
}

/* Insert by address. */
void mm_insert(struct mm *mm, struct vma *vma)
{
	struct list *at = &mm->vmas;

	list_init(&vma->link);
	list_init(&vma->anon_link);
	list_init(&vma->file_link);
	list_each (l, &mm->vmas) {
		if (container_of(l, struct vma, link)->start > vma->start)
			break;
		at = l;
	}
	list_add(&vma->link, at);
	if (vma->inode)
		list_add_tail(&vma->file_link, &vma->inode->mappings);
	mm->total_vm += (vma->end - vma->start) >> PAGE_SHIFT;
}

void mm_remove(struct vma *vma)
{
	struct mm *mm = vma->mm;
	uint64_t pages = (vma->end - vma->start) >> PAGE_SHIFT;

	mm->total_vm -= pages;
	if (vma->flags & VM_LOCKED)
		mm->locked_vm -= pages;
	rmap_leave(vma);
	list_del(&vma->file_link);
	list_del(&vma->link);
	mm->cached = NULL;
	free(vma);
}

static bool overlaps(const struct mm *mm, uint64_t start, uint64_t end)
{
	list_each (l, &mm->vmas) {
		const struct vma *vma = container_of(l, struct vma, link);

		if (start < vma->end && end > vma->start)
			return true;
	}
	return false;
}

/* The lowest gap from mmap_base on that holds size bytes; 0: none. */
static vaddr find_gap(const struct mm *mm, uint64_t size)
{
	uint64_t at = mm->mmap_base;

	list_each (l, &mm->vmas) {
		const struct vma *vma = container_of(l, struct vma, link);

		if (vma->end <= at)
			continue;
		if (vma->start >= at + size)
			break;
		at = vma->end;
	}
	return at + size <= STACK_TOP - STACK_SIZE ? (vaddr)at : 0;
}

static uint64_t page_align(uint64_t size)
{
	return (size + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
}

/* An anonymous area that only continues the one before it joins it. */
static bool extends(struct mm *mm, vaddr start, uint64_t size, uint32_t flags)
{
	struct vma *vma = start ? mm_find(mm, start - 1) : NULL;

	if (!vma || vma->end != start || vma->inode || vma->flags != flags)
		return false;
	vma->end += (vaddr)size;
	mm->total_vm += size >> PAGE_SHIFT;
	return true;
}

SLEEPS vaddr mm_map(struct mm *mm, vaddr start, uint64_t size, uint32_t flags,
		    struct inode *inode, uint32_t offset)
{
	struct vma *vma;

	size = page_align(size);
	if (!size || size > USER_TOP || start & ~PAGE_MASK)
		return 0;
	if (!start)
		start = find_gap(mm, size);
	if (!start || start + size > USER_TOP ||
	    overlaps(mm, start, start + size))
		return 0;
	if (!inode && extends(mm, start, size, flags))
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

/* Cut a vma in two at an address inside it. */
static void split(struct vma *vma, vaddr at)
{
	struct vma *rest = xcalloc(1, sizeof(*rest));
	struct mm *mm = vma->mm;

	*rest = *vma;
	rest->start = at;
	rest->offset += (at - vma->start) >> PAGE_SHIFT;
	rest->anon = NULL;
	mm->total_vm -= (vma->end - at) >> PAGE_SHIFT;
	vma->end = at;
	mm_insert(mm, rest);
	rmap_join(rest, vma);
	mm->cached = NULL;
}

SLEEPS void mm_unmap(struct mm *mm, vaddr start, uint64_t size)
{
	uint64_t end = start + page_align(size);

	might_sleep(mm->k);
	list_each_safe (l, tmp, &mm->vmas) {
		struct vma *vma = container_of(l, struct vma, link);

		if (vma->end <= start || vma->start >= end)
			continue;
		if (vma->start < start) {
			split(vma, start);
			tmp = vma->link.next;
			continue;
		}
		if (vma->end > end) {
			split(vma, (vaddr)end);
			tmp = vma->link.next;
		}
		zap_range(vma, vma->start, vma->end);
		tmp = vma->link.next;
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
