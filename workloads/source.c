/*
 * The text of a program: files, includes and macros, as one list of lines.
 *
 * A macro is text: .macro NAME a, b ... .endm; in its body \a is the first
 * argument and \@ a number of each use, for labels. Lines that come from a
 * macro are placed where it was used, because that is where they are wrong.
 *
 * Leaves out conditions and repetitions: programs are short.
 */
#include "workloads/assembler.h"

#include "emu/bug.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MACRO_ARGUMENTS 8
#define DEPTH_MAX	16
#define FILE_SIZE_MAX	(4L << 20)
#define LINES_MAX	1000000u
#define LINE_LENGTH	512

struct source_macro {
	char *name;
	char *argument[MACRO_ARGUMENTS];
	unsigned nr_arguments;
	char **body;
	unsigned nr_body;
	bool open; /* its .endm has not been seen */
	struct diag_place at;
};

static void read_file(struct source *s, const char *path,
		      struct diag_place from);
static void take_line(struct source *s, struct diag_place at, const char *macro,
		      const char *text);

bool text_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static size_t name_length(const char *p)
{
	size_t n = 0;

	while (name_char(p[n]))
		n++;
	return n;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* Cut a comment and trailing blanks off, in place. */
static void strip(char *line)
{
	char quote = 0;
	char *p = line;

	for (; *p; p++) {
		if (quote && *p == '\\' && p[1])
			p++;
		else if (quote && *p == quote)
			quote = 0;
		else if (!quote && (*p == '"' || *p == '\''))
			quote = *p;
		else if (!quote && (*p == ';' || *p == '#'))
			break;
	}
	while (p > line && isspace((unsigned char)p[-1]))
		p--;
	*p = 0;
}

/* Add what begins at body, of a line whose whole text is text. */
static void add_line(struct source *s, struct diag_place at, const char *macro,
		     const char *text, const char *body)
{
	struct source_line *l;

	if (!*skip_blanks(body))
		return;
	if (s->nr_lines == LINES_MAX) {
		diag_error(s->d, at, "more than %u lines after macros",
			   LINES_MAX);
		s->stopped = true;
		return;
	}
	if (s->nr_lines == s->lines_room) {
		s->lines_room = s->lines_room ? 2 * s->lines_room : 256;
		s->line = xrealloc(s->line, s->lines_room * sizeof(*s->line));
	}
	l = &s->line[s->nr_lines++];
	*l = (struct source_line){ .at = at, .macro = macro };
	l->text = xstrdup(body);
	l->before = (unsigned)(body - text);
}

static struct source_macro *find_macro(struct source *s, const char *name,
				       size_t length)
{
	for (unsigned i = 0; i < s->nr_macros; i++) {
		struct source_macro *m = &s->macro[i];

		if (strlen(m->name) == length &&
		    memcmp(m->name, name, length) == 0)
			return m;
	}
	return NULL;
}

static char *copy_text(const char *from, size_t length)
{
	char *copy = xcalloc(length + 1, 1);

	memcpy(copy, from, length);
	return copy;
}

static void start_macro(struct source *s, struct diag_place at, const char *p)
{
	struct source_macro *m;
	size_t n;

	p = skip_blanks(p);
	n = name_length(p);
	if (!n || find_macro(s, p, n)) {
		diag_error(s->d, at,
			   n ? "macro '%.*s' exists already"
			     : "a macro needs a name%.*s",
			   (int)n, p);
	}
	s->macro = xrealloc(s->macro, (s->nr_macros + 1) * sizeof(*s->macro));
	m = &s->macro[s->nr_macros++];
	*m = (struct source_macro){ .name = copy_text(p, n),
				    .open = true,
				    .at = at };
	for (p = skip_blanks(p + n); *p; p = skip_blanks(p)) {
		if (*p == '\\' || *p == ',') {
			p++;
			continue;
		}
		n = name_length(p);
		if (!n || m->nr_arguments == MACRO_ARGUMENTS) {
			diag_error(s->d, at, "macro '%s': bad argument list",
				   m->name);
			return;
		}
		m->argument[m->nr_arguments++] = copy_text(p, n);
		p += n;
	}
}

static void grow_macro(struct source_macro *m, const char *text)
{
	m->body = xrealloc(m->body, (m->nr_body + 1) * sizeof(*m->body));
	m->body[m->nr_body++] = xstrdup(text);
}

/* The place behind an argument that begins at p. */
static const char *argument_end(const char *p)
{
	bool quoted = false;

	for (; *p && (quoted || *p != ','); p++) {
		if (*p == '"')
			quoted = !quoted;
	}
	return p;
}

/*
 * What \NAME at p stands for: the longest argument whose name is there, so
 * that more text may follow. *length is that of NAME.
 */
static const char *argument_value(const struct source_macro *m, const char *p,
				  char *const *given, size_t *length)
{
	const char *value = NULL;

	*length = 0;
	for (unsigned i = 0; i < m->nr_arguments; i++) {
		size_t n = strlen(m->argument[i]);

		if (n > *length && strncmp(p, m->argument[i], n) == 0) {
			*length = n;
			value = given[i];
		}
	}
	return value;
}

/* One line of a body with its arguments; use is what \@ stands for. */
static void substitute(const struct source_macro *m, unsigned use,
		       const char *p, char *const *given, char out[LINE_LENGTH])
{
	char number[16];
	size_t used = 0;

	(void)snprintf(number, sizeof(number), "%u", use);
	while (*p && used < LINE_LENGTH - 1) {
		const char *value = NULL;
		size_t n = 1;

		if (*p == '\\' && p[1] == '@')
			value = number;
		else if (*p == '\\')
			value = argument_value(m, p + 1, given, &n);
		if (!value) {
			out[used++] = *p++;
			continue;
		}
		p += 1 + n;
		while (*value && used < LINE_LENGTH - 1)
			out[used++] = *value++;
	}
	out[used] = 0;
}

static bool descend(struct source *s, struct diag_place at)
{
	if (s->depth < DEPTH_MAX && s->expansions < LINES_MAX) {
		s->depth++;
		return true;
	}
	diag_error(s->d, at, "macros or includes nest too deep");
	s->stopped = true;
	return false;
}

static void expand_body(struct source *s, unsigned macro, struct diag_place at,
			char *const *given)
{
	unsigned use = ++s->expansions;
	char line[LINE_LENGTH];

	/* s->macro may move: a body may define macros */
	for (unsigned i = 0; i < s->macro[macro].nr_body; i++) {
		substitute(&s->macro[macro], use, s->macro[macro].body[i],
			   given, line);
		take_line(s, at, s->macro[macro].name, line);
	}
}

static void expand(struct source *s, unsigned macro, struct diag_place at,
		   const char *p)
{
	char *given[MACRO_ARGUMENTS] = { NULL };
	unsigned nr = 0;

	for (p = skip_blanks(p); *p && nr < MACRO_ARGUMENTS;) {
		const char *end = argument_end(p);

		given[nr] = copy_text(p, (size_t)(end - p));
		strip(given[nr++]);
		p = *end ? skip_blanks(end + 1) : end;
	}
	if (nr != s->macro[macro].nr_arguments || *p) {
		diag_error(s->d, at, "macro '%s' takes %u arguments",
			   s->macro[macro].name, s->macro[macro].nr_arguments);
	} else if (descend(s, at)) {
		expand_body(s, macro, at, given);
		s->depth--;
	}
	for (unsigned i = 0; i < nr; i++)
		free(given[i]);
}

/* The file named in quotes at p, beside the including file or in the dir. */
static void include(struct source *s, struct diag_place at, const char *p)
{
	const char *slash = strrchr(at.file, '/');
	const char *end;
	char path[1024];
	FILE *f;

	p = skip_blanks(p);
	end = *p == '"' ? strchr(p + 1, '"') : NULL;
	if (!end) {
		diag_error(s->d, at, ".include needs a file name in quotes");
		return;
	}
	(void)snprintf(path, sizeof(path), "%.*s%.*s",
		       slash ? (int)(slash + 1 - at.file) : 0, at.file,
		       (int)(end - p - 1), p + 1);
	f = fopen(path, "r");
	if (f)
		(void)fclose(f);
	else if (s->include_dir)
		(void)snprintf(path, sizeof(path), "%s/%.*s", s->include_dir,
			       (int)(end - p - 1), p + 1);
	if (!descend(s, at))
		return;
	read_file(s, diag_keep(s->d, path), at);
	s->depth--;
}

/* Labels stand on lines of their own from here on. */
static const char *take_label(struct source *s, struct diag_place at,
			      const char *macro, const char *p)
{
	size_t n = name_length(p);
	char label[LINE_LENGTH];

	if (!n || p[n] != ':' || n + 2 > sizeof(label))
		return p;
	(void)snprintf(label, sizeof(label), "%.*s:", (int)n, p);
	add_line(s, at, macro, label, label);
	return skip_blanks(p + n + 1);
}

static bool word_is(const char *p, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(p, word, length) == 0;
}

static void take_line(struct source *s, struct diag_place at, const char *macro,
		      const char *text)
{
	struct source_macro *open = NULL;
	struct diag_place here; /* with the column, if there is one */
	const char *p = skip_blanks(text);
	const char *body;
	size_t n;

	if (s->stopped)
		return;
	if (s->nr_macros && s->macro[s->nr_macros - 1].open)
		open = &s->macro[s->nr_macros - 1];
	n = name_length(p);
	if (open) {
		if (word_is(p, n, ".endm"))
			open->open = false;
		else
			grow_macro(open, text);
		return;
	}
	body = take_label(s, at, macro, p);
	n = name_length(body);
	here = at;
	if (!macro)
		here.column = (unsigned)(body - text) + 1;
	if (word_is(body, n, ".macro")) {
		start_macro(s, here, body + n);
	} else if (word_is(body, n, ".include")) {
		include(s, here, body + n);
	} else if (word_is(body, n, ".endm")) {
		diag_error(s->d, here, "'.endm' without a '.macro' before it");
	} else {
		struct source_macro *m = find_macro(s, body, n);

		if (m)
			expand(s, (unsigned)(m - s->macro), here, body + n);
		else
			add_line(s, at, macro, text, body);
	}
}

/* Would writing the output destroy this source? */
static bool is_output(const struct source *s, const struct stat *source)
{
	struct stat st;

	return s->out && !stat(s->out, &st) && st.st_dev == source->st_dev &&
	       st.st_ino == source->st_ino;
}

/* The whole file as a string, NULL after an error. */
static char *load(struct source *s, const char *path, struct diag_place from)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	struct stat st;
	size_t n;

	if (!f) {
		diag_error(s->d, from, "cannot open '%s': %s", path,
			   strerror(errno));
		return NULL;
	}
	/* a pipe or terminal might never end */
	if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
		diag_error(s->d, from, "'%s' is not a file", path);
		(void)fclose(f);
		return NULL;
	}
	if (is_output(s, &st))
		diag_error(s->d, from,
			   "'%s' is a source and would be overwritten", path);
	text = xcalloc(FILE_SIZE_MAX + 1, 1);
	n = fread(text, 1, FILE_SIZE_MAX + 1, f);
	if (ferror(f) || n > FILE_SIZE_MAX || memchr(text, 0, n)) {
		diag_error(s->d, from, "'%s' is not a readable text file",
			   path);
		free(text);
		text = NULL;
	}
	(void)fclose(f);
	return text ? xrealloc(text, n + 1) : NULL;
}

