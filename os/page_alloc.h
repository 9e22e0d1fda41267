/*
 * Zones, watermarks and the page allocator; models mm/page_alloc.c of 2.6.18.
 */
#pragma once

#include "mmu/ram.h"
#include "os/wait.h"

struct kernel;
struct page;

enum zone_index { ZONE_DMA, ZONE_NORMAL, ZONE_HIGHMEM, NR_ZONES };

/* One zone. Page counts throughout. */
struct zone {
	const char *name;
	uint32_t start, present; /* frames; present 0: no such zone */
	uint32_t free;
	uint32_t free_head; /* list of free frames, PFN_NONE ends it */
	uint32_t min, low, high;
	uint32_t reserve[NR_ZONES]; /* against requests of that class */

	/* per-CPU hot and cold lists; one CPU, so one pair */
	struct pcp {
		uint32_t head, count, high, batch;
	} pcp[2];

	/* reclaim: os/vmscan.c */
	uint32_t nr_active, nr_inactive;
	uint32_t scan_active, scan_inactive; /* accumulators */
	uint64_t pages_scanned; /* since pages were last freed into it */
	bool all_unreclaimable;
	int temp_priority, prev_priority; /* 0..12 */
};

struct zones {
	struct zone zone[NR_ZONES];
	uint64_t vm_total; /* pages that reclaim counts against */
	unsigned highest;  /* index of the highest populated zone */
};

/* Who asks, and what may be done for him (models gfp_t). */
enum gfp {
	GFP_WAIT = 1, /* may sleep and reclaim */
	GFP_IO = 2,
	GFP_FS = 4,
	GFP_HIGH = 8,	    /* may dip into the min mark */
	GFP_COLD = 0x10,    /* cache-cold is fine */
	GFP_HIGHMEM = 0x20, /* any zone will do */
	GFP_NORETRY = 0x40,
	GFP_ZERO = 0x100,

	GFP_ATOMIC = GFP_HIGH,
	GFP_KERNEL = GFP_WAIT | GFP_IO | GFP_FS,
	GFP_HIGHUSER = GFP_KERNEL | GFP_HIGHMEM,
};

/* Lay out zones over all frames, compute the marks, free what is free. */
void page_alloc_init(struct kernel *k);

/* Recompute the marks from min_free_kbytes (0: from the size). */
void page_alloc_marks(struct kernel *k);

/* One frame with one reference, or NULL. Sleeps only with GFP_WAIT. */
SLEEPS struct page *page_alloc(struct kernel *k, uint32_t gfp);

/* Before power-on only: from this zone, or the highest with -1. */
struct page *page_alloc_reserved(struct kernel *k, int zone);

/* Drop one reference; with the last one the frame is free. */
void page_put(struct kernel *k, struct page *page);

/* Free without references: from reclaim, which holds the last. */
void page_free(struct kernel *k, struct page *page, bool cold);

/* Is the zone above mark for a request of this class (zone_watermark_ok)? */
bool zone_ok(const struct zone *z, uint32_t mark, unsigned class, bool high,
	     bool harder);

uint64_t nr_free_pages(const struct kernel *k);

/* A page's frame number and its zone: page_number, page_zone in kernel.h. */
