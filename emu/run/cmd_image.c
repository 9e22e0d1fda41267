/*
 * faultline image: programs for the emulated machine.
 *
 * Models      nothing: assembler and reader are in workloads/.
 * Leaves out  import of traces and foreign binaries.
 * Seen in     the command line.
 */
#include "emu/run/command.h"
#include "emu/run/data.h"
#include "emu/run/fields.h"
#include "emu/run/options.h"
#include "workloads/asm.h"
#include "workloads/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image_options {
	const char *output;
};

static const struct option_spec image_options[] = {
	{ "output", 'o', OPTION_TEXT, offsetof(struct image_options, output),
	  "FILE", "build: write there; beside the source by default" },
	{ 0 },
};

static const struct usage_text usage = {
	"image", "build FILE.s | dump NAME | list",
	"build  assemble a program into an image\n"
	"dump   print an image as assembler text (a name or an .elf file)\n"
	"list   show our programs with their options",
	image_options
};

static int build(struct data *data, const char *source, const char *output,
		 struct diag *d)
{
	size_t n = strlen(source);

	if (!output) {
		if (n > 2 && streq(source + n - 2, ".s"))
			n -= 2;
		output = data_printf(data, "%.*s.elf", (int)n, source);
	}
	return asm_file(source, data_folder(data, DATA_SOURCE), output, d)
		       ? EXIT_DONE
		       : EXIT_USAGE;
}

static struct image *find_image(struct data *data, const char *word,
				struct diag *d)
{
	const char *path = data_find(data, DATA_IMAGE, word, NULL);

	if (path)
		return image_read(path, d);
	if (strchr(word, '/') || strchr(word, '.'))
		return image_read(word, d);
	fields_unknown(d, (struct diag_place){ NULL, 0, 0 }, "image", "program",
		       word, data_names(data, DATA_IMAGE));
	return NULL;
}

static int dump(struct data *data, const char *word, struct diag *d)
{
	struct image *image = find_image(data, word, d);

	if (!image)
		return EXIT_USAGE;
	image_dump(image, stdout);
	image_free(image);
	return EXIT_DONE;
}

static int list(struct data *data, struct diag *d)
{
	const char *const *names = data_names(data, DATA_IMAGE);

	for (unsigned i = 0; names[i]; i++) {
		struct image *image = find_image(data, names[i], d);

		if (!image)
			return EXIT_FAILED;
		printf("%-20s %8llu bytes%s\n", names[i],
		       (unsigned long long)image->size,
		       image->entry ? "" : ", library");
		for (unsigned n = 0; n < image->nr_params; n++)
			printf("    %-16.20s %.80s\n", image->param[n].flag,
			       image->param[n].help);
		image_free(image);
	}
	return EXIT_DONE;
}

static int dispatch(const struct image_options *o, int words, char **argv,
		    struct data *data, struct diag *d)
{
	static const char *const verbs[] = { "build", "dump", "list", NULL };

	if (words == 2 && streq(argv[1], "build"))
		return build(data, argv[2], o->output, d);
	if (words == 2 && streq(argv[1], "dump"))
		return dump(data, argv[2], d);
	if (words == 1 && streq(argv[1], "list"))
		return list(data, d);
	if (words) {
		const char *meant = diag_suggest(argv[1], verbs);

		if (meant && !streq(meant, argv[1]))
			fprintf(stderr,
				"faultline: image: did you mean '%s'?\n",
				meant);
	}
	fprintf(stderr, "usage: faultline image %s\n", usage.synopsis);
	return EXIT_USAGE;
}

int command_image(int argc, char **argv)
{
	struct image_options o = { 0 };
	int words = options_parse(&usage, &o, argc, argv);
	struct data *data;
	struct diag *d;
	int status;

	if (words < 0)
		return words == -1 ? EXIT_DONE : EXIT_USAGE;
	data = data_open();
	if (!data)
		return EXIT_USAGE;
	d = diag_new();
	status = dispatch(&o, words, argv, data, d);
	diag_print(d, stderr);
	diag_free(d);
	data_free(data);
	return status;
}
