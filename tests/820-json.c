/*
 * The JSON report: well-formed, with the keys that are promised, of the
 * promised types, and always the same.
 */
#include "emu/run/fields.h"
#include "tests/jsonkit.h"
#include "tests/runkit.h"

#include <string.h>

static char *json_of(const struct results *results)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	BUG_ON(!f);
	report_json(results, f);
	BUG_ON(fclose(f) != 0);
	return text;
}

/* Every line of tests/data/json-keys.list must be there. */
static void check_keys(const char *root, const char *keys)
{
	char path[512], line[256], wanted[260];
	FILE *f;
	unsigned n = 0;

	snprintf(path, sizeof(path), "%s/tests/data/json-keys.list", root);
	f = fopen(path, "r");
	BUG_ON(!f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		snprintf(wanted, sizeof(wanted), "\n%s", line);
		if (!strstr(keys, wanted))
			fprintf(stderr, "no such key: %s", line);
		BUG_ON(!strstr(keys, wanted));
		n++;
	}
	BUG_ON(n < 40);
	fclose(f);
}

int main(int argc, char **argv)
{
	struct run_kit one, two;
	char *first, *second, *keys;

	BUG_ON(argc < 2);
	kit_run(&one, "linux-2.6.18", "token", NULL, 1);
	kit_run(&two, "linux-2.6.18", "token", NULL, 1);
	first = json_of(&one.results);
	second = json_of(&two.results);
	BUG_ON(!streq(first, second));
	keys = keys_of(first);
	check_keys(argv[1], keys);
	free(keys);
	free(first);
	free(second);
	kit_free(&two);
	kit_free(&one);
	return 0;
}
