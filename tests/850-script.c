/*
 * What a scenario's script says happens, when it says so.
 */
#include "emu/run/fields.h"
#include "tests/runkit.h"

static const struct command_result *command(const struct results *r,
					    const char *label)
{
	for (unsigned i = 0; i < r->nr_commands; i++)
		if (streq(r->command[i].line->label, label))
			return &r->command[i];
	BUG_ON(true);
	return NULL;
}

/* Within a tick and the time that starting or dying takes. */
static bool about(simtime at, simtime wanted)
{
	return at >= wanted && at < wanted + NSEC_PER_SEC / 2;
}

int main(int argc, char **argv)
{
	static const char *const set[] = { "params.size=8M", NULL };
	struct run_kit kit;
	const struct results *r = &kit.results;
	const struct command_result *sleeper, *first, *second;
	char path[512];

	BUG_ON(argc < 2);
	snprintf(path, sizeof(path), "%s/tests/data/scenarios/script.yaml",
		 argv[1]);
	kit_run(&kit, path, NULL, set, 3);

	BUG_ON(r->nr_commands != 3);
	sleeper = command(r, "sleeper");
	first = command(r, "hog");
	second = command(r, "hog#2");
	BUG_ON(!streq(sleeper->line->command, "hog -m 8M -n 1 -t 3600s"));
	BUG_ON(sleeper->outcome != KILLED);
	BUG_ON(!about(sleeper->span.to.at, 10 * NSEC_PER_SEC));
	/* 8 MB and what belongs to every program */
	BUG_ON(sleeper->usage.max_rss < 2048 || sleeper->usage.max_rss > 2400);
	BUG_ON(!about(first->span.from.at,
		      sleeper->span.to.at + 2 * NSEC_PER_SEC));
	BUG_ON(!about(second->span.from.at,
		      sleeper->span.to.at + 3 * NSEC_PER_SEC));
	BUG_ON(first->outcome != EXITED || second->outcome != EXITED);
	BUG_ON(r->whole.to.at < second->span.to.at);

	/* from 3.5 s to 5 s; the last at 5 s came before sampling stopped */
	BUG_ON(r->nr_vmstat < 3 || r->nr_vmstat > 4);
	BUG_ON(!about(r->vmstat[0].at, 7 * NSEC_PER_SEC / 2));
	for (unsigned i = 0; i < r->nr_vmstat; i++) {
		const struct vmstat_line *l = &r->vmstat[i];
		unsigned sum = l->user + l->system + l->idle + l->iowait;

		BUG_ON(sum < 98 || sum > 102);
		/* the clock's interrupts are among them */
		BUG_ON(l->interrupts < 250);
	}
	BUG_ON(machine_kernel(kit.machine)->sysctl.swappiness != 0);
	BUG_ON(machine_kernel(kit.machine)->sysctl.swap_token_timeout != 5);
	BUG_ON(!results_good(r));
	BUG_ON(r->nr_expectations != 4);
	kit_free(&kit);
	return 0;
}
