/*
 * The profile beside the real kernel, as claims over seeds: the mean of three
 * seeds is within 6 % of the real kernel's (the table that
 * bench/real-kernels.sh prints is judged by 3 %), pages out within 20 %, and
 * no page ever came back with other content than it had left with.
 */
#include "tests/runkit.h"

#define SEEDS 3

struct claim {
	const char *pattern, *variant;
	unsigned phase;			    /* from 0 */
	uint64_t majfault, pswpin, pswpout; /* the real kernel's means */
};

static const struct claim claims[] = {
	{ "a", "token", 1, 2310, 17133, 15816 },
	{ "a", "token", 2, 2399, 16458, 14195 },
	{ "a", "off", 1, 2053, 16400, 16049 },
	{ "b", "off", 1, 2658, 17718, 4486 },
	{ "d", "off", 2, 2104, 11394, 15868 },
	{ "g", "token", 1, 1037, 0, 0 },
};

static bool near(uint64_t ours, uint64_t real, unsigned percent)
{
	uint64_t off = ours > real ? ours - real : real - ours;

	return off * 100 <= real * percent + 800; /* or 8 pages */
}

static void add_run(const struct claim *c, uint64_t seed, struct vmstat *sum)
{
	struct machine_options options = { .seed = seed, .check = true };
	struct run_kit kit;
	char pattern[32];
	const char *const set[] = { pattern, NULL };
	const struct span *span;

	snprintf(pattern, sizeof(pattern), "params.pattern=%s", c->pattern);
	kit_load(&kit, "linux-2.6.18", c->variant, set);
	kit_boot(&kit, &options);
	machine_run(kit.machine, &kit.results);
	BUG_ON(kit.results.integrity.mismatches);
	BUG_ON(kit.results.integrity.checked < 1000);
	BUG_ON(kit.results.nr_phases <= c->phase);
	span = &kit.results.phase[c->phase].span;
	/* file pages are not counted as swap pages (pattern g has hardly any)
	 */
	BUG_ON(c->pattern[0] == 'g' &&
	       span->to.vm.swap_clean - span->from.vm.swap_clean > 100);
	sum->pgmajfault += span->to.vm.pgmajfault - span->from.vm.pgmajfault;
	sum->pswpin += span->to.vm.pswpin - span->from.vm.pswpin;
	sum->pswpout += span->to.vm.pswpout - span->from.vm.pswpout;
	kit_free(&kit);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		const struct claim *c = &claims[i];
		struct vmstat sum = { 0 };

		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			add_run(c, seed, &sum);
		printf("%s %s %u: %llu %llu %llu\n", c->pattern, c->variant,
		       c->phase, (unsigned long long)sum.pgmajfault / SEEDS,
		       (unsigned long long)sum.pswpin / SEEDS,
		       (unsigned long long)sum.pswpout / SEEDS);
		BUG_ON(!near(sum.pgmajfault / SEEDS, c->majfault, 6));
		BUG_ON(!near(sum.pswpin / SEEDS, c->pswpin, 6));
		BUG_ON(!near(sum.pswpout / SEEDS, c->pswpout, 20));
	}
	return 0;
}
