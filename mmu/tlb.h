/*
 * A translation look-aside buffer: set-associative, round-robin within a
 * set. It keeps what it was filled with until it is flushed or replaced, as
 * hardware does, so the tables may say something else by then.
 *
 * The way compare is branch-free: a hit costs the same in every way.
 */
#pragma once

#include "mmu/pte.h"

#define TLB_WAYS 4 /* smaller associativities leave ways unused */

/* Rights of a cached translation, ANDed over the levels of the walk. */
enum {
	TLB_WRITE = 1, /* RW at every level */
	TLB_USER = 2, /* US at every level */
	TLB_DIRTY = 4, /* the leaf was dirty: writes need not go to memory */
	TLB_GLOBAL = 8,
	TLB_LARGE = 16, /* came from a 4 MiB page */
};

struct tlb_set {
	/* vpn + 1 of the 4 KiB page, 0 when empty; side by side for SIMD */
	uint32_t tag[TLB_WAYS] __attribute__((aligned(16)));
	uint32_t frame[TLB_WAYS]; /* frame of that 4 KiB page */
	uint8_t flags[TLB_WAYS];
	uint8_t next; /* way to replace next */
};

struct tlb_geometry {
	uint32_t entries; /* a power of two times ways */
	uint32_t ways; /* 1, 2 or 4 */
};

struct tlb {
	struct tlb_set *set;
	uint32_t set_mask; /* number of sets - 1 */
	uint32_t ways;
	uint64_t hits;
	uint64_t misses;
	uint64_t flushes; /* whole-buffer flushes */
};

void tlb_init(struct tlb *t, struct tlb_geometry g);
void tlb_finish(struct tlb *t);

void tlb_fill(struct tlb *t, uint32_t vpn, pfn frame, uint8_t flags);
void tlb_flush(struct tlb *t, bool globals_too);

/* Drop the page's entry; if it came from a 4 MiB page, all of that page. */
void tlb_flush_page(struct tlb *t, uint32_t vpn);
