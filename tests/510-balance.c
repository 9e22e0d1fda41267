/*
 * When reclaim happens and how hard it tries: kswapd's passes, direct
 * reclaim, the zones' shared priorities, naps, and the throttle on writes in
 * flight. The lists are a stand-in that writes down how it was called.
 * Source: balance_pgdat and try_to_free_pages of vanilla 2.6.18.
 */
#include "tests/mmkit.h"

#define FRAMES	8192u		/* two zones of 16 MiB */
#define DESCENT "mlkjihgfedcba" /* priorities 12..0 */

struct rig {
	struct oskit o;
	struct kernel *k;
	struct zone *z; /* both of them */
	char log[120];	/* a..m: normal zone at 0..12; A..M: the DMA zone */
	unsigned length;
	struct page *hoard[FRAMES];
	unsigned hoarded;

	/* the stand-in */
	uint64_t scans;	     /* pages, each time */
	unsigned free_after; /* every so many calls give pages back */
	uint32_t free;
	unsigned says_after; /* that many calls say what they freed */
	uint64_t says;
	unsigned nest_after; /* that many calls, another one reclaims */
	simtime takes;
	unsigned calls;
	int prev[2], temp[2]; /* of the normal zone, before and after that */
};

static struct rig *rig_of(const struct kernel *k)
{
	return k->on_mark_arg;
}

static void give(struct rig *r, uint32_t pages)
{
	BUG_ON(pages > r->hoarded);
	while (pages--)
		page_put(r->k, r->hoard[--r->hoarded]);
}

/* Free pages of a zone, exactly; the per-CPU lists of 32 MiB are empty. */
static void leave_free(struct rig *r, int zone, uint32_t pages)
{
	BUG_ON(r->z[zone].free < pages);
	while (r->z[zone].free > pages)
		r->hoard[r->hoarded++] = page_alloc_reserved(r->k, zone);
}

/* Somebody else reclaims, with success at once, while we are deep in it. */
static void nest(struct rig *r)
{
	struct zone *z = &r->z[ZONE_NORMAL];
	uint64_t says = r->says;
	unsigned after = r->says_after;

	r->prev[0] = z->prev_priority;
	r->temp[0] = z->temp_priority;
	r->says = 32;
	r->says_after = 0;
	BUG_ON(!vmscan_direct(r->k, GFP_KERNEL, ZONE_NORMAL));
	r->says = says;
	r->says_after = after;
	r->prev[1] = z->prev_priority;
	r->temp[1] = z->temp_priority;
}

static uint64_t fake_shrink(struct kernel *k, struct zone *z, int priority,
			    struct scan *scan)
{
	struct rig *r = rig_of(k);
	unsigned call = ++r->calls;

	BUG_ON(r->length + 1 >= sizeof(r->log));
	r->log[r->length++] =
		(char)((z == &r->z[ZONE_DMA] ? 'A' : 'a') + priority);
	BUG_ON(z->temp_priority != priority || z->prev_priority > priority);
	cpu_spend(k->cpu, (uint64_t)r->takes);
	scan->scanned += r->scans;
	if (r->free_after && call % r->free_after == 0)
		give(r, r->free);
	if (call == r->nest_after)
		nest(r);
	return call >= r->says_after ? r->says : 0;
}

static const struct reclaim_ops fake_reclaim = { .shrink_zone = fake_shrink };

/* Start a case from these amounts of free pages, and no history. */
static void begin(struct rig *r, uint32_t dma, uint32_t normal)
{
	struct zone *z = r->z;

	give(r, r->hoarded);
	leave_free(r, ZONE_DMA, dma);
	leave_free(r, ZONE_NORMAL, normal);
	for (int i = 0; i < 2; i++) {
		z[i].temp_priority = z[i].prev_priority = DEF_PRIORITY;
		z[i].all_unreclaimable = false;
		z[i].pages_scanned = 0;
	}
	memset(r->log, 0, sizeof(r->log));
	r->length = r->calls = 0;
	r->scans = r->says = 0;
	r->free_after = r->free = r->says_after = r->nest_after = 0;
	r->takes = 0;
}

