/*
 * Swapping a process: slots in order, eight pages for one read, pages that
 * come back clean are dropped without a write while swap is less than half
 * full. Source: mm/swap_state.c, mm/swapfile.c and mm/memory.c of 2.6.18.
 */
#include "tests/mmkit.h"

#define FRAMES 2048u /* 8 MiB */

/* Pages of MM_HEAP in the order in which they were written to swap. */
struct out {
	struct kernel *k;
	uint32_t nr;
	uint32_t slot[8192];
	uint32_t page[8192];
};

static void on_out(void *arg, const struct trace_event *ev)
{
	struct out *out = arg;

	if (!out->k)
		return;
	BUG_ON(out->nr == 8192);
	out->slot[out->nr] = (uint32_t)ev->v[1];
	out->page[out->nr++] =
		out->k->pages[ev->v[0]].index - (MM_HEAP >> PAGE_SHIFT);
}

/* Memory and then swap, in order, slowly enough for kswapd to keep up. */
static void fill_slowly(struct puppet *p, uint32_t pages)
{
	mm_area(p, MM_HEAP, pages);
	for (uint32_t i = 0; i < pages; i++) {
		cpu_spend(p->k->cpu, 100 * NSEC_PER_USEC);
		touch_write(p, MM_HEAP + i * PAGE_SIZE);
	}
}

static void test_order(struct puppet *p)
{
	struct out *out = p->arg;

	out->k = p->k;
	out->nr = 0;
	fill_slowly(p, 6000);
	BUG_ON(out->nr < 6000 - FRAMES || p->k->vmstat.pswpin);
	for (uint32_t i = 0; i < out->nr; i++)
		BUG_ON(out->slot[i] != i + 1);
	/* first in, first out */
	for (uint32_t i = 1; i < out->nr; i++)
		BUG_ON(out->page[i] != out->page[i - 1] + 1);
	BUG_ON(out->page[0] != 0);
	BUG_ON(p->k->swap->total - p->k->swap->free < out->nr);
	out->k = NULL;
}

static uint32_t slot_of(const struct puppet *p, uint32_t page)
{
	BUG_ON(pte_present(mm_entry(p, page)));
	return pte_slot(mm_entry(p, page));
}

/* Write out pages [0, count) into slots 1, 2, 3...; then let go of them. */
static void push_all_out(struct puppet *p, uint32_t count)
{
	struct zone *z = &p->k->zones.zone[ZONE_DMA];

	for (uint32_t i = 0; i < count; i++) {
		mm_make_old(p, i);
		mm_deactivate(p->k, mm_page(p, i));
	}
	while (z->nr_inactive) {
		mm_reclaim(p->k, z);
		while (p->k->nr_writeback)
			congestion_wait(p->k, true, NSEC_PER_SEC / 10);
	}
	for (uint32_t i = 0; i < count; i++)
		BUG_ON(slot_of(p, i) != i + 1);
	BUG_ON(p->k->swap->cached);
}

/* Faults of reading pages [from, to) one after the other: major, minor. */
static void check_faults(struct puppet *p, uint32_t from, uint32_t to,
			 uint64_t major, uint64_t minor)
{
	struct usage before = p->task->self;

	for (uint32_t i = from; i < to; i++)
		touch_read(p, MM_HEAP + i * PAGE_SIZE);
	BUG_ON(p->task->self.major_faults - before.major_faults != major);
	BUG_ON(p->task->self.minor_faults - before.minor_faults != minor);
}

/* Aligned blocks of eight slots: one of the eight waits for the disk. */
static void test_blocks(struct puppet *p)
{
	struct kernel *k = p->k;
	const struct page *page;

	mm_fill(p, 64);
	push_all_out(p, 64);
	/* page i is in slot i + 1; slot 0 is no slot: 1..7 */
	check_faults(p, 0, 7, 1, 6);
	BUG_ON(k->vmstat.pswpin != 7 || k->vmstat.swap_ra != 6);
	check_faults(p, 7, 15, 1, 7); /* 8..15 */
	BUG_ON(k->vmstat.pswpin != 15 || k->vmstat.swap_ra_hit != 6 + 7);
	/* from the middle of 16..23: all eight are read */
	check_faults(p, 18, 19, 1, 0);
	BUG_ON(k->vmstat.pswpin != 23);
	check_faults(p, 15, 18, 0, 3);
	check_faults(p, 19, 23, 0, 4);
	/* they are active and, once touched, referenced too */
	page = mm_page(p, 18);
	BUG_ON(!page_test(page, PG_ACTIVE) || !page_test(page, PG_REFERENCED));
	/* drained at the end of the readahead */
	BUG_ON(!page_test(page, PG_LRU) || k->lru.add_active.count);
	BUG_ON(!(mm_entry(p, 18).v & PTE_A));
	BUG_ON(mm_entry(p, 18).v & (PTE_RW | PTE_D));
	/* the cache's reference; the entry's is gone */
	BUG_ON(k->swap->map[19] != 1 || k->swap->cached != 23);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(64));
	BUG_ON(k->swap->free != k->swap->total || k->swap->cached);
}

