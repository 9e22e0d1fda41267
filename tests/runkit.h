/*
 * For tests that run whole scenarios: load one, run it, keep its results.
 */
#pragma once

#include "emu/bug.h"
#include "emu/run/machine.h"
#include "emu/run/report.h"

#include <stdlib.h>

struct run_kit {
	struct data *data;
	struct diag *d;
	struct scenario *scenario;
	struct machine *machine;
	struct results results;
};

/* Load a scenario by name; set is NULL-terminated or NULL. */
static inline void kit_load(struct run_kit *kit, const char *name,
			    const char *variant, const char *const *set)
{
	struct wishes wishes = { variant, set };
	const char *path;

	*kit = (struct run_kit){ .data = data_new(), .d = diag_new() };
	path = scenario_path(kit->data, name, kit->d);
	if (path)
		kit->scenario = scenario_load(kit->data, path, &wishes, kit->d);
	diag_print(kit->d, stderr);
	BUG_ON(!kit->scenario);
}

static inline void kit_boot(struct run_kit *kit,
			    const struct machine_options *options)
{
	kit->machine = machine_new(kit->scenario, options, kit->d);
	diag_print(kit->d, stderr);
	BUG_ON(!kit->machine);
}

/* Load, boot with this seed, run to the end. */
static inline void kit_run(struct run_kit *kit, const char *name,
			   const char *variant, const char *const *set,
			   uint64_t seed)
{
	struct machine_options options = { .seed = seed };

	kit_load(kit, name, variant, set);
	kit_boot(kit, &options);
	machine_run(kit->machine, &kit->results);
}

static inline void kit_free(struct run_kit *kit)
{
	results_finish(&kit->results);
	machine_free(kit->machine);
	scenario_free(kit->scenario);
	diag_free(kit->d);
	data_free(kit->data);
}
