/*
 * The active list: when mapped pages are taken (distress, mapped share,
 * swappiness), what stays, in which order pages go back; and how much of both
 * lists a call scans. Source: shrink_active_list and shrink_zone of 2.6.18.
 */
#include "tests/mmkit.h"

#define FRAMES 4096u /* one zone */

static struct zone *zone_of(struct kernel *k)
{
	return &k->zones.zone[ZONE_DMA];
}

static struct scan everything(void)
{
	return (struct scan){ .gfp = GFP_KERNEL, .may_writepage = true };
}

/* One batch of the active list. */
SLEEPS static void refill(struct puppet *p)
{
	struct scan scan = everything();

	mm_shrink(p->k, zone_of(p->k), SWAP_CLUSTER_MAX, 0, &scan);
}

/* Does an old mapped page leave the active list now? It is put back there. */
SLEEPS static bool leaves(struct puppet *p, int priority, int64_t swappiness)
{
	struct kernel *k = p->k;
	struct page *page = mm_page(p, 0);
	bool left;

	mm_make_old(p, 0);
	zone_of(k)->prev_priority = priority;
	k->sysctl.swappiness = swappiness;
	refill(p);
	left = !page_test(page, PG_ACTIVE);
	if (left) {
		lru_del(k, page);
		page->flags |= PG_ACTIVE;
		lru_add(k, page);
	}
	return left;
}

/* 100 >> priority, which with swappiness makes 100 when nothing is mapped. */
static void test_distress(struct puppet *p)
{
	static const int64_t distress[] = { 100, 50, 25, 12, 6, 3, 1,
					    0,	 0,  0,	 0,  0, 0 };

	for (int i = 0; i <= DEF_PRIORITY; i++) {
		BUG_ON(!leaves(p, i, 100 - distress[i]));
		BUG_ON(leaves(p, i, 99 - distress[i]));
	}
}

/* Half of the mapped percentage, of all memory; file pages count as well. */
static void test_mapped(struct puppet *p)
{
	static const struct {
		uint64_t anon, file;
		int64_t half;
	} rows[] = { { 3276, 0, 39 }, /* 79.98 %: 79 / 2 */
		     { 3277, 0, 40 }, /* 80.005 % */
		     { 1277, 2000, 40 }, { 4096, 0, 50 },
		     { 0, 40, 0 },	/* less than 1 % */
		     { 2457, 0, 29 } }; /* 59 % */
	struct kernel *k = p->k;
	uint64_t anon = k->nr_anon_mapped;
	uint64_t file = k->nr_file_mapped;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		k->nr_anon_mapped = rows[i].anon;
		k->nr_file_mapped = rows[i].file;
		BUG_ON(!leaves(p, DEF_PRIORITY, 100 - rows[i].half));
		BUG_ON(leaves(p, DEF_PRIORITY, 99 - rows[i].half));
	}
	/* with swappiness 60: from 80 % on, or from priority 3 at 56 */
	k->nr_file_mapped = 0;
	k->nr_anon_mapped = 3277;
	BUG_ON(!leaves(p, DEF_PRIORITY, 60));
	k->nr_anon_mapped = 2294;
	BUG_ON(leaves(p, 4, 60) || !leaves(p, 3, 60));
	k->nr_anon_mapped = anon;
	k->nr_file_mapped = file;
}

/* Mapped pages are either not looked at, or lose their bits and stay once. */
static void test_stays(struct puppet *p)
{
	struct kernel *k = p->k;
	struct swap *swap = k->swap;
	struct page *page = mm_page(p, 0);
	const uint32_t mask = PG_ACTIVE | PG_REFERENCED;
	uint64_t taken = k->vmstat.pgdeactivate;

	touch_read(p, MM_HEAP);
	page->flags |= PG_REFERENCED;
	k->sysctl.swappiness = 0;
	refill(p);
	BUG_ON((page->flags & mask) != mask || !(mm_entry(p, 0).v & PTE_A));
	k->sysctl.swappiness = 100;
	zone_of(k)->scan_active = 0;
	/* 32 are asked for and one is there: it is seen once a call */
	refill(p);
	BUG_ON((page->flags & mask) != PG_ACTIVE || mm_entry(p, 0).v & PTE_A);
	BUG_ON(k->vmstat.pgdeactivate != taken);
	/* without swap there is no use in taking it */
	k->swap = NULL;
	refill(p);
	BUG_ON(!page_test(page, PG_ACTIVE));
	k->swap = swap;
	refill(p);
	BUG_ON(page_test(page, PG_ACTIVE));
	BUG_ON(k->vmstat.pgdeactivate != taken + 1);
	lru_del(k, page);
	page->flags |= PG_ACTIVE;
	lru_add(k, page);
}

