/*
 * A recorded string of page references, through MMU and kernel.
 *
 * Prints millions of references a second of CPU time. The strings are
 * those of a well-known cache simulator's comparison: 100,000 pages, about
 * 25,000 frames for them; `zipf` draws by Zipf's law of exponent 0.8, `mix`
 * has bursts of 256 from a hot set, a loop and a scan. Each reference is a
 * read through the TLB; what is not there is a fault that the kernel handles,
 * with its reclaim, its swap cache and a swap device behind its queue. The
 * generator is checked by the FNV-1a hash of all 20 million references.
 */
#include "bench/kit.h"
#include "os/fault.h"

#include <math.h>

#define REFERENCES 20000000u
#define WARM_UP	   2000000u /* replayed, not measured */
#define ROUND	   2000000u
#define PAGES	   100000u
#define HOT	   20000u
#define LOOP	   20000u
#define SCAN	   60000u
#define BURST	   256u
#define EXPONENT   0.8
#define FRAMES	   26000u /* 25,000, and what the kernel needs */

struct generator {
	uint64_t state;
	uint32_t pages;		 /* that are drawn */
	uint32_t below[PAGES];	 /* P(rank <= i) * 2^32 */
	uint32_t page_of[PAGES]; /* by rank */
	uint32_t string[REFERENCES];
};

/* SplitMix64 */
static uint64_t draw(struct generator *g)
{
	uint64_t z = g->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void make_distribution(struct generator *g)
{
	double sum = 0;
	double part = 0;

	for (uint32_t i = 0; i < g->pages; i++)
		sum += pow(i + 1.0, -EXPONENT);
	for (uint32_t i = 0; i < g->pages; i++) {
		double below;

		part += pow(i + 1.0, -EXPONENT);
		below = floor(part / sum * 4294967296.0);
		g->below[i] =
			below < 4294967295.0 ? (uint32_t)below : UINT32_MAX;
	}
	g->below[g->pages - 1] = UINT32_MAX;
}

/* Which page has which rank: a shuffle. */
static void scatter_ranks(struct generator *g)
{
	for (uint32_t i = 0; i < g->pages; i++)
		g->page_of[i] = i;
	for (uint32_t left = g->pages; left > 1; left--) {
		uint32_t other = (uint32_t)(draw(g) % left);
		uint32_t page = g->page_of[left - 1];

		g->page_of[left - 1] = g->page_of[other];
		g->page_of[other] = page;
	}
}

static uint32_t draw_page(struct generator *g)
{
	uint32_t height = (uint32_t)(draw(g) >> 32);
	uint32_t low = 0;
	uint32_t high = g->pages - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g->below[middle] >= height)
			high = middle;
		else
			low = middle + 1;
	}
	return g->page_of[low];
}

static void make_zipf(struct generator *g)
{
	g->pages = PAGES;
	make_distribution(g);
	scatter_ranks(g);
	for (uint32_t i = 0; i < REFERENCES; i++)
		g->string[i] = draw_page(g);
}

/* Of 16 bursts, 8 are hot, 5 go on with the loop and 3 with the scan. */
static void make_mix(struct generator *g)
{
	uint32_t loop = 0;
	uint32_t scan = 0;
	unsigned stream = 0;

	g->pages = HOT;
	make_distribution(g);
	scatter_ranks(g);
	for (uint32_t i = 0; i < REFERENCES; i++) {
		if (i % BURST == 0)
			stream = (unsigned)(draw(g) >> 60);
		if (stream < 8)
			g->string[i] = draw_page(g);
		else if (stream < 13)
			g->string[i] = HOT + loop++ % LOOP;
		else
			g->string[i] = HOT + LOOP + scan++ % SCAN;
	}
}

static void check_hash(const struct generator *g, uint64_t expected)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (uint32_t i = 0; i < REFERENCES; i++)
		for (unsigned byte = 0; byte < 4; byte++)
			hash = (hash ^ (g->string[i] >> (8 * byte) & 0xff)) *
			       0x100000001b3ULL;
	BUG_ON(hash != expected);
}

struct replay {
	const struct generator *g;
	const char *what;
	struct rounds rounds;
};

/* One reference by the current process, and the fault it may take. */
static void refer(struct task *task, uint32_t page)
{
	struct cpu *cpu = task->k->cpu;
	vaddr va = KIT_AREA + (page << PAGE_SHIFT);

	cpu_charge(cpu, 10);
	while (mmu_translate(&cpu->mmu, va, MMU_READ, true).fault)
		BUG_ON(fault_handle(task, va, MMU_READ) > FAULT_MAJOR);
	if (cpu->cycles >= cpu->deadline)
		cond_resched(task->k);
}

static void on_replay(struct task *task, const char *name, void *arg)
{
	struct replay *r = arg;
	const uint32_t *next = r->g->string;
	uint64_t faults = task->k->vmstat.pgmajfault;

	(void)name;
	for (uint32_t i = 0; i < WARM_UP; i++)
		refer(task, *next++);
	while (rounds_left(&r->rounds)) {
		for (uint32_t i = 0; i < ROUND; i++)
			refer(task, *next++);
		round_done(&r->rounds, ROUND);
	}
	rounds_print(&r->rounds, r->what, (struct target){ 6000, 15000 });
	faults = task->k->vmstat.pgmajfault - faults;
	printf("  %s: a major fault every %lu.%02lu references, "
	       "%lu pages resident\n",
	       r->what, (uint64_t)(next - r->g->string) / faults,
	       (uint64_t)(next - r->g->string) * 100 / faults % 100,
	       task->mm->anon_rss);
}

static void measure(const struct generator *g, const char *what)
{
	struct replay r = { .g = g, .what = what };
	struct oskit_program p = { 0 };
	struct oskit o;

	kit_init(&o, FRAMES, 4ULL * PAGES);
	o.config.sysctls.page_cluster = 0;
	oskit_boot(&o);
	kit_map(&p, PAGES, -1);
	kit_sweep(&p, ISA_WRITE, PAGES, 1);
	kit_mark(&p, "replay");
	kit_exit(&p);
	install(&o, "replay", &p);
	o.k->on_mark = on_replay;
	o.k->on_mark_arg = &r;
	oskit_run(&o, "replay");
	oskit_finish(&o);
}

int main(void)
{
	struct generator *g = xcalloc(1, sizeof(*g));

	g->state = 1;
	make_zipf(g);
	check_hash(g, 0x875ce0bd33ac038aULL);
	measure(g, "replay, zipf");
	g->state = 1;
	make_mix(g);
	check_hash(g, 0x51236f06daee9131ULL);
	measure(g, "replay, mix");
	free(g);
	return 0;
}
