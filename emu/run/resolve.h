/*
 * From a scenario's file to one tree that says everything: the base, its
 * variant, settings from the command line, parameters filled in, the machine
 * and the background written out.
 */
#pragma once

#include "emu/run/data.h"
#include "emu/run/yaml.h"

/* What the command line asks for besides the file. Owned by the caller. */
struct wishes {
	const char *variant;	/* NULL: the first one */
	const char *const *set; /* "key=value" texts, NULL-terminated */
};

/*
 * Resolve the scenario at path. *variant becomes the name of the variant in
 * force ("default" if the scenario has none), owned by data. NULL after an
 * error. Names of keys are not checked here, only what resolving needs.
 */
struct yaml *resolve_scenario(struct data *data, const char *path,
			      const struct wishes *wishes, const char **variant,
			      struct diag *d);

/* The names of a scenario's variants, NULL-terminated, owned by tree. */
const char **resolve_variants(const struct yaml *tree);

/*
 * Write each dollar of a resolved tree as two: it reads back as the same
 * tree.
 */
void resolve_escape(struct yaml *resolved);

/*
 * The fingerprint of a tree, without what the simulation never reads (name,
 * about, source, published, variants).
 */
uint64_t resolve_hash(const struct yaml *resolved);
