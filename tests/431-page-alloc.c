/*
 * The allocator's slow path, step by step: what is tried, who is woken, when
 * it reclaims, naps, despairs or gives up (__alloc_pages of 2.6.18). Reclaim
 * and the OOM killer are stand-ins that write down that they were called.
 */
#include "tests/mmkit.h"

#define FRAMES	4096u		/* one zone, with marks 128, 160, 192 */
#define DESCENT "mlkjihgfedcba" /* priorities 12..0 of one direct reclaim */

struct rig {
	struct oskit o;
	struct kernel *k;
	struct zone *z;
	char log[80]; /* w: kswapd woken; a..m: scan at 0..12; O: killer */
	unsigned length;
	uint64_t naps; /* at the start of the case */
	struct page *hoard[FRAMES];
	unsigned hoarded;

	/* the stand-ins: after so many direct scans give pages back, ... */
	unsigned scans, give_after;
	uint32_t give;
	/* ... and from then on say that this many were freed */
	uint64_t says;
	unsigned says_after;
	uint32_t oom_gives;
};

static struct rig *rig_of(const struct kernel *k)
{
	return k->on_mark_arg;
}

static void note(struct rig *r, char what)
{
	BUG_ON(r->length + 1 >= sizeof(r->log));
	r->log[r->length++] = what;
}

static void give(struct rig *r, uint32_t pages)
{
	BUG_ON(pages > r->hoarded);
	while (pages--)
		page_put(r->k, r->hoard[--r->hoarded]);
}

/* Hoard until so many pages are free. */
static void leave_free(struct rig *r, uint32_t pages)
{
	if (r->z->free < pages)
		give(r, pages - r->z->free);
	while (r->z->free > pages)
		r->hoard[r->hoarded++] = page_alloc_reserved(r->k, ZONE_DMA);
}

static uint64_t fake_shrink(struct kernel *k, struct zone *z, int priority,
			    struct scan *scan)
{
	struct rig *r = rig_of(k);

	(void)z;
	if (scan->kswapd) { /* is no help, but lets time pass */
		sleep_for(k, 10 * NSEC_PER_MSEC, WAIT_PLAIN, "test");
		return 0;
	}
	BUG_ON(!(k->current->flags & TF_MEMALLOC));
	note(r, (char)('a' + priority));
	if (++r->scans == r->give_after)
		give(r, r->give);
	return r->scans >= r->says_after ? r->says : 0;
}

static const struct reclaim_ops fake_reclaim = { .shrink_zone = fake_shrink };

static void fake_oom(struct kernel *k, void *state)
{
	struct rig *r = rig_of(k);

	(void)state;
	note(r, 'O');
	give(r, r->oom_gives);
}

static const struct oom_ops fake_killer = { .out_of_memory = fake_oom };

static void on_wake(void *arg, const struct trace_event *ev)
{
	(void)ev;
	note(arg, 'w');
}

/* Start a case with so many free pages. */
static void begin(struct rig *r, uint32_t free)
{
	leave_free(r, free);
	memset(r->log, 0, sizeof(r->log));
	r->length = 0;
	r->naps = r->k->vmstat.congestion_waits;
	r->scans = 0;
	r->give_after = r->give = r->oom_gives = 0;
	r->says = r->says_after = 0;
}

/* Allocate: was there a page, after just these steps and naps? */
static bool gives(struct rig *r, uint32_t gfp, const char *log, uint64_t naps)
{
	struct page *page = page_alloc(r->k, gfp);

	if (page)
		r->hoard[r->hoarded++] = page;
	BUG_ON(strcmp(r->log, log) != 0);
	BUG_ON(r->k->vmstat.congestion_waits - r->naps != naps);
	return page;
}

/* A1..A3: above low at once; above min after waking kswapd. */
static void test_quick(struct rig *r)
{
	begin(r, 161);
	BUG_ON(!gives(r, GFP_HIGHUSER, "", 0));
	BUG_ON(!gives(r, GFP_HIGHUSER, "w", 0));
	BUG_ON(r->z->free != 159);
	/* it is awake now and is not woken again */
	begin(r, 129);
	BUG_ON(!gives(r, GFP_HIGHUSER, "", 0));
}

/* A3, A5: who may not sleep may dip to 3/8 of min, but not reclaim. */
static void test_atomic(struct rig *r)
{
	begin(r, 49);
	BUG_ON(!gives(r, GFP_ATOMIC, "", 0));
	BUG_ON(gives(r, GFP_ATOMIC, "", 0));
	/* may sleep, is urgent: half of min */
	begin(r, 65);
	BUG_ON(!gives(r, GFP_KERNEL | GFP_HIGH, "", 0));
	/* may not sleep, is not urgent: three quarters */
	begin(r, 97);
	BUG_ON(!gives(r, 0, "", 0));
	BUG_ON(gives(r, 0, "", 0));
}

