/*
 * The page frame: what the kernel knows about each frame of RAM.
 *
 * 32 bytes, linked by frame number, so that a million frames cost 32 MB of
 * host memory and a snapshot is a plain copy. Owner: os/page_alloc.c while
 * free, the allocating subsystem afterwards; the link belongs to the list the
 * page is on (free list, pagevec: none, LRU list).
 */
#pragma once

#include "mmu/pte.h"

enum page_flag {
	PG_LOCKED = 1 << 0,	/* I/O or a mapping change in progress */
	PG_UPTODATE = 1 << 1,	/* content is valid */
	PG_DIRTY = 1 << 2,	/* differs from its backing store */
	PG_WRITEBACK = 1 << 3,	/* being written */
	PG_LRU = 1 << 4,	/* on an LRU list */
	PG_ACTIVE = 1 << 5,	/* on (or headed for) the active list */
	PG_REFERENCED = 1 << 6, /* software referenced bit */
	PG_SWAPCACHE = 1 << 7,	/* private is its swap slot */
	PG_ANON = 1 << 8,	/* owner is an anon_vma */
	PG_RECLAIM = 1 << 9,	/* rotate to the tail when its write ends */
	PG_ERROR = 1 << 10,	/* the last transfer failed */
	PG_KERNEL = 1 << 11,	/* kernel memory: never reclaimed */
	PG_TABLE = 1 << 12,	/* a page table */
	PG_RESERVED = 1 << 13,	/* in use since boot */
	PG_FREE = 1 << 14,	/* in the free lists */
	PG_ZONE_SHIFT = 16,
};

struct page {
	uint32_t flags;	     /* enum page_flag, zone in bits 16..17 */
	uint32_t next, prev; /* frame numbers; heads lie past the last frame */
	uint32_t count;	     /* references: 0 when free */
	uint32_t mapcount;   /* page table entries that map it */
	uint32_t owner;	     /* anon: id of its anon_vma; file: inode number */
	uint32_t index;	     /* anon: virtual page; file: page in the file */
	uint32_t private;    /* swap slot while PG_SWAPCACHE */
};

_Static_assert(sizeof(struct page) == 32, "a page frame is 32 bytes");

static inline bool page_test(const struct page *p, uint32_t flag)
{
	return p->flags & flag;
}

static inline unsigned page_zone_index(const struct page *p)
{
	return (p->flags >> PG_ZONE_SHIFT) & 3;
}
