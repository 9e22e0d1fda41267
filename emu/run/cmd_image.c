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

static const struct option_spec build_options[] = {
	{ "output", 'o', OPTION_TEXT, offsetof(struct image_options, output),
	  "FILE", "write there; beside the source by default" },
	{ 0 },
};
static const struct option_spec no_options[] = { { 0 } };

static int build(struct data *data, const char *source,
		 const struct image_options *o, struct diag *d)
{
	size_t n = strlen(source);
	const char *output = o->output;

	if (output && (!*output || streq(output, "-"))) {
		diag_error(d, (struct diag_place){ "--output", 0, 0 },
			   "a file is needed ('./-' is one called '-')");
		return EXIT_USAGE;
	}
	if (!output) {
		if (n > 2 && streq(source + n - 2, ".s"))
			n -= 2;
		output = data_printf(data, "%.*s.elf", (int)n, source);
	}
	switch (asm_build(source, data_folder(data, DATA_SOURCE), output, d)) {
	case ASM_DONE:
		return EXIT_DONE;
	case ASM_UNWRITTEN:
		return EXIT_FAILED;
	default:
		return EXIT_USAGE;
	}
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

static int dump(struct data *data, const char *word,
		const struct image_options *o, struct diag *d)
{
	struct image *image = find_image(data, word, d);

	(void)o;
	if (!image)
		return EXIT_USAGE;
	image_dump(image, stdout);
	image_free(image);
	return EXIT_DONE;
}

/* "    -m  memory to write (16M; 4K to 1G)" */
static void put_param(const struct isa_note_param *p)
{
	char def[32], low[32], high[32];

	printf("    %-8.20s %.80s", p->flag, p->help);
	image_param_print(p, p->def, def, sizeof(def));
	image_param_print(p, p->min, low, sizeof(low));
	image_param_print(p, p->max, high, sizeof(high));
	if (p->type == ISA_PARAM_SWITCH)
		printf(" (a switch)\n");
	else if (p->type == ISA_PARAM_CHOICE)
		printf(" (%s)\n", def);
	else
		printf(" (%s; %s to %s)\n", def, low, high);
}

static int list(struct data *data, const char *word,
		const struct image_options *o, struct diag *d)
{
	const char *const *names = data_names(data, DATA_IMAGE);

	(void)word;
	(void)o;
	for (unsigned i = 0; names[i]; i++) {
		struct image *image = find_image(data, names[i], d);

		if (!image)
			return EXIT_FAILED;
		printf("%-20s %s%s (%llu bytes)\n", names[i],
		       image->entry ? "" : "library: ",
		       data_about(data, names[i]),
		       (unsigned long long)image->size);
		for (unsigned n = 0; n < image->nr_params; n++)
			put_param(&image->param[n]);
		image_free(image);
	}
	return EXIT_DONE;
}

/* What can be done to images; arguments: how many words it wants, 0 or 1. */
static const struct verb {
	const char *name;
	int (*run)(struct data *data, const char *word,
		   const struct image_options *o, struct diag *d);
	int arguments;
	struct usage_text usage;
} verbs[] = {
	{ "build",
	  build,
	  1,
	  { "image build", "[-o FILE] SOURCE.s",
	    "Assemble a program into an image.", build_options } },
	{ "dump",
	  dump,
	  1,
	  { "image dump", "NAME|FILE.elf",
	    "Print an image as assembler text: segments, parameters, code.",
	    no_options } },
	{ "list",
	  list,
	  0,
	  { "image list", "", "Show our programs with their options.",
	    no_options } },
	{ 0 },
};

static const struct usage_text usage = {
	"image", "build [-o FILE] SOURCE.s | dump NAME | list",
	"build  assemble a program into an image\n"
	"dump   print an image as assembler text (a name or an .elf file)\n"
	"list   show our programs with their options\n\n"
	"'faultline image build --help' tells more of each.",
	no_options
};

static int run_verb(const struct verb *v, int argc, char **argv)
{
	struct image_options o = { 0 };
	int words = options_parse(&v->usage, &o, argc, argv);
	struct data *data;
	struct diag *d;
	int status;

	if (words < 0)
		return words == -1 ? EXIT_DONE : EXIT_USAGE;
	if (words != v->arguments) {
		fprintf(stderr, "usage: faultline %s%s%s\n", v->usage.name,
			*v->usage.synopsis ? " " : "", v->usage.synopsis);
		return EXIT_USAGE;
	}
	data = data_open();
	if (!data)
		return EXIT_USAGE;
	d = diag_new();
	status = v->run(data, argv[1], &o, d);
	diag_print(d, stderr);
	diag_free(d);
	data_free(data);
	return status;
}

static void unknown_verb(const char *word)
{
	const char *names[sizeof(verbs) / sizeof(verbs[0])];
	const char *meant;
	unsigned n = 0;

	for (; verbs[n].name; n++)
		names[n] = verbs[n].name;
	names[n] = NULL;
	meant = diag_suggest(word, names);
	fprintf(stderr, "faultline: image: unknown '%s'%s%s%s\n", word,
		meant ? "; did you mean '" : "", meant ? meant : "",
		meant ? "'?" : "");
}

int command_image(int argc, char **argv)
{
	char unused;
	int words;

	for (const struct verb *v = verbs; argc > 1 && v->name; v++)
		if (streq(argv[1], v->name))
			return run_verb(v, argc - 1, argv + 1);
	words = options_parse(&usage, &unused, argc, argv);
	if (words < 0)
		return words == -1 ? EXIT_DONE : EXIT_USAGE;
	if (words)
		unknown_verb(argv[1]);
	fprintf(stderr, "usage: faultline image %s\n", usage.synopsis);
	return EXIT_USAGE;
}