/* Pages that nobody maps go down as they are, whatever swappiness says. */
static void test_unmapped(struct puppet *p)
{
	struct kernel *k = p->k;
	struct page *page = page_alloc(k, GFP_HIGHUSER);

	k->sysctl.swappiness = 0;
	page->flags |= PG_ACTIVE | PG_REFERENCED;
	lru_add(k, page);
	refill(p);
	BUG_ON((page->flags & (PG_ACTIVE | PG_REFERENCED)) != PG_REFERENCED);
	BUG_ON(lru_tail(k, zone_of(k), LRU_INACTIVE) != page);
	page_put(k, page);
}

/* Locked pages on a list: reclaim passes them by. */
#define MANY 100
static void put_many(struct kernel *k, struct page **page, uint32_t flags)
{
	for (int i = 0; i < MANY; i++) {
		page[i] = page_alloc(k, GFP_HIGHUSER);
		page[i]->flags |= PG_LOCKED | flags;
		lru_add(k, page[i]);
	}
}

static void drop_many(struct kernel *k, struct page **page)
{
	for (int i = 0; i < MANY; i++) {
		page_unlock(k, page[i]);
		page_put(k, page[i]);
	}
}

static void check_order(struct kernel *k, enum lru_list list,
			struct page **page, int first)
{
	struct page *at = lru_tail(k, zone_of(k), list);

	for (int i = 0; i < MANY; i++) {
		BUG_ON(at != page[(first + i) % MANY]);
		at = lru_towards_head(k, at);
	}
	BUG_ON(at);
}

/* Inactive scanning is in whole batches; who stays goes to the head, in order.
 */
static void test_inactive_amount(struct puppet *p)
{
	static const uint32_t rows[][2] = {
		{ 32, 32 }, { 33, 64 }, { 40, 64 }, { 64, 64 }, { 65, 96 }
	};
	struct kernel *k = p->k;
	struct page *page[MANY];
	struct scan scan = everything();
	int first = 0;

	put_many(k, page, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t scanned = k->vmstat.pgscan_direct;
		uint64_t pressure = zone_of(k)->pages_scanned;

		mm_shrink(k, zone_of(k), 0, rows[i][0], &scan);
		BUG_ON(k->vmstat.pgscan_direct - scanned != rows[i][1]);
		BUG_ON(zone_of(k)->pages_scanned - pressure != rows[i][1]);
		first += (int)rows[i][1];
		check_order(k, LRU_INACTIVE, page, first);
	}
	drop_many(k, page);
	/* nothing there: it gives up at once */
	mm_shrink(k, zone_of(k), 0, 64, &scan);
}

/* Active scanning is exact. A page's fate does not change the order. */
static void test_active_amount(struct puppet *p)
{
	struct kernel *k = p->k;
	struct page *page[MANY];
	struct scan scan = everything();
	uint64_t refilled;

	mm_unmap(p->mm, MM_HEAP, PAGE_SIZE);
	BUG_ON(zone_of(k)->nr_active);
	mm_fill(p, MANY);
	k->sysctl.swappiness = 0; /* so that all of them stay */
	for (int i = 0; i < MANY; i++)
		page[i] = mm_page(p, (uint32_t)i);
	check_order(k, LRU_ACTIVE, page, 0);
	refilled = k->vmstat.pgrefill;
	mm_shrink(k, zone_of(k), 40, 0, &scan);
	BUG_ON(k->vmstat.pgrefill - refilled != 40);
	check_order(k, LRU_ACTIVE, page, 40);

	/* every other one is old: those go down, in order */
	k->sysctl.swappiness = 100;
	for (uint32_t i = 41; i < 72; i += 2)
		mm_make_old(p, i);
	mm_shrink(k, zone_of(k), 32, 0, &scan);
	BUG_ON(zone_of(k)->nr_inactive != 16);
	BUG_ON(lru_tail(k, zone_of(k), LRU_INACTIVE) != page[41]);
	BUG_ON(lru_towards_head(k, page[41]) != page[43]);
	BUG_ON(lru_towards_head(k, page[39]) != page[40]);
	BUG_ON(lru_towards_head(k, page[40]) != page[42]);
	BUG_ON(lru_towards_head(k, page[70]));
	mm_unmap(p->mm, MM_HEAP, mm_bytes(MANY));
}

