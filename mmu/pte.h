/*
 * The x86 entry, 32 bits: P RW US PWT PCD A D PS/PAT G, three bits that the
 * operating system may use, and the frame number in the upper 20 bits. The
 * same form serves page directory and page table; source: Intel SDM vol. 3A.
 */
#pragma once

#include "mmu/ram.h"

struct pte {
	uint32_t v;
};

enum {
	PTE_P = 0x001,	/* present */
	PTE_RW = 0x002, /* writable */
	PTE_US = 0x004, /* user */
	PTE_PWT = 0x008,
	PTE_PCD = 0x010,
	PTE_A = 0x020,	/* accessed, set by the walk */
	PTE_D = 0x040,	/* dirty, set by a write through a leaf */
	PTE_PS = 0x080, /* in a directory entry: a 4 MiB page */
	PTE_G = 0x100,	/* global: survives a CR3 load if CR4.PGE */
	PTE_FLAGS = 0xfff,
};

/* Error code of a page fault. */
enum {
	PF_PROT = 0x01, /* 0: not present, 1: rights or reserved bit */
	PF_WRITE = 0x02,
	PF_USER = 0x04,
	PF_RSVD = 0x08,
	PF_FETCH = 0x10,
};

static inline bool pte_present(struct pte e)
{
	return e.v & PTE_P;
}

static inline pfn pte_pfn(struct pte e)
{
	return e.v >> PAGE_SHIFT;
}

static inline struct pte pte_make(pfn frame, uint32_t flags)
{
	return (struct pte){ (frame << PAGE_SHIFT) | flags };
}
