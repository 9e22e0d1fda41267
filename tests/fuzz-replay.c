/*
 * Runs a fuzz target over kept inputs, without the fuzzer: every input that
 * was once found is a test in every build.
 *
 * Leaves out  looking for new inputs: tests/fuzz.sh does, with libFuzzer.
 *
 * Usage: fuzz-TARGET SOURCE_ROOT; the inputs are in tests/corpus/TARGET.
 */
#include "emu/bug.h"
#include "tests/fuzz.h"

#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger inputs are cut: the fuzzer makes none. */
#define INPUT_MAX (1 << 20)

static void replay(const char *path, uint8_t *buffer)
{
	FILE *file = fopen(path, "rb");
	size_t size;
	uint8_t *input;

	BUG_ON(!file);
	size = fread(buffer, 1, INPUT_MAX, file);
	BUG_ON(ferror(file));
	BUG_ON(fclose(file));

	/* A block of the exact size lets the sanitizer see an overrun. */
	input = malloc(size ? size : 1);
	BUG_ON(!input);
	memcpy(input, buffer, size);
	LLVMFuzzerTestOneInput(input, size);
	free(input);
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	uint8_t *buffer = malloc(INPUT_MAX);
	char folder[2048], path[4096];
	const char *target;
	unsigned count = 0;
	DIR *dir;

	BUG_ON(argc < 2 || !buffer);
	target = strrchr(basename(argv[0]), '-') + 1;
	snprintf(folder, sizeof(folder), "%s/tests/corpus/%s", argv[1], target);
	dir = opendir(folder);
	BUG_ON(!dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		replay(path, buffer);
		count++;
	}
	BUG_ON(closedir(dir));
	BUG_ON(!count);
	printf("%u inputs\n", count);
	free(buffer);
	return 0;
}