static void read_file(struct source *s, const char *path,
		      struct diag_place from)
{
	struct diag_place at = { .file = path };
	char *text = load(s, path, from);
	char *next = text;

	if (!text)
		return;
	/* editors of some systems put a mark of UTF-8 there */
	if (strncmp(next, "\xef\xbb\xbf", 3) == 0)
		next += 3;
	while (next) {
		char *line = next;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		at.line++;
		strip(line);
		if (strlen(line) >= LINE_LENGTH)
			diag_error(s->d, at, "line too long (at most %d)",
				   LINE_LENGTH - 1);
		else
			take_line(s, at, NULL, line);
	}
	free(text);
}

void source_read(struct source *s, const char *path, struct diag *d)
{
	*s = (struct source){ .include_dir = s->include_dir,
			      .out = s->out,
			      .d = d };
	read_file(s, path, (struct diag_place){ .file = path });
	if (s->nr_macros && s->macro[s->nr_macros - 1].open)
		diag_error(d, s->macro[s->nr_macros - 1].at,
			   "macro '%s' has no .endm",
			   s->macro[s->nr_macros - 1].name);
}

void source_finish(struct source *s)
{
	for (unsigned i = 0; i < s->nr_lines; i++)
		free(s->line[i].text);
	for (unsigned i = 0; i < s->nr_macros; i++) {
		struct source_macro *m = &s->macro[i];

		for (unsigned j = 0; j < m->nr_body; j++)
			free(m->body[j]);
		for (unsigned j = 0; j < m->nr_arguments; j++)
			free(m->argument[j]);
		free((void *)m->body);
		free(m->name);
	}
	free(s->macro);
	free(s->line);
	*s = (struct source){ .d = s->d };
}