/* A4: who frees memory, or dies, has all of it; and if there is none, none. */
static void test_reserves(struct rig *r)
{
	static const uint32_t flags[] = { TF_MEMALLOC, TF_MEMDIE };
	struct task *task = r->k->current;

	for (int i = 0; i < 2; i++) {
		begin(r, 1);
		task->flags |= flags[i];
		BUG_ON(!gives(r, GFP_HIGHUSER, "", 0));
		BUG_ON(r->z->free);
		BUG_ON(gives(r, GFP_HIGHUSER, "", 0));
		task->flags &= ~flags[i];
	}
}

/* A6, A7: progress, and the page is there. */
static void test_progress(struct rig *r)
{
	begin(r, 128);
	r->give_after = 3;
	r->give = 1;
	r->says = 32;
	r->says_after = 3;
	BUG_ON(!gives(r, GFP_HIGHUSER, "mlk", 0));
	BUG_ON(r->k->current->flags & TF_MEMALLOC);
}

/* A8: progress, but somebody else was faster: nap and once more. */
static void test_lost_race(struct rig *r)
{
	simtime start;

	begin(r, 128);
	r->says = 32;
	r->give_after = 3;
	r->give = 1;
	start = kernel_now(r->k);
	BUG_ON(!gives(r, GFP_HIGHUSER, "mmm", 2));
	/* no write ends, so each nap takes its 20 ms: 5 ticks */
	BUG_ON(kernel_now(r->k) - start < 32 * NSEC_PER_MSEC);
	BUG_ON(kernel_now(r->k) - start > 40 * NSEC_PER_MSEC);
}

/* A7: no progress. Only what lies above high stops the killer. */
static void test_despair(struct rig *r)
{
	begin(r, 128);
	r->oom_gives = 200;
	BUG_ON(!gives(r, GFP_HIGHUSER, DESCENT "O", 0));

	/* enough for min and low, not for high: killed, then all over again */
	begin(r, 128);
	r->give_after = 13;
	r->give = 192 - 128;
	BUG_ON(!gives(r, GFP_HIGHUSER, DESCENT "O", 0));
	begin(r, 128);
	r->give_after = 13;
	r->give = 193 - 128;
	BUG_ON(!gives(r, GFP_HIGHUSER, DESCENT, 0));

	/* the killer was no help either: reclaim, and kill, until it is */
	begin(r, 128);
	r->give_after = 26;
	r->give = 1;
	r->says = 32;
	r->says_after = 26;
	BUG_ON(!gives(r, GFP_HIGHUSER, DESCENT "O" DESCENT, 0));
}

/* Who may not wait for the file system does not kill; NORETRY gives up. */
static void test_modest(struct rig *r)
{
	begin(r, 128);
	r->give_after = 14;
	r->give = 1;
	r->says = 32;
	r->says_after = 14;
	BUG_ON(!gives(r, GFP_WAIT | GFP_IO, DESCENT "m", 1));
	begin(r, 128);
	BUG_ON(gives(r, GFP_HIGHUSER | GFP_NORETRY, DESCENT, 0));
}

static void cases(struct puppet *p)
{
	struct rig *r = p->arg;

	/* something to scan: an empty zone counts as given up */
	for (int i = 0; i < 8; i++)
		lru_add(p->k, page_alloc_reserved(p->k, ZONE_DMA));
	/* kswapd has to be asleep to be woken */
	sleep_for(p->k, 10 * NSEC_PER_MSEC, WAIT_PLAIN, "test");
	test_quick(r);
	test_atomic(r);
	test_reserves(r);
	test_progress(r);
	test_lost_race(r);
	test_despair(r);
	test_modest(r);
	leave_free(r, 1000);
}

int main(void)
{
	struct rig *r = xcalloc(1, sizeof(*r));

	oskit_init_size(&r->o, FRAMES);
	trace_subscribe(&r->o.trace, on_wake, r, 1ULL << TR_KSWAPD_WAKE);
	r->o.config.oom = &fake_killer;
	oskit_boot(&r->o);
	r->k = r->o.k;
	r->z = &r->k->zones.zone[ZONE_DMA];
	r->k->vmscan.ops = &fake_reclaim;
	r->k->on_mark_arg = r;
	puppet_run(&r->o, cases, r);
	oskit_finish(&r->o);
	free(r);
	return 0;
}
