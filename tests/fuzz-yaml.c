/*
 * Fuzz target: the YAML reader. Any bytes give a tree or errors with their
 * places, never a crash; a tree can be overlaid with itself and edited.
 *
 * Leaves out  what a scenario makes of the tree: fuzz-scenario.c.
 */
#include "tests/fuzz.h"

#include "emu/bug.h"
#include "emu/run/yaml.h"

#include <stdio.h>

/* Reads every field, so that the sanitizers see one that is not there. */
static unsigned walk(const struct yaml *y)
{
	unsigned nodes = 1;

	BUG_ON(!y->place.line || !y->place.column);
	if (y->kind == YAML_SCALAR)
		return nodes + (y->text[0] != '\0');
	for (unsigned i = 0; i < y->count; i++) {
		if (y->kind == YAML_MAP) {
			nodes += walk(y->key[i]);
			BUG_ON(!yaml_get(y, y->key[i]->text));
		}
		nodes += walk(y->item[i]);
	}
	return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag *d = diag_new();
	struct diag_place at = { .file = "fuzz", .line = 1, .column = 1 };
	struct yaml *y = yaml_parse((const char *)data, size, "fuzz", d);

	/* Either a tree or a reason why not. */
	BUG_ON(!y && !diag_errors(d));
	if (y) {
		struct yaml *both = yaml_overlay(y, y);

		BUG_ON(walk(both) != walk(y));
		if (both->kind == YAML_MAP)
			yaml_set(both, "a.b.c", "[1, {d: 2}]", d, at);
		walk(both);
		yaml_discard(both);
	}
	yaml_discard(y);
	diag_free(d);
	return 0;
}
