/*
 * How many pages a second reclaim looks at, and how many it brings back.
 *
 * Prints millions a second of CPU time, in a machine of 64 MB:
 *
 * - pages scanned by shrink_zone over both lists of every zone: pages of a
 *   mapped file, half of them young. Those move or stay, the others are taken
 *   out of the tables and freed. Nothing has to be written.
 * - major faults of a process that reads at random among twice as many pages
 *   as there are frames: trap, request, elevator, device, interrupt, two
 *   switches, and reclaim for the room. One page a fault (vm.page-cluster 0),
 *   the pages are clean.
 */
#include "bench/kit.h"

#define FRAMES	   16384u /* 64 MB */
#define FILE_PAGES 10000u
#define SCANS	   100 /* of a round */

#define AREA_PAGES  26000u
#define MAJOR_DRAWS 400000u
#define FILE_NAME   "0123456789abcdef" /* is in every program's data */

static uint64_t scanned(const struct kernel *k)
{
	return k->vmstat.pgscan_kswapd + k->vmstat.pgscan_direct +
	       k->vmstat.pgrefill;
}

static uint64_t major_faults(const struct kernel *k)
{
	return k->vmstat.pgmajfault;
}

/* Every page of every list once. In the context of the process. */
static void scan_all(struct kernel *k)
{
	struct scan scan = { .gfp = GFP_KERNEL, .may_writepage = true };

	for (unsigned i = 0; i <= k->zones.highest; i++)
		k->vmscan.ops->shrink_zone(k, &k->zones.zone[i], 0, &scan);
}

/* "age" clears what accessed bits there are; "scan" is measured. */
static void on_scan(struct task *task, const char *name, void *arg)
{
	if (strcmp(name, "scan") == 0) {
		meter_mark(task, "on", arg);
		scan_all(task->k);
		meter_mark(task, "off", arg);
	} else {
		scan_all(task->k);
	}
}

/* Read all of a file, age it, read every other page, scan; and again. */
static void install_reader(struct oskit *o)
{
	struct oskit_program p = { 0 };
	unsigned top;

	kit_sys(&p, 4, (int64_t[]){ OSKIT_DATA, 0, 0, 0, 0 });
	kit_map(&p, FILE_PAGES, 0);
	top = kit_repeat(&p, SCANS);
	kit_sweep(&p, ISA_READ, FILE_PAGES, 1);
	kit_mark(&p, "age");
	kit_sweep(&p, ISA_READ, FILE_PAGES, 2);
	kit_mark(&p, "scan");
	kit_again(&p, top);
	kit_exit(&p);
	install(o, "reader", &p);
	fs_install(o->k->fs, FILE_NAME, NULL, 0,
		   (uint64_t)FILE_PAGES * PAGE_SIZE);
}

static void measure_scan(void)
{
	struct rounds rounds = { 0 };
	struct oskit o;
	struct meter m;

	kit_init(&o, FRAMES, 65536);
	o.config.sysctls.swappiness = 100; /* take mapped pages at once */
	oskit_boot(&o);
	install_reader(&o);
	while (rounds_left(&rounds)) {
		meter_attach(&m, &o, scanned);
		o.k->on_mark = on_scan;
		oskit_run(&o, "reader");
		round_took(&rounds, m.operations, m.ns);
	}
	oskit_finish(&o);
	rounds_print(&rounds, "pages scanned, 64 MB, half young",
		     (struct target){ 10000, 25000 });
}

/* Write all, read at random until all have a copy in swap, then measure. */
static void install_thrasher(struct oskit *o)
{
	struct oskit_program p = { 0 };

	kit_map(&p, AREA_PAGES, -1);
	kit_sweep(&p, ISA_WRITE, AREA_PAGES, 1);
	kit_uniform(&p, ISA_READ, AREA_PAGES, 4ULL * AREA_PAGES);
	kit_mark(&p, "on");
	kit_uniform(&p, ISA_READ, AREA_PAGES, MAJOR_DRAWS);
	kit_mark(&p, "off");
	kit_exit(&p);
	install(o, "thrasher", &p);
}

static void measure_major(const char *elevator, const char *what)
{
	struct rounds rounds = { 0 };
	struct oskit o;
	struct meter m;

	kit_init(&o, FRAMES, 131072);
	o.config.sysctls.page_cluster = 0;
	o.config.swap_queue.elevator = oskit_elevator(elevator);
	oskit_boot(&o);
	install_thrasher(&o);
	while (rounds_left(&rounds)) {
		meter_attach(&m, &o, major_faults);
		oskit_run(&o, "thrasher");
		round_took(&rounds, m.operations, m.ns);
	}
	oskit_finish(&o);
	rounds_print(&rounds, what, (struct target){ 700, 2000 });
}

int main(void)
{
	measure_scan();
	measure_major("noop", "major faults, 64 MB, noop");
	measure_major("cfq", "major faults, 64 MB, cfq");
	return 0;
}
