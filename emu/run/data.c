/*
 * Looking up data files by name.
 *
 * Models      nothing: this is the host's side.
 * Leaves out  user folders and search paths: a scenario names a file by its
 *             path, or one of ours by its name.
 * Seen in     every command.
 */
#include "emu/run/data.h"

#include "emu/bug.h"
#include "emu/run/config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct data {
	const char *folder[DATA_KINDS];
	char **kept; /* texts that were handed out */
	size_t nr_kept;
	const char ***lists; /* from data_names */
	size_t nr_lists;
};

static const char *const suffix[DATA_KINDS] = { ".yaml", ".yaml", ".yaml",
						".yaml", ".elf",  ".s" };

/* Folders below a data folder. */
static const char *const installed[DATA_KINDS] = { "scenarios",
						   "scenarios/machines",
						   "scenarios/backgrounds",
						   "drives",
						   "images",
						   "source" };

static const char *keep(struct data *data, char *text)
{
	size_t n = data->nr_kept;

	/* grows at powers of two */
	if (!(n & (n - 1)))
		data->kept =
			xrealloc(data->kept, (n ? 2 * n : 1) * sizeof(char *));
	data->kept[data->nr_kept++] = text;
	return text;
}

const char *data_keep(struct data *data, const char *text)
{
	return keep(data, xstrdup(text));
}

const char *data_printf(struct data *data, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	BUG_ON(!fmt);
	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	BUG_ON(n < 0);
	text = xcalloc((size_t)n + 1, 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return keep(data, text);
}

/* The running program's path into out; false where the host hides it. */
static bool own_path(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);

	if (n <= 0)
		return false;
	out[n] = '\0';
	return true;
}

static void use_trees(struct data *data, const char *source, const char *build)
{
	data->folder[DATA_SCENARIO] = data_printf(data, "%s/scenarios", source);
	data->folder[DATA_MACHINE] =
		data_printf(data, "%s/scenarios/machines", source);
	data->folder[DATA_BACKGROUND] =
		data_printf(data, "%s/scenarios/backgrounds", source);
	data->folder[DATA_DRIVE] = data_printf(data, "%s/disk/drives", source);
	data->folder[DATA_IMAGE] = data_printf(data, "%s/workloads", build);
	data->folder[DATA_SOURCE] = data_printf(data, "%s/workloads", source);
}