static bool logged(const struct rig *r, const char *log)
{
	return strcmp(r->log, log) == 0;
}

/* Wake kswapd for the normal zone and let it work until it sleeps again. */
static void run_kswapd(struct rig *r)
{
	struct kernel *k = r->k;

	vmscan_wake_kswapd(k, &r->z[ZONE_NORMAL]);
	vmscan_wake_kswapd(k, &r->z[ZONE_DMA]);
	do {
		sleep_for(k, 100 * NSEC_PER_MSEC, WAIT_PLAIN, "test");
	} while (list_empty(&k->vmscan.kswapd_wait.waiters));
}

/*
 * Low zone first, every zone up to the highest low one, until all are above
 * high. 8192 frames: min 90, low 112, high 135 for both.
 */
static void test_kswapd(struct rig *r)
{
	uint64_t runs = r->k->vmstat.pageoutrun;

	BUG_ON(r->z[0].high != 135 || r->z[1].high != 135);
	begin(r, 3000, 112);
	r->free_after = 6;
	r->free = 200; /* the last hoarded are the normal zone's */
	run_kswapd(r);
	BUG_ON(!logged(r, "MmLlKk") || r->k->vmstat.pageoutrun != runs + 1);

	/* above low it is not even woken */
	begin(r, 3000, 113);
	run_kswapd(r);
	BUG_ON(!logged(r, ""));

	/* from low it goes on to above high */
	begin(r, 3000, 112);
	r->free_after = 2;
	r->free = 135 - 112;
	run_kswapd(r);
	BUG_ON(!logged(r, "MmLl"));

	/* only the low zone is low: the other is left alone */
	begin(r, 100, 3000);
	r->z[ZONE_NORMAL].temp_priority = 5;
	r->z[ZONE_NORMAL].prev_priority = 5;
	r->free_after = 2;
	r->free = 3000;
	run_kswapd(r);
	BUG_ON(!logged(r, "ML"));
	/* but every pass begins and ends with all zones' priorities */
	BUG_ON(r->z[ZONE_NORMAL].prev_priority != DEF_PRIORITY);
}

/* A batch freed: a new pass begins, at priority 12, if it is not enough. */
static void test_restart(struct rig *r)
{
	uint64_t runs = r->k->vmstat.pageoutrun;

	begin(r, 3000, 112);
	r->says = 16;
	r->says_after = 5; /* 32 after the sixth call: at priority 10 */
	r->free_after = 8;
	r->free = 200;
	run_kswapd(r);
	/* the third pass finds nothing to do */
	BUG_ON(!logged(r, "MmLlKkMm"));
	BUG_ON(r->k->vmstat.pageoutrun != runs + 3);
	/* a pass starts at 12; the end of the last one left that there */
	BUG_ON(r->z[1].prev_priority != 12 || r->z[1].temp_priority != 12);
}

/* Below priority 10 it naps, if anything was scanned; 0 is the end. */
static void test_naps(struct rig *r)
{
	uint64_t naps = r->k->vmstat.congestion_waits;
	simtime start = kernel_now(r->k);

	begin(r, 3000, 112);
	r->scans = 1;
	r->free_after = 27;
	r->free = 200;
	run_kswapd(r);
	/* a whole descent, and the first step of another one */
	BUG_ON(!logged(r, "MmLlKkJjIiHhGgFfEeDdCcBbAaMm"));
	/* the second pass begins with nothing scanned */
	BUG_ON(r->k->vmstat.congestion_waits - naps != 10);
	BUG_ON(kernel_now(r->k) - start < 960 * NSEC_PER_MSEC);
}

