/*
 * The programs of a scenario: found by name or path, assembled if need be,
 * read and checked on the host before they are installed on the emulated
 * disk.
 *
 * Models      nothing: the emulated kernel reads the images again by itself.
 * Leaves out  scripts and search paths.
 * Seen in     run, background, programs and init of a scenario.
 */
#include "emu/run/programs.h"

#include "emu/bug.h"
#include "emu/run/commands.h"
#include "emu/run/fields.h"
#include "workloads/asm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 64

static bool is_source(const char *path)
{
	size_t n = strlen(path);

	return n >= 2 && streq(path + n - 2, ".s");
}

static const char *base_name(struct data *data, const char *path)
{
	size_t n;
	const char *name = commands_name(path, &n);

	return data_printf(data, "%.*s", (int)n, name);
}

/* A path as the scenario means it: from its own folder. */
static const char *path_from(struct programs *p, const char *path)
{
	const char *slash = p->beside ? strrchr(p->beside, '/') : NULL;

	if (path[0] == '/' || !slash)
		return data_keep(p->data, path);
	return data_printf(p->data, "%.*s%s", (int)(slash - p->beside + 1),
			   p->beside, path);
}

/* Assemble source into a passing file and read that. */
static struct image *assemble(struct programs *p, const char *source,
			      struct diag *d)
{
	const char *tmp = getenv("TMPDIR");
	const char *folder = data_printf(p->data, "%s/faultline-XXXXXX",
					 tmp && *tmp ? tmp : "/tmp");
	char *made = xstrdup(folder);
	struct image *image = NULL;
	const char *out;

	if (!mkdtemp(made)) {
		diag_error(d, (struct diag_place){ source, 0, 0 },
			   "no folder for passing files (TMPDIR)");
		free(made);
		return NULL;
	}
	out = data_printf(p->data, "%s/%s.elf", made,
			  base_name(p->data, source));
	if (asm_file(source, data_folder(p->data, DATA_SOURCE), out, d))
		image = image_read(out, d);
	unlink(out);
	rmdir(made);
	free(made);
	return image;
}

/*
 * A program by path. What is wrong inside is told with places in the file,
 * and once more where the scenario names it.
 */
static struct image *read_named(struct programs *p, const char *path,
				struct diag *d, struct diag_place at)
{
	struct image *image;

	if (access(path, R_OK) != 0) {
		diag_error(d, at, "run: cannot open program '%s': %s", path,
			   strerror(errno));
		return NULL;
	}
	image = is_source(path) ? assemble(p, path, d) : image_read(path, d);
	if (!image)
		diag_error(d, at,
			   "run: program '%s' cannot be used: its errors are "
			   "told beside this one",
			   path);
	return image;
}

static struct image *read_image(struct programs *p, const char *word,
				struct diag *d, struct diag_place at)
{
	const char *path;

	if (commands_is_path(word))
		return read_named(p, path_from(p, word), d, at);
	path = data_find(p->data, DATA_IMAGE, word, NULL);
	if (path)
		return image_read(path, d);
	fields_unknown(d, at, "run", "program", word,
		       data_names(p->data, DATA_IMAGE));
	return NULL;
}

static struct program *find_program(const struct programs *p, const char *name)
{
	for (unsigned i = 0; i < p->count; i++)
		if (streq(p->list[i].name, name))
			return &p->list[i];
	return NULL;
}

bool programs_have(const struct programs *p, const char *name)
{
	return find_program(p, name);
}

/* The file that a word means; NULL: none of ours has that name. */
static const char *path_of(struct programs *p, const char *word)
{
	return commands_is_path(word)
		       ? path_from(p, word)
		       : data_find(p->data, DATA_IMAGE, word, NULL);
}

/* The emulated machine knows programs by their names only. */
static void check_same(const struct program *known, const char *path,
		       struct diag *d, struct diag_place at)
{
	if (!path || !known->path || data_same_file(path, known->path))
		return;
	/* what is missing is complained about elsewhere */
	if (access(path, F_OK) == 0)
		diag_error(d, at,
			   "run: program '%s' is '%s' here and '%s' before: "
			   "one name, two files",
			   known->name, path, known->path);
}

/*
 * The program a word names, read on first use; with image NULL if it could
 * not be read, which was said then.
 */
static struct program *get_program(struct programs *p, const char *word,
				   struct diag *d, struct diag_place at)
{
	const char *name = base_name(p->data, word);
	struct program *known = find_program(p, name);
	const char *path;

	path = path_of(p, word);
	if (known) {
		check_same(known, path, d, at);
		return known;
	}
	p->list = xrealloc(p->list, (p->count + 1) * sizeof(*p->list));
	known = &p->list[p->count++];
	known->name = name;
	known->path = path;
	known->place = at;
	known->image = read_image(p, word, d, at);
	return known;
}

const struct image *programs_add(struct programs *p, const char *word,
				 struct diag *d, struct diag_place at)
{
	return get_program(p, word, d, at)->image;
}

/* Split text at blanks, in place. The number of words; WORDS_MAX + 1: more. */
static unsigned split(char *text, char **words)
{
	unsigned n = 0;
	char *rest = NULL;

	for (char *w = strtok_r(text, " \t\n", &rest); w;
	     w = strtok_r(NULL, " \t\n", &rest)) {
		if (n == WORDS_MAX)
			return WORDS_MAX + 1;
		words[n++] = w;
	}
	return n;
}

const char *programs_command(struct programs *p, const char *text,
			     struct diag *d, struct diag_place at)
{
	char *copy = xstrdup(text), *words[WORDS_MAX];
	unsigned n = split(copy, words);
	int64_t values[IMAGE_PARAMS];
	struct program *program;
	const char *command = text;

	if (n == 0 || n > WORDS_MAX) {
		diag_error(d, at, "run: a command of 1 to %d words is expected",
			   WORDS_MAX);
		goto out;
	}
	program = get_program(p, words[0], d, at);
	if (!program->image)
		goto out;
	if (!program->image->entry)
		diag_error(d, at, "run: '%s' is a library, not a program",
			   program->name);
	else
		image_arguments(program->image, words, n, values, d, at);
	command = data_keep(p->data, program->name);
	for (unsigned i = 1; i < n; i++)
		command = data_printf(p->data, "%s %s", command, words[i]);
out:
	free(copy);
	return command;
}

/*
 * Every image without an entry is a library: programs open them by name, and
 * the scenario does not say which.
 */
void programs_libraries(struct programs *p, struct diag *d)
{
	const char *const *names = data_names(p->data, DATA_IMAGE);

	for (unsigned i = 0; names[i]; i++) {
		const char *path;
		struct image *image;

		if (find_program(p, names[i]))
			continue;
		path = data_find(p->data, DATA_IMAGE, names[i], NULL);
		image = path ? image_read(path, d) : NULL;
		if (!image || image->entry) {
			image_free(image);
			continue;
		}
		p->list = xrealloc(p->list, (p->count + 1) * sizeof(*p->list));
		p->list[p->count++] =
			(struct program){ .name = names[i], .image = image };
	}
}

void programs_finish(struct programs *p)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->list[i].image)
			image_free(p->list[i].image);
	free(p->list);
	p->list = NULL;
	p->count = 0;
}
