/*
 * What the files of the address space share: os/mm.c and os/mm_fork.c.
 */
#pragma once

#include "os/mm.h"

/* An mm without tables and areas, on no list. */
struct mm *mm_blank(struct kernel *k, const struct task *task);

/* Put a vma in place by its address; accounts for its size. */
void mm_insert(struct mm *mm, struct vma *vma);

/* Take a vma that maps nothing any more out, and free it. */
void mm_remove(struct vma *vma);