/* Both lists in turn, a batch each. */
struct turns {
	unsigned length[16];
	int list[16];
	unsigned nr;
};

static void on_move(void *arg, const struct trace_event *ev)
{
	struct turns *t = arg;

	if (ev->v[3] != LRU_PUT_BACK)
		return;
	if (!t->nr || t->list[t->nr - 1] != (int)ev->v[1]) {
		BUG_ON(t->nr == 16);
		t->list[t->nr++] = (int)ev->v[1];
	}
	t->length[t->nr - 1]++;
}

static void test_turns(struct puppet *p)
{
	static const struct turns expected = {
		.list = { LRU_ACTIVE, LRU_INACTIVE, LRU_ACTIVE, LRU_INACTIVE,
			  LRU_ACTIVE },
		.length = { 32, 32, 32, 32, 6 },
		.nr = 5,
	};
	struct turns *t = p->arg;
	struct kernel *k = p->k;
	struct page *page[MANY];
	struct scan scan = everything();

	put_many(k, page, 0);
	mm_fill(p, MANY);
	k->sysctl.swappiness = 0;
	memset(t, 0, sizeof(*t));
	mm_shrink(k, zone_of(k), 70, 64, &scan);
	BUG_ON(memcmp(t, &expected, sizeof(*t)) != 0);
	drop_many(k, page);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(MANY));
}

/* Shares below a batch come together over calls; +1 each time. */
static void test_shares(struct puppet *p)
{
	struct kernel *k = p->k;
	struct zone *z = zone_of(k);
	struct scan scan = everything();
	uint64_t refilled;

	mm_fill(p, 250);
	k->sysctl.swappiness = 0;
	z->scan_active = z->scan_inactive = 0;
	refilled = k->vmstat.pgrefill;
	/* 250 >> 6 is 3, and 1: 32 after eight calls */
	for (int i = 0; i < 7; i++)
		k->vmscan.ops->shrink_zone(k, z, 6, &scan);
	BUG_ON(k->vmstat.pgrefill != refilled || z->scan_active != 28);
	BUG_ON(z->scan_inactive != 7);
	k->vmscan.ops->shrink_zone(k, z, 6, &scan);
	BUG_ON(k->vmstat.pgrefill != refilled + 32 || z->scan_active);
	/* all at once at priority 0, and one more than there are */
	k->vmscan.ops->shrink_zone(k, z, 0, &scan);
	BUG_ON(k->vmstat.pgrefill != refilled + 32 + 251 || z->scan_active);
}

static void test(struct puppet *p)
{
	mm_fill(p, 1);
	test_distress(p);
	test_mapped(p);
	test_stays(p);
	test_unmapped(p);
	test_inactive_amount(p);
	test_active_amount(p);
	test_turns(p);
	test_shares(p);
}

/* What reclaim frees goes to the cold per-CPU list. */
static void test_cold(struct puppet *p)
{
	struct kernel *k = p->k;
	struct zone *z = &k->zones.zone[ZONE_NORMAL];
	struct inode *inode = fs_install(k->fs, "f", NULL, 0, PAGE_SIZE);
	uint32_t hot;

	filemap_readahead(k, inode, 0, 1, false);
	page_wait_unlocked(k, &k->pages[inode->cache[0]]);
	hot = z->pcp[0].count;
	BUG_ON(z->pcp[1].count || mm_reclaim(k, z) != 1);
	BUG_ON(z->pcp[1].count != 1 || z->pcp[0].count != hot);
}

int main(void)
{
	struct turns turns;
	struct oskit o;

	oskit_init_size(&o, FRAMES);
	trace_subscribe(&o.trace, on_move, &turns, 1ULL << TR_LRU_MOVE);
	memset(&turns, 0, sizeof(turns));
	oskit_boot(&o);
	puppet_run(&o, test, &turns);
	kernel_check(o.k);
	oskit_finish(&o);
	puppet_alone(16384, test_cold);
	return 0;
}
