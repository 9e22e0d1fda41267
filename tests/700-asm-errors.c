/*
 * Every mistake of a program is told, in order, at its place: each
 * tests/data/asm/NAME.s against NAME.expect. What is refused is not written.
 */
#include "emu/bug.h"
#include "workloads/asm.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = xcalloc(65536, 1);

	BUG_ON(!f);
	BUG_ON(fread(text, 1, 65535, f) == 65535);
	BUG_ON(fclose(f));
	return text;
}

static void check(const char *path)
{
	struct diag *d = diag_new();
	char expect_path[256], *expect, *got;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	snprintf(expect_path, sizeof(expect_path), "%.*s.expect",
		 (int)strlen(path) - 2, path);
	expect = read_all(expect_path);
	BUG_ON(asm_file(path, NULL, "must-not-be-written.elf", d));
	BUG_ON(access("must-not-be-written.elf", F_OK) == 0);
	BUG_ON(!diag_errors(d));
	diag_print(d, to);
	BUG_ON(fclose(to));
	if (strcmp(got, expect) != 0) {
		printf("%s: expected\n%sgot\n%s", path, expect, got);
		BUG_ON(1);
	}
	free(got);
	free(expect);
	diag_free(d);
}

int main(void)
{
	glob_t files;

	BUG_ON(glob("tests/data/asm/*.s", 0, NULL, &files));
	BUG_ON(files.gl_pathc < 8);
	for (size_t i = 0; i < files.gl_pathc; i++)
		check(files.gl_pathv[i]);
	printf("%zu files\n", files.gl_pathc);
	globfree(&files);
	return 0;
}