/* Four times its lists scanned, nothing freed: only tried at priority 12. */
static void test_unreclaimable(struct rig *r)
{
	struct zone *z = &r->z[ZONE_NORMAL];
	uint32_t pages = z->nr_active + z->nr_inactive;

	BUG_ON(pages != 8);
	begin(r, 3000, 112);
	z->pages_scanned = 4 * pages - 1;
	r->free_after = 3;
	r->free = 200;
	run_kswapd(r);
	BUG_ON(!logged(r, "MmLl"));
	BUG_ON(z->all_unreclaimable);

	/* given up after the first look: no zone is left that is low */
	begin(r, 3000, 112);
	z->pages_scanned = 4ULL * pages;
	run_kswapd(r);
	BUG_ON(!logged(r, "Mm") || !z->all_unreclaimable);
	/* direct reclaim does the same */
	r->length = 0;
	memset(r->log, 0, sizeof(r->log));
	BUG_ON(vmscan_direct(r->k, GFP_KERNEL, ZONE_NORMAL));
	BUG_ON(!logged(r, "mMLKJIHGFEDCBA"));
	/* but its priority was noted before it was passed over */
	BUG_ON(z->prev_priority != 0);
	/* pages that come back end it */
	give(r, 1);
	BUG_ON(z->all_unreclaimable || z->pages_scanned);
}

/* High zone first; success is 32 pages in all. */
static void test_direct(struct rig *r)
{
	uint64_t stalls = r->k->vmstat.allocstall;
	uint64_t naps = r->k->vmstat.congestion_waits;

	begin(r, 3000, 3000);
	BUG_ON(vmscan_direct(r->k, GFP_KERNEL, ZONE_NORMAL));
	BUG_ON(!logged(r, "mMlLkKjJiIhHgGfFeEdDcCbBaA"));
	BUG_ON(r->k->vmstat.allocstall != stalls + 1);
	BUG_ON(r->k->vmstat.congestion_waits != naps);

	begin(r, 3000, 3000);
	r->says = 11;
	r->says_after = 2;
	BUG_ON(!vmscan_direct(r->k, GFP_KERNEL, ZONE_NORMAL));
	BUG_ON(!logged(r, "mMlL")); /* 0, 11, 11, 11 */
	BUG_ON(r->z[1].prev_priority != 11);

	/* what needs the low zone takes it from there only */
	begin(r, 3000, 3000);
	r->says = 8;
	r->scans = 1;
	BUG_ON(!vmscan_direct(r->k, GFP_KERNEL, ZONE_DMA));
	BUG_ON(!logged(r, "MLKJ"));
	BUG_ON(r->k->vmstat.congestion_waits != naps);
	begin(r, 3000, 3000);
	r->says = 31;
	r->says_after = 13;
	r->scans = 1;
	BUG_ON(vmscan_direct(r->k, GFP_KERNEL, ZONE_DMA));
	BUG_ON(r->k->vmstat.congestion_waits != naps + 10);
	BUG_ON(r->z[0].prev_priority != 0 || r->z[1].prev_priority != 12);
}

/*
 * All reclaimers share a zone's temp_priority: who begins resets it, who
 * leaves makes it the zone's distress, even for one who is still deep down.
 */
static void test_shared(struct rig *r)
{
	struct zone *z = &r->z[ZONE_NORMAL];

	begin(r, 3000, 3000);
	r->nest_after = 17; /* the normal zone at priority 4 */
	r->says = 32;
	r->says_after = 23; /* that zone at 2 */
	BUG_ON(!vmscan_direct(r->k, GFP_KERNEL, ZONE_NORMAL));
	BUG_ON(!logged(r, "mMlLkKjJiIhHgGfFemMEdDcC"));
	BUG_ON(r->prev[0] != 4 || r->temp[0] != 4);
	BUG_ON(r->prev[1] != 12 || r->temp[1] != 12);
	BUG_ON(z->prev_priority != 2 || z->temp_priority != 2);
}

/* At priority 0 the token goes, whoever reclaims. */
static void test_token(struct rig *r, struct mm *mm)
{
	struct token *t = &r->k->token;

	begin(r, 3000, 3000);
	token_grab(r->k, mm);
	BUG_ON(t->holder != mm);
	r->says = 32;
	r->says_after = 24; /* at priority 1 */
	BUG_ON(!vmscan_direct(r->k, GFP_KERNEL, ZONE_NORMAL));
	BUG_ON(t->holder != mm);
	r->calls = 0;
	r->says_after = 25;
	r->length = 0;
	BUG_ON(!vmscan_direct(r->k, GFP_KERNEL, ZONE_NORMAL));
	BUG_ON(t->holder || t->disables != 1);
}

