/*
 * A program that marks in each cycle once made a run quadratic in time and
 * without bounds in memory.
 */
#include "emu/run/fields.h"
#include "tests/runkit.h"

#include <string.h>

/* The text report says that phases are missing, and how many. */
static void check_report(const struct results *r)
{
	char *text = NULL, wanted[64];
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	BUG_ON(!f);
	report_text(r, f);
	BUG_ON(fclose(f) != 0);
	snprintf(wanted, sizeof(wanted), "\nand %llu phases more",
		 (unsigned long long)r->phases_left_out);
	BUG_ON(!strstr(text, wanted));
	free(text);
}

int main(int argc, char **argv)
{
	struct run_kit kit;
	const struct results *r = &kit.results;
	char path[512];

	BUG_ON(argc < 2);
	snprintf(path, sizeof(path), "%s/tests/data/scenarios/busy.yaml",
		 argv[1]);
	kit_run(&kit, path, NULL, NULL, 1);
	BUG_ON(r->nr_phases != PHASES_MAX);
	/* 10 MHz for what is left of 600 ms */
	BUG_ON(r->phases_left_out < 1000000);
	for (unsigned i = 0; i < r->nr_phases; i++) {
		const struct phase *p = &r->phase[i];

		BUG_ON(!p->ended || !streq(p->name, "x"));
		BUG_ON(p->span.to.at < p->span.from.at);
		BUG_ON(i && p->span.from.at != p[-1].span.to.at);
	}
	/* the last that was kept ended with the next mark */
	BUG_ON(r->phase[PHASES_MAX - 1].span.to.at > NSEC_PER_SEC);
	check_report(r);
	kit_free(&kit);
	return 0;
}
