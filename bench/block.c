/*
 * How many pages a second the block layer moves, with no memory management.
 *
 * Prints millions of bios a second of CPU time, best and median of 5 rounds:
 * a process reads clusters of eight pages, each a bio, and waits for each
 * cluster; under noop, and under CFQ, which idles for it. Scheduler, content
 * and two context switches per cluster are included.
 */
#include "bench/rounds.h"
#include "tests/blockkit.h"

#define CLUSTERS 50000
#define PAGES	 8
#define PLACES	 200000 /* clusters on the disk */

static void read_clusters(void *arg)
{
	struct bk *b = arg;

	for (unsigned i = 0; i < CLUSTERS; i++) {
		sector base = i * UINT64_C(7919) % PLACES * PAGES;

		for (sector page = 0; page < PAGES; page++)
			bk_io(b, 0, (base + page) * SECTORS_PER_PAGE, 1, false);
		bk_wait(b, 0);
		bk_forget(b);
	}
}

static void measure(const char *elevator, const char *what)
{
	struct rounds rounds = { 0 };

	while (rounds_left(&rounds)) {
		struct bk *b =
			bk_new(elevator, NULL, 250, 1, 5 * NSEC_PER_MSEC);

		kthread_new(&b->k, "reader", read_clusters, b);
		bk_run(b);
		round_done(&rounds, (uint64_t)CLUSTERS * PAGES);
		bk_free(b);
	}
	rounds_print(&rounds, what, NO_TARGET);
}

int main(void)
{
	measure("noop", "pages read in clusters of 8, noop");
	measure("cfq", "pages read in clusters of 8, cfq");
	return 0;
}
