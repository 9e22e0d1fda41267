/*
 * Taking pages away from an address space: munmap and exit.
 */
#pragma once

#include "os/mm.h"

/* Drop all that vma maps in [start, end), swapped out or not. */
SLEEPS void zap_range(struct vma *vma, vaddr start, vaddr end);
