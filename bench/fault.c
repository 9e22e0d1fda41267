/*
 * How many pages a second a process gets: minor faults, all included.
 *
 * Prints millions a second of CPU time: anonymous pages of a machine of 64 MB,
 * written in order and at random, and of 3.5 GB at random. From the write
 * that misses the TLB to the same write done: walk, trap, vma, allocation,
 * page table, list, reverse map, the way back, and the timer's ticks. Random
 * pages are draws, so a part of them are there already: faults are counted,
 * all draws are paid. Unmapping is not included, but for its own line.
 *
 * And the memory of the host that the larger machine takes for each GB of its
 * own, all but a few of its pages having been written to: frames, content
 * tags, page tables, and 256 MB of swap.
 */
#include "bench/kit.h"

#define REPEATS	   100	   /* of a round, in 64 MB */
#define SMALL	   16384u  /* frames of 64 MB */
#define SMALL_FILL 13000u  /* pages that fit there */
#define LARGE	   917504u /* frames of 3.5 GB */
#define LARGE_FILL 480000u /* pages that each of two processes draws from */

static uint64_t faults(const struct kernel *k)
{
	return k->vmstat.pgfault_anon;
}

static uint64_t freed(const struct kernel *k)
{
	return k->vmstat.pgfree;
}

static void emit_unmap(struct oskit_program *p, uint64_t pages)
{
	kit_sys(p, 10,
		(int64_t[]){ KIT_AREA, (int64_t)(pages * PAGE_SIZE), 0, 0, 0 });
}

/* Fill, between "on" and "off"; and unmap, between "undo" and "done". */
static void install_fill(struct oskit *o, const char *name, bool random,
			 bool unmap)
{
	struct oskit_program p = { 0 };
	unsigned top;

	top = kit_repeat(&p, REPEATS);
	kit_map(&p, SMALL_FILL, -1);
	if (!unmap)
		kit_mark(&p, "on");
	if (random)
		kit_uniform(&p, ISA_WRITE, SMALL_FILL, 2ULL * SMALL_FILL);
	else
		kit_sweep(&p, ISA_WRITE, SMALL_FILL, 1);
	kit_mark(&p, unmap ? "on" : "off");
	emit_unmap(&p, SMALL_FILL);
	if (unmap)
		kit_mark(&p, "off");
	kit_again(&p, top);
	kit_exit(&p);
	install(o, name, &p);
}

static void check_no_reclaim(const struct kernel *k)
{
	BUG_ON(k->vmstat.pgscan_kswapd + k->vmstat.pgscan_direct);
}

static void measure(struct oskit *o, const char *program, const char *what,
		    uint64_t (*count)(const struct kernel *k), struct target t)
{
	struct rounds rounds = { 0 };
	struct meter m;

	while (rounds_left(&rounds)) {
		meter_attach(&m, o, count);
		oskit_run(o, program);
		round_took(&rounds, m.operations, m.ns);
	}
	check_no_reclaim(o->k);
	rounds_print(&rounds, what, t);
}

static void measure_small(void)
{
	const struct target target = { 8000, 20000 };
	struct oskit o;

	kit_init(&o, SMALL, 65536);
	oskit_boot(&o);
	install_fill(&o, "inorder", false, false);
	install_fill(&o, "random", true, false);
	install_fill(&o, "unmap", true, true);
	measure(&o, "inorder", "minor faults, 64 MB, in order", faults, target);
	measure(&o, "random", "minor faults, 64 MB, random", faults, target);
	measure(&o, "unmap", "pages unmapped and freed, 64 MB", freed,
		NO_TARGET);
	oskit_finish(&o);
}

/* Each draws from its own 1.8 GB; the second waits for the first. */
static void install_large(struct oskit *o)
{
	struct oskit_program p = { 0 };

	kit_map(&p, LARGE_FILL, -1);
	kit_mark(&p, "on");
	kit_uniform(&p, ISA_WRITE, LARGE_FILL, 2ULL * LARGE_FILL);
	kit_mark(&p, "off");
	/* stay until the other has filled its own, too */
	emit_sys(&p, 12, 100 * NSEC_PER_SEC, 0);
	kit_exit(&p);
	install(o, "large", &p);

	p.nr = 0;
	emit_sys(&p, 12, 50 * NSEC_PER_SEC, 0);
	kit_map(&p, LARGE_FILL, -1);
	kit_mark(&p, "on");
	kit_uniform(&p, ISA_WRITE, LARGE_FILL, 2ULL * LARGE_FILL);
	kit_mark(&p, "off");
	kit_exit(&p);
	install(o, "later", &p);
}

static void measure_large(void)
{
	uint64_t before = resident("VmRSS:");
	struct rounds rounds = { 0 };
	struct oskit o;
	struct meter m;

	kit_init(&o, LARGE, 65536);
	oskit_boot(&o);
	install_large(&o);
	while (rounds_left(&rounds)) {
		unsigned left = 2;
		struct ending e[2] = { { .o = &o, .left = &left },
				       { .o = &o, .left = &left } };

		meter_attach(&m, &o, faults);
		task_start(o.k, "large", 0, on_ending, &e[0]);
		task_start(o.k, "later", 0, on_ending, &e[1]);
		BUG_ON(!sched_run(o.k));
		o.k->stop = false;
		round_took(&rounds, m.operations, m.ns);
	}
	check_no_reclaim(o.k);
	rounds_print(&rounds, "minor faults, 3.5 GB, random",
		     (struct target){ 1500, 3000 });
	print_less("host memory per emulated GB",
		   (resident("VmRSS:") - before) * 2 / 7,
		   (struct target){ 24000, 16000 }, "MB");
	oskit_finish(&o);
}

int main(void)
{
	measure_small();
	measure_large();
	return 0;
}
