/*
 * When reclaim happens: kswapd's balancing and direct reclaim.
 *
 * Models      mm/vmscan.c of vanilla Linux 2.6.18, upper half, and
 *             throttle_vm_writeout of mm/page-writeback.c.
 * Leaves out  shrinking of slab (nothing here caches dentries or inodes),
 *             laptop mode.
 */
#include "os/vmscan.h"

#include "os/kernel.h"

extern const struct reclaim_ops reclaim_v2_6;

const struct reclaim_ops *const reclaim_designs[] = { &reclaim_v2_6, NULL };

static uint64_t list_pages(const struct zone *z)
{
	return (uint64_t)z->nr_active + z->nr_inactive;
}

/* One zone is about to be scanned at this priority. */
static void note_priority(struct zone *z, int priority)
{
	z->temp_priority = priority;
	if (z->prev_priority > priority)
		z->prev_priority = priority;
}

/*
 * The pressure felt by the last reclaimer to leave is what the next one
 * starts from. All share one temp_priority: a late starter resets it.
 */
static void leave(struct kernel *k, unsigned top)
{
	for (unsigned i = 0; i <= top; i++)
		k->zones.zone[i].prev_priority = k->zones.zone[i].temp_priority;
}

static void enter(struct kernel *k, unsigned top)
{
	for (unsigned i = 0; i <= top; i++)
		k->zones.zone[i].temp_priority = DEF_PRIORITY;
}

static bool skip_zone(const struct zone *z, int priority)
{
	return !z->present ||
	       (z->all_unreclaimable && priority != DEF_PRIORITY);
}

/* --- kswapd --- */

struct balance {
	struct scan scan;
	uint64_t total_scanned;
	uint64_t reclaimed;
	bool all_ok;
};

/* The highest zone below its high mark; -1: none. */
static int highest_low(const struct kernel *k, int priority)
{
	for (int i = (int)k->zones.highest; i >= 0; i--) {
		const struct zone *z = &k->zones.zone[i];

		if (!skip_zone(z, priority) &&
		    !zone_ok(z, z->high, 0, false, false))
			return i;
	}
	return -1;
}

SLEEPS static void balance_zone(struct kernel *k, struct zone *z, int priority,
				unsigned end, struct balance *b)
{
	if (skip_zone(z, priority))
		return;
	if (!zone_ok(z, z->high, end, false, false))
		b->all_ok = false;
	note_priority(z, priority);
	b->scan.scanned = 0;
	b->reclaimed += k->vmscan.ops->shrink_zone(k, z, priority, &b->scan);
	b->total_scanned += b->scan.scanned;
	if (!z->all_unreclaimable && z->pages_scanned >= list_pages(z) * 4)
		z->all_unreclaimable = true;
	if (b->total_scanned > 2ULL * SWAP_CLUSTER_MAX &&
	    b->total_scanned > b->reclaimed + b->reclaimed / 2)
		b->scan.may_writepage = true;
}

/* One descent through the priorities; true if it needs another. */
SLEEPS static bool balance_once(struct kernel *k, struct balance *b)
{
	k->vmstat.pageoutrun++;
	enter(k, k->zones.highest);
	for (int priority = DEF_PRIORITY; priority >= 0; priority--) {
		int end;

		token_scan(k, priority);
		b->all_ok = true;
		end = highest_low(k, priority);
		if (end < 0)
			break;
		for (int i = 0; i <= end; i++)
			balance_zone(k, &k->zones.zone[i], priority,
				     (unsigned)end, b);
		if (b->all_ok)
			break;
		if (b->total_scanned && priority < DEF_PRIORITY - 2)
			congestion_wait(k, true, NSEC_PER_SEC / 10);
		/* do not build up pressure while allocators free as well */
		if (b->reclaimed >= SWAP_CLUSTER_MAX)
			break;
	}
	leave(k, k->zones.highest);
	return !b->all_ok;
}

