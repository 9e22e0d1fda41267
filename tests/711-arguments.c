/*
 * Command lines of programs: what is understood, and what is said about the
 * rest.
 */
#include "emu/bug.h"
#include "workloads/image.h"

#include <stdlib.h>
#include <string.h>

static struct image *read_program(const char *build, const char *name)
{
	struct diag *d = diag_new();
	struct image *image;
	char path[512];

	snprintf(path, sizeof(path), "%s/workloads/%s.elf", build, name);
	image = image_read(path, d);
	diag_print(d, stderr);
	BUG_ON(!image);
	diag_free(d);
	return image;
}

/* The command must be understood (message NULL) or refused with message. */
static void check(const struct image *image, const char *command,
		  const char *message, int64_t *values)
{
	struct diag *d = diag_new();
	char *copy = xstrdup(command), *words[16], *rest = NULL, *said;
	size_t length;
	FILE *to = open_memstream(&said, &length);
	unsigned n = 0;
	bool good;

	for (char *w = strtok_r(copy, " ", &rest); w && n < 16;
	     w = strtok_r(NULL, " ", &rest))
		words[n++] = w;
	good = image_arguments(image, words, n, values, d,
			       (struct diag_place){ "s.yaml", 3, 7 });
	diag_print(d, to);
	BUG_ON(fclose(to));
	if (good != !message || (message && !strstr(said, message))) {
		printf("%s: wanted '%s', got '%s'\n", command,
		       message ? message : "", said);
		BUG_ON(1);
	}
	BUG_ON(message && strncmp(said, "s.yaml:3:7: error: ", 19) != 0);
	free(said);
	free(copy);
	diag_free(d);
}

/* One slip, one message. */
static void check_once(const struct image *image, const char *command)
{
	struct diag *d = diag_new();
	char *copy = xstrdup(command), *words[16], *rest = NULL;
	int64_t values[IMAGE_PARAMS];
	unsigned n = 0;

	for (char *w = strtok_r(copy, " ", &rest); w && n < 16;
	     w = strtok_r(NULL, " ", &rest))
		words[n++] = w;
	BUG_ON(image_arguments(image, words, n, values, d,
			       (struct diag_place){ 0 }));
	BUG_ON(diag_errors(d) != 1);
	free(copy);
	diag_free(d);
}

static void check_good(const struct image *qsbench, const struct image *hog,
		       const struct image *touch)
{
	int64_t v[IMAGE_PARAMS];

	check(qsbench, "qsbench", NULL, v);
	BUG_ON(v[0] != 9000000 || v[1] != 3 || v[2] != 1420300);
	check(qsbench, "qsbench -s 7 -p=2 -n 0x10", NULL, v);
	BUG_ON(v[0] != 16 || v[1] != 2 || v[2] != 7);
	check(hog, "hog -m 50M -t 2 -d 30ms", NULL, v);
	BUG_ON(v[0] != 50 << 20 || v[3] != 30000000 || v[4] != 2000000000);
	check(hog, "hog -m 8192", NULL, v);
	BUG_ON(v[0] != 8192);
	check(touch, "touch -i -p z -a r", NULL, v);
	BUG_ON(v[0] != 'z' || v[1] != 'r' || v[6] != 1);
}

static void check_bad(const struct image *qsbench, const struct image *hog,
		      const struct image *touch, const struct image *hello)
{
	int64_t v[IMAGE_PARAMS];

	check(qsbench, "qsbench -x 5", "unknown option '-x'", v);
	check_once(qsbench, "qsbench -x 5 -n 3");
	check_once(qsbench, "qsbench -n 3 -n 4");
	check(qsbench, "qsbench -n 3 -n 4", "-n is given twice", v);
	check(qsbench, "qsbench 5", "unknown option '5'", v);
	check(qsbench, "qsbench -n", "-n needs a value (elements", v);
	check(qsbench, "qsbench -n many", "qsbench -n", v);
	check(qsbench, "qsbench -n 12k", "qsbench -n", v);
	check(qsbench, "qsbench -n 0", "-n 0 is not within 1 to 250000000", v);
	check(qsbench, "qsbench -n 99999999999999999999", "qsbench -n", v);
	check(hog, "hog -m 4G", "-m 4G is not within 4K to 1G", v);
	check(hog, "hog -m 99999999999999999999",
	      "hog -m: '99999999999999999999' is too large", v);
	check(hog, "hog -t 99999999999", "hog -t: '99999999999' is too large",
	      v);
	check(hog, "hog -t 5 -m x", "hog -m", v);
	check(touch, "touch -p q", "unknown choice 'q'", v);
	check(touch, "touch -p su", "unknown choice 'su'", v);
	check(touch, "touch -p [", "unknown choice '['", v);
	check(touch, "touch -i=1", "-i takes no value", v);
	check(hello, "hello world", "takes no arguments, got 'world'", v);
}

int main(int argc, char **argv)
{
	struct image *qsbench, *hog, *touch, *hello;

	BUG_ON(argc != 3);
	qsbench = read_program(argv[2], "qsbench");
	hog = read_program(argv[2], "hog");
	touch = read_program(argv[2], "touch");
	hello = read_program(argv[2], "hello");
	check_good(qsbench, hog, touch);
	check_bad(qsbench, hog, touch, hello);
	image_free(qsbench);
	image_free(hog);
	image_free(touch);
	image_free(hello);
	return 0;
}
