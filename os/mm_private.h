/*
 * What the files of the address space share: os/mm.c, os/vma.c, os/mm_fork.c.
 */
#pragma once

#include "os/mm.h"

/* An mm without tables and areas, on no list. */
struct mm *mm_blank(struct kernel *k, const struct task *task);

/* Put a vma in place by its address; accounts for its size. */
void mm_insert(struct mm *mm, struct vma *vma);

/* Take a vma that maps nothing any more out, and free it. */
void mm_remove(struct vma *vma);

/* Is anything mapped in [start, end)? */
bool vma_overlaps(const struct mm *mm, uint64_t start, uint64_t end);

/* The lowest gap from mmap_base on that holds size bytes; 0: none. */
vaddr vma_find_gap(const struct mm *mm, uint64_t size);

/* An anonymous area that only continues the one before it joins it. */
bool vma_extends(struct mm *mm, vaddr start, uint64_t size, uint32_t flags);

/* Cut an area in two at an address inside it. */
void vma_split(struct vma *vma, vaddr at);