SLEEPS static void balance(struct kernel *k)
{
	bool again = true;

	while (again && !k->stop) {
		struct balance b = {
			.scan = { .gfp = GFP_KERNEL,
				  .may_writepage = true,
				  .kswapd = true },
		};

		again = balance_once(k, &b);
		if (again)
			cond_resched(k);
		else
			trace_emit(k->trace, TR_KSWAPD_SLEEP, b.reclaimed, 0, 0,
				   0);
	}
}

static void kswapd_main(void *arg)
{
	struct kernel *k = arg;

	k->current->flags |= TF_MEMALLOC | TF_SWAPWRITE;
	while (!k->stop) {
		wait_on(k, &k->vmscan.kswapd_wait, 0, WAIT_INTERRUPTIBLE,
			"kswapd");
		balance(k);
	}
}

void vmscan_init(struct kernel *k)
{
	k->vmscan.ops = reclaim_designs[0];
	wait_queue_init(&k->vmscan.kswapd_wait);
	k->vmscan.kswapd = kthread_new(k, "kswapd0", kswapd_main, k);
}

void vmscan_wake_kswapd(struct kernel *k, const struct zone *z)
{
	if (!z->present || zone_ok(z, z->low, 0, false, false))
		return;
	if (list_empty(&k->vmscan.kswapd_wait.waiters))
		return;
	trace_emit(k->trace, TR_KSWAPD_WAKE, (uint64_t)(z - k->zones.zone),
		   z->free, 0, 0);
	wake_up(k, &k->vmscan.kswapd_wait, 0, WAKE_ALL);
}

/* --- direct reclaim --- */

/* shrink_zones: high zone first, as the allocator goes. */
SLEEPS static uint64_t shrink_zones(struct kernel *k, unsigned class,
				    int priority, struct scan *scan)
{
	uint64_t reclaimed = 0;

	for (unsigned i = class + 1; i-- > 0;) {
		struct zone *z = &k->zones.zone[i];

		if (!z->present)
			continue;
		note_priority(z, priority);
		if (!skip_zone(z, priority))
			reclaimed += k->vmscan.ops->shrink_zone(k, z, priority,
								scan);
	}
	return reclaimed;
}

SLEEPS bool vmscan_direct(struct kernel *k, uint32_t gfp, unsigned class)
{
	struct scan scan = { .gfp = gfp, .may_writepage = true };
	uint64_t reclaimed = 0;
	bool enough = false;
	int priority;

	might_sleep(k);
	k->vmstat.allocstall++;
	enter(k, class);
	for (priority = DEF_PRIORITY; priority >= 0; priority--) {
		scan.scanned = 0;
		token_scan(k, priority);
		reclaimed += shrink_zones(k, class, priority, &scan);
		enough = reclaimed >= SWAP_CLUSTER_MAX;
		if (enough)
			break;
		if (scan.scanned && priority < DEF_PRIORITY - 2)
			congestion_wait(k, true, NSEC_PER_SEC / 10);
	}
	leave(k, class);
	trace_emit(k->trace, TR_DIRECT_RECLAIM, (uint64_t)k->current->pid,
		   priority < 0 ? 0 : (uint64_t)priority, reclaimed, 0);
	return enough;
}

/* get_dirty_limits: the foreground limit, in pages. */
static uint64_t dirty_limit(const struct kernel *k)
{
	uint64_t total = k->zones.vm_total;
	uint64_t mapped = k->nr_file_mapped + k->nr_anon_mapped;
	uint64_t unmapped = mapped < total ? 100 - mapped * 100 / total : 0;
	uint64_t ratio = 40; /* vm_dirty_ratio */

	if (ratio > unmapped / 2)
		ratio = unmapped / 2;
	if (ratio < 5)
		ratio = 5;
	return ratio * total / 100;
}

SLEEPS void vmscan_throttle(struct kernel *k)
{
	for (;;) {
		uint64_t limit = dirty_limit(k);

		if (k->current->flags & TF_LESS_THROTTLE)
			limit += limit / 4;
		if (k->nr_writeback <= limit + limit / 10 || k->stop)
			return;
		congestion_wait(k, true, NSEC_PER_SEC / 10);
	}
}