/* One write ends, some time from now. */
struct drain {
	struct event event;
	struct kernel *k;
};

static void drain_one(void *arg)
{
	struct drain *d = arg;

	d->k->nr_writeback--;
}

static void drain_after(struct drain *d, struct kernel *k, simtime span)
{
	d->k = k;
	event_init(&d->event, drain_one, d);
	event_post(k->events, &d->event, kernel_now(k) + span);
}

/*
 * throttle_vm_writeout: 8192 pages, 40 % of them and a tenth; with 90 %
 * mapped 5 %, which is 409 and 40. One more, and it naps.
 */
static void test_throttle(struct rig *r)
{
	static const struct {
		uint64_t mapped, most;
	} rows[] = { { 0, 3276 + 327 },
		     { 1638, 3276 + 327 }, /* 80 % unmapped: still 40 */
		     { 2458, 2867 + 286 }, /* 70 + 1 %: 35 */
		     { 7373, 409 + 40 },
		     { 8192, 409 + 40 } };
	struct kernel *k = r->k;
	uint64_t anon = k->nr_anon_mapped;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t naps = k->vmstat.congestion_waits;
		struct drain d;

		k->nr_anon_mapped = rows[i].mapped;
		k->nr_writeback = rows[i].most;
		vmscan_throttle(k);
		BUG_ON(k->vmstat.congestion_waits != naps);
		k->nr_writeback++;
		drain_after(&d, k, 50 * NSEC_PER_MSEC);
		vmscan_throttle(k);
		BUG_ON(k->vmstat.congestion_waits != naps + 1);
	}
	k->nr_writeback = 0;
	k->nr_anon_mapped = anon;
}

/* 100 ms at a time for as long as it takes; a quarter more for some. */
static void test_throttled(struct rig *r)
{
	struct kernel *k = r->k;
	uint64_t anon = k->nr_anon_mapped;
	uint64_t naps = k->vmstat.congestion_waits;
	struct drain d;

	k->nr_anon_mapped = 8000;
	k->nr_writeback = 450;
	drain_after(&d, k, 250 * NSEC_PER_MSEC);
	vmscan_throttle(k);
	BUG_ON(k->vmstat.congestion_waits != naps + 3);
	k->current->flags |= TF_LESS_THROTTLE;
	k->nr_writeback = 511 + 51;
	vmscan_throttle(k);
	BUG_ON(k->vmstat.congestion_waits != naps + 3);
	k->current->flags &= ~(uint32_t)TF_LESS_THROTTLE;
	k->nr_writeback = 0;
	k->nr_anon_mapped = anon;
}

static void cases(struct puppet *p)
{
	struct rig *r = p->arg;

	/* something to scan in either zone */
	for (int i = 0; i < 16; i++)
		lru_add(p->k, page_alloc_reserved(p->k, i & 1));
	sleep_for(p->k, 10 * NSEC_PER_MSEC, WAIT_PLAIN, "test");
	test_kswapd(r);
	test_restart(r);
	test_naps(r);
	test_unreclaimable(r);
	test_direct(r);
	test_shared(r);
	test_token(r, p->mm);
	test_throttle(r);
	test_throttled(r);
	give(r, r->hoarded);
}

int main(void)
{
	struct rig *r = xcalloc(1, sizeof(*r));

	oskit_init_size(&r->o, FRAMES);
	r->o.config.token = token_policies[1];
	oskit_boot(&r->o);
	r->k = r->o.k;
	r->z = r->k->zones.zone;
	r->k->vmscan.ops = &fake_reclaim;
	r->k->on_mark_arg = r;
	puppet_run(&r->o, cases, r);
	kernel_check(r->k);
	oskit_finish(&r->o);
	free(r);
	return 0;
}