/* A free slot ends the block; a target behind it is read by itself. */
static void test_gap(struct puppet *p)
{
	struct kernel *k = p->k;
	uint64_t before = k->vmstat.pswpin;

	k->swap->left = 0; /* a new run, from slot 1 again */
	mm_fill(p, 40);
	push_all_out(p, 40);
	mm_unmap(p->mm, MM_HEAP + 10 * PAGE_SIZE, PAGE_SIZE); /* slot 11 */
	check_faults(p, 12, 13, 1, 0); /* slot 13: 8, 9, 10, and itself */
	BUG_ON(k->vmstat.pswpin != before + 4);
	BUG_ON(k->swap->cache[12] != PFN_NONE);
	/* read after the drain, so it waits in the vector */
	BUG_ON(page_test(mm_page(p, 12), PG_LRU));
	check_faults(p, 7, 10, 0, 3);
	check_faults(p, 11, 12, 1, 0);

	/* blocks of four, of one */
	k->sysctl.page_cluster = 2;
	check_faults(p, 15, 23, 2, 6);
	k->sysctl.page_cluster = 0;
	check_faults(p, 23, 31, 8, 0);
	k->sysctl.page_cluster = 3;
	mm_unmap(p->mm, MM_HEAP, mm_bytes(40));
}

/* Back in by a read: no write when it goes again, and the same slot. */
static void test_clean(struct puppet *p)
{
	struct kernel *k = p->k;
	uint64_t written;
	uint64_t clean;
	uint32_t slot;

	mm_fill(p, 1);
	mm_push_out(p, 0);
	slot = slot_of(p, 0);
	written = k->vmstat.pswpout;
	clean = k->vmstat.swap_clean;
	for (int i = 0; i < 3; i++) {
		touch_read(p, MM_HEAP);
		mm_push_out(p, 0);
		BUG_ON(slot_of(p, 0) != slot);
	}
	BUG_ON(k->vmstat.pswpout != written);
	BUG_ON(k->vmstat.swap_clean != clean + 3);

	/* written to: once more to the same slot */
	touch_write(p, MM_HEAP);
	BUG_ON(!page_test(mm_page(p, 0), PG_SWAPCACHE));
	mm_push_out(p, 0);
	BUG_ON(k->vmstat.pswpout != written + 1 || slot_of(p, 0) != slot);
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
}

/* Somebody else's slots: more than half of all. */
static void fill_half(struct kernel *k)
{
	while (!swap_full(k))
		BUG_ON(!swap_get(k));
}

static void empty(struct puppet *p)
{
	struct swap *swap = p->k->swap;

	/* some of them may have been read ahead, or be on their way in */
	sleep_for(p->k, 100 * NSEC_PER_MSEC, WAIT_PLAIN, "test");
	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
	for (uint32_t i = 1; i < swap->slots; i++)
		if (swap->map[i])
			swap_entry_gone(p->k, i);
	BUG_ON(swap->free != swap->total || swap->cached);
	swap->left = 0;
}

/* More than half full: the slot is given up and the page must be written. */
static void test_half_full(struct puppet *p)
{
	struct kernel *k = p->k;
	uint64_t written;

	empty(p);
	mm_fill(p, 1);
	mm_push_out(p, 0);
	BUG_ON(slot_of(p, 0) != 1);
	fill_half(k);
	touch_read(p, MM_HEAP);
	BUG_ON(page_test(mm_page(p, 0), PG_SWAPCACHE));
	BUG_ON(!page_test(mm_page(p, 0), PG_DIRTY) || k->swap->map[1]);
	written = k->vmstat.pswpout;
	mm_push_out(p, 0);
	BUG_ON(k->vmstat.pswpout != written + 1);
	empty(p);

	/*
	 * Behind a free slot it is read by itself, after the drain: the
	 * vector's reference keeps page and slot together.
	 */
	BUG_ON(swap_get(k) != 1);
	mm_fill(p, 1);
	mm_push_out(p, 0);
	BUG_ON(slot_of(p, 0) != 2);
	swap_release(k, 1);
	fill_half(k);
	BUG_ON(k->swap->map[1]);
	touch_read(p, MM_HEAP);
	BUG_ON(!page_test(mm_page(p, 0), PG_SWAPCACHE));
	BUG_ON(k->swap->map[2] != 1);
	empty(p);
}

/* The token is asked for by who waits for the disk, and by nobody else. */
static void test_token(struct puppet *p)
{
	struct kernel *k = p->k;
	uint64_t asks = k->token.asks;

	mm_fill(p, 8);
	for (uint32_t i = 0; i < 8; i++)
		mm_push_out(p, i);
	BUG_ON(k->token.asks != asks);
	touch_read(p, MM_HEAP);
	BUG_ON(k->token.asks != asks + 1 || k->token.holder != p->mm);
	check_faults(p, 1, 2, 0, 1);
	BUG_ON(k->token.asks != asks + 1);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(8));
}

static void test(struct puppet *p)
{
	test_blocks(p);
	test_gap(p);
	test_clean(p);
	test_half_full(p);
	test_token(p);
	BUG_ON(p->k->integrity.mismatches || !p->k->integrity.checked);
}

static void run(void (*fn)(struct puppet *p), struct out *out)
{
	struct oskit o;

	oskit_init_size(&o, FRAMES);
	o.config.token = token_policies[1];
	trace_subscribe(&o.trace, on_out, out, 1ULL << TR_SWAP_OUT);
	oskit_boot(&o);
	puppet_run(&o, fn, out);
	kernel_check(o.k);
	oskit_finish(&o);
}

int main(void)
{
	struct out *out = xcalloc(1, sizeof(*out));

	run(test_order, out);
	run(test, out);
	free(out);
	return 0;
}