/* A line of a file without its end. False at the end of the file. */
static bool read_line(FILE *f, char *line, int size)
{
	if (!fgets(line, size, f))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

/*
 * Does the program run from the build tree? Then the build left a file beside
 * it that says where the trees are. It is never installed, so that an
 * installed program knows no folder but its own.
 */
static bool use_build_tree(struct data *data, const char *self)
{
	const char *slash = strrchr(self, '/');
	char source[PATH_MAX], build[PATH_MAX];
	bool good;
	FILE *f = fopen(data_printf(data, "%.*s/faultline-tree",
				    (int)(slash - self), self),
			"r");

	if (!f)
		return false;
	good = read_line(f, source, sizeof(source)) &&
	       read_line(f, build, sizeof(build)) && access(source, R_OK) == 0;
	fclose(f);
	if (good)
		use_trees(data, source, build);
	return good;
}

static void use_folder(struct data *data, const char *root)
{
	for (unsigned i = 0; i < DATA_KINDS; i++)
		data->folder[i] =
			data_printf(data, "%s/%s", root, installed[i]);
}

/* The data folder that was moved together with the program, if it was. */
static const char *moved_folder(struct data *data, const char *self)
{
	const char *slash = strrchr(self, '/');
	const char *root = data_printf(data, "%.*s/../share/faultline",
				       (int)(slash - self), self);

	return access(root, R_OK) == 0 ? root : NULL;
}

struct data *data_new(void)
{
	struct data *data = xcalloc(1, sizeof(*data));
	const char *env = getenv("FAULTLINE_DATA");
	const char *root = NULL;
	char self[PATH_MAX];

	if (env && *env) {
		use_folder(data, env);
		return data;
	}
	if (own_path(self, sizeof(self))) {
		if (use_build_tree(data, self))
			return data;
		root = moved_folder(data, self);
	}
	use_folder(data, root ? root : FAULTLINE_DATADIR);
	return data;
}

struct data *data_open(void)
{
	struct data *data = data_new();
	const char *env = getenv("FAULTLINE_DATA");
	const char *folder = data->folder[DATA_SCENARIO];

	if (!env || !*env || access(folder, R_OK) == 0)
		return data;
	fprintf(stderr, "faultline: FAULTLINE_DATA: cannot open '%s': %s\n",
		folder, strerror(errno));
	data_free(data);
	return NULL;
}

void data_free(struct data *data)
{
	if (!data)
		return;
	for (size_t i = 0; i < data->nr_kept; i++)
		free(data->kept[i]);
	for (size_t i = 0; i < data->nr_lists; i++)
		free(data->lists[i]);
	free(data->kept);
	free(data->lists);
	free(data);
}

const char *data_folder(const struct data *data, enum data_kind kind)
{
	return data->folder[kind];
}

const char *data_find(struct data *data, enum data_kind kind, const char *name,
		      const char *beside)
{
	const char *path, *slash = beside ? strrchr(beside, '/') : NULL;

	if (!*name)
		return NULL;
	if (beside) {
		path = data_printf(data, "%.*s%s%s",
				   slash ? (int)(slash - beside + 1) : 0,
				   beside, name, suffix[kind]);
		if (access(path, R_OK) == 0)
			return path;
	}
	path = data_printf(data, "%s/%s%s", data->folder[kind], name,
			   suffix[kind]);
	return access(path, R_OK) == 0 ? path : NULL;
}

const char *data_about(struct data *data, const char *program)
{
	const char *path = data_find(data, DATA_SOURCE, program, NULL);
	FILE *f = path ? fopen(path, "r") : NULL;
	char line[256] = "";
	const char *text;

	if (!f)
		return "";
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	text = strstr(line, ": ");
	return *line == ';' && text ? data_keep(data, text + 2) : "";
}

bool data_same_file(const char *a, const char *b)
{
	struct stat one, two;

	return !stat(a, &one) && !stat(b, &two) && one.st_dev == two.st_dev &&
	       one.st_ino == two.st_ino;
}

/*
 * Lists
 */

struct names {
	struct data *data;
	enum data_kind kind;
	const char **name;
	size_t count;
};

static void add_name(struct names *n, const char *name)
{
	n->name = xrealloc(n->name, (n->count + 2) * sizeof(char *));
	n->name[n->count++] = name;
	n->name[n->count] = NULL;
}

/* Scenarios stand in folders; machines and backgrounds are not scenarios. */
static bool is_scenario_folder(const struct names *n, const struct dirent *e)
{
	return n->kind == DATA_SCENARIO && e->d_type == DT_DIR &&
	       e->d_name[0] != '.' && strcmp(e->d_name, "machines") != 0 &&
	       strcmp(e->d_name, "backgrounds") != 0;
}

static void add_entry(struct names *n, const char *prefix, const char *file)
{
	size_t length = strlen(file), tail = strlen(suffix[n->kind]);

	if (length <= tail || file[0] == '.' ||
	    strcmp(file + length - tail, suffix[n->kind]) != 0)
		return;
	add_name(n, data_printf(n->data, "%s%.*s", prefix, (int)(length - tail),
				file));
}

static void add_folder(struct names *n, const char *path, const char *prefix)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	if (!dir)
		return;
	while ((e = readdir(dir))) {
		if (is_scenario_folder(n, e) && !*prefix)
			add_folder(
				n,
				data_printf(n->data, "%s/%s", path, e->d_name),
				data_printf(n->data, "%s/", e->d_name));
		else
			add_entry(n, prefix, e->d_name);
	}
	closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *data_names(struct data *data, enum data_kind kind)
{
	struct names n = { .data = data, .kind = kind };

	n.name = xcalloc(1, sizeof(char *));
	add_folder(&n, data->folder[kind], "");
	qsort(n.name, n.count, sizeof(char *), by_name);
	data->lists =
		xrealloc(data->lists, (data->nr_lists + 1) * sizeof(char **));
	data->lists[data->nr_lists++] = n.name;
	return n.name;
}
