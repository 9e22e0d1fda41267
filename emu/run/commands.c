/*
 * Paths of programs in a scenario: from its own folder as it is written,
 * absolute to be printed, gone in its hash.
 *
 * Models      nothing: this is the host's side.
 * Leaves out  reading the programs: programs.c.
 * Seen in     --print-config, and the scenario's hash.
 */
#include "emu/run/commands.h"

#include "emu/bug.h"
#include "emu/run/fields.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

/* Replaces the first word of commands. */
struct walk {
	/* the new word, to be freed; NULL: leave it */
	char *(*rename)(const struct walk *w, const char *word,
			struct diag_place at);
	const char *folder; /* absolute, of the scenario */
	struct diag *d;
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && streq(s + n - m, end);
}

bool commands_is_path(const char *word)
{
	return strchr(word, '/') || ends_with(word, ".s") ||
	       ends_with(word, ".elf");
}

const char *commands_name(const char *path, size_t *n)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	*n = strlen(name);
	if (ends_with(name, ".s"))
		*n -= 2;
	else if (ends_with(name, ".elf"))
		*n -= 4;
	return name;
}

/* Text of three parts, to be freed. */
static char *join(const char *a, const char *b, const char *c)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = xcalloc(size, 1);

	snprintf(text, size, "%s%s%s", a, b, c);
	return text;
}

static void rename_command(const struct walk *w, struct yaml *y)
{
	const char *start, *rest;
	char *word, *other, *whole;

	if (!y || y->kind != YAML_SCALAR)
		return;
	start = y->text + strspn(y->text, BLANKS);
	rest = start + strcspn(start, BLANKS);
	word = xstrdup(start);
	word[rest - start] = '\0';
	other = commands_is_path(word) ? w->rename(w, word, y->place) : NULL;
	if (other) {
		whole = join(other, rest, "");
		free(y->text);
		y->text = whole;
	}
	free(other);
	free(word);
}

static void rename_lines(const struct walk *w, const struct yaml *list)
{
	for (unsigned i = 0; list && i < list->count; i++) {
		rename_command(w, yaml_get(list->item[i], "time"));
		rename_command(w, yaml_get(list->item[i], "start"));
	}
}

/* Every place where script.c looks for a program. */
static void rename_all(const struct walk *w, const struct yaml *tree)
{
	const struct yaml *background = yaml_get(tree, "background");
	const struct yaml *programs = yaml_get(tree, "programs");

	rename_command(w, yaml_get(tree, "init"));
	rename_command(w, yaml_get(background, "init"));
	rename_lines(w, yaml_get(background, "programs"));
	rename_lines(w, yaml_get(tree, "run"));
	for (unsigned i = 0; programs && i < programs->count; i++)
		rename_command(w, programs->item[i]);
}

static char *absolute(const struct walk *w, const char *word,
		      struct diag_place at)
{
	if (*word == '/')
		return NULL;
	if (w->folder && !w->folder[strcspn(w->folder, BLANKS)])
		return join(w->folder, "/", word);
	diag_warning(w->d, at,
		     "'%s' stays relative in what is printed: a command cannot "
		     "have the name of its folder",
		     word);
	return NULL;
}

void commands_absolute(struct yaml *tree, const char *path, struct diag *d)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? xstrdup(path) : xstrdup(".");
	struct walk w = { .rename = absolute, .d = d };
	char whole[PATH_MAX];

	/* the root keeps its slash */
	if (slash)
		folder[slash == path ? 1 : slash - path] = '\0';
	w.folder = realpath(folder, whole);
	rename_all(&w, tree);
	free(folder);
}

static char *plain(const struct walk *w, const char *word, struct diag_place at)
{
	size_t n;
	const char *name = commands_name(word, &n);
	char *copy = xstrdup(name);

	(void)w;
	(void)at;
	copy[n] = '\0';
	return copy;
}

void commands_plain(struct yaml *tree)
{
	const struct walk w = { .rename = plain };

	rename_all(&w, tree);
}
