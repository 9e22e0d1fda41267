/*
 * The areas of an address space: find, insert, cut, remove.
 *
 * Models      find_vma, vma_merge and split_vma of mm/mmap.c, Linux 2.6.18.
 * Leaves out  the tree over the areas: programs here have a few dozen.
 */
#include "os/kernel.h"
#include "os/mm_private.h"

#include <stdlib.h>

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

bool vma_overlaps(const struct mm *mm, uint64_t start, uint64_t end)
{
	list_each (l, &mm->vmas) {
		const struct vma *vma = container_of(l, struct vma, link);

		if (start < vma->end && end > vma->start)
			return true;
	}
	return false;
}

/* The lowest gap from mmap_base on that holds size bytes; 0: none. */
vaddr vma_find_gap(const struct mm *mm, uint64_t size)
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

/* An anonymous area that only continues the one before it joins it. */
bool vma_extends(struct mm *mm, vaddr start, uint64_t size, uint32_t flags)
{
	struct vma *vma = start ? mm_find(mm, start - 1) : NULL;

	if (!vma || vma->end != start || vma->inode || vma->flags != flags)
		return false;
	vma->end += (vaddr)size;
	mm->total_vm += size >> PAGE_SHIFT;
	return true;
}

/* Cut a vma in two at an address inside it. */
void vma_split(struct vma *vma, vaddr at)
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
