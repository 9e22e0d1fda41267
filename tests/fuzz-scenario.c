/*
 * Fuzz target: what a scenario makes of its tree. Any bytes give a scenario
 * that could be soldered, or errors, never a crash.
 *
 * Leaves out  running it: a few mutated bytes can ask for days of simulated
 *             time.
 */
#include "tests/fuzz.h"

#include "emu/bug.h"
#include "emu/run/scenario.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const no_settings[] = { NULL };
	struct wishes wishes = { .variant = NULL, .set = no_settings };
	struct data *files = data_new();
	struct diag *d = diag_new();
	int file = memfd_create("scenario", 0);
	struct scenario *s;
	char path[64];

	BUG_ON(file < 0 || write(file, data, size) != (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	s = scenario_load(files, path, &wishes, d);
	BUG_ON(!s && !diag_errors(d));
	BUG_ON(s && diag_errors(d));
	scenario_free(s);
	close(file);
	diag_free(d);
	data_free(files);
	return 0;
}
