/*
 * A whole scenario, from its file to its results.
 *
 * Prints, less is better: the peak of this process' resident memory after one
 * run of qsbench on a machine of 64 MB, the host's shared libraries included;
 * and the best CPU seconds of five such runs, reading the scenario included,
 * with how many simulated seconds go into one of the CPU's.
 */
#include "bench/rounds.h"
#include "tests/runkit.h"

#define SCENARIO "qsbench"
#define BUDGET	 1500 /* CPU time of one run, ms */

static simtime run_once(const char *variant)
{
	struct run_kit kit;
	simtime end;

	kit_run(&kit, SCENARIO, variant, NULL, 1);
	end = kit.results.whole.to.at;
	kit_free(&kit);
	return end;
}

static void measure_scenario(const char *variant)
{
	int64_t best = INT64_MAX;
	simtime simulated = 0;
	char what[64];

	for (unsigned i = 0; i < ROUNDS; i++) {
		int64_t start = rounds_cpu_time();
		int64_t ns;

		simulated = run_once(variant);
		ns = rounds_cpu_time() - start;
		best = ns < best ? ns : best;
	}
	snprintf(what, sizeof(what), SCENARIO " %s, %lu simulated s per CPU s",
		 variant, simulated / best);
	print_less(what, (uint64_t)best / 1000000,
		   (struct target){ BUDGET, BUDGET }, "s");
}

int main(void)
{
	run_once("vanilla");
	print_less("whole process, " SCENARIO " in 64 MB", resident("VmHWM:"),
		   (struct target){ 16000, 8000 }, "MB");
	measure_scenario("vanilla");
	measure_scenario("retuned");
	return 0;
}
