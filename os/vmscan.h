/*
 * When memory is reclaimed: kswapd and direct reclaim; models the upper half
 * of mm/vmscan.c of 2.6.18. Whose memory it is comes from a competitor in
 * os/reclaim/.
 */
#pragma once

#include "os/page_alloc.h"
#include "os/slot.h"
#include "os/wait.h"

#define SWAP_CLUSTER_MAX 32 /* pages of one reclaim batch */
#define DEF_PRIORITY	 12 /* a scan looks at list length >> priority */

/* One pass of reclaim (struct scan_control). */
struct scan {
	uint32_t gfp; /* of the allocation it is for */
	bool may_writepage;
	bool kswapd;
	uint64_t scanned; /* inactive pages, mapped and swap cache twice */
};

struct reclaim_ops {
	struct slot slot;
	/* scan a zone's lists at this priority; pages freed */
	SLEEPS uint64_t (*shrink_zone)(struct kernel *k, struct zone *z,
				       int priority, struct scan *scan);
};

struct vmscan {
	const struct reclaim_ops *ops;
	struct task *kswapd;
	struct wait_queue kswapd_wait;
};

/* All designs, NULL-terminated. */
extern const struct reclaim_ops *const reclaim_designs[];

/* Start kswapd. */
void vmscan_init(struct kernel *k);

/* The zone is below its low mark: get kswapd going, if it sleeps. */
void vmscan_wake_kswapd(struct kernel *k, const struct zone *z);

/*
 * Reclaim on behalf of the current task from the zones up to class. True if
 * a batch was freed (try_to_free_pages).
 */
SLEEPS bool vmscan_direct(struct kernel *k, uint32_t gfp, unsigned class);

/*
 * Nap while more pages are under writeback than the dirty limit, and a
 * tenth, allow (throttle_vm_writeout of mm/page-writeback.c).
 */
SLEEPS void vmscan_throttle(struct kernel *k);
