/*
 * The user's errors.
 *
 * Models      nothing. Messages are collected and sorted, so that one run
 *             shows every mistake of a scenario in the order of its lines.
 * Leaves out  colour and source excerpts: an editor has both.
 */
#include "emu/diag.h"

#include "emu/bug.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Messages at one place that are looked through for one said before. */
#define REPEATS_MAX 64

struct message {
	struct diag_place at;
	const char *severity;
	char *text;
	unsigned order; /* of arrival, so that sorting is stable */
};

struct diag {
	struct message *messages;
	unsigned count;
	unsigned room;
	unsigned errors;
	char **kept; /* diag_keep's copies */
	unsigned nr_kept;
};

struct diag *diag_new(void)
{
	return xcalloc(1, sizeof(struct diag));
}

static void forget(struct diag *d)
{
	for (unsigned i = 0; i < d->count; i++)
		free(d->messages[i].text);
	d->count = 0;
	d->errors = 0;
}

void diag_free(struct diag *d)
{
	if (!d)
		return;
	forget(d);
	for (unsigned i = 0; i < d->nr_kept; i++)
		free(d->kept[i]);
	free((void *)d->kept);
	free(d->messages);
	free(d);
}

const char *diag_keep(struct diag *d, const char *s)
{
	unsigned n = d->nr_kept;

	/* grows at powers of two */
	if (!(n & (n - 1)))
		d->kept = xrealloc((void *)d->kept,
				   (n ? 2 * n : 1) * sizeof(*d->kept));
	d->kept[d->nr_kept] = xstrdup(s);
	return d->kept[d->nr_kept++];
}

__attribute__((format(printf, 1, 0))) static char *format(const char *fmt,
							  va_list args)
{
	va_list again;
	char *text;
	int length;

	BUG_ON(!fmt);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	BUG_ON(length < 0);
	text = xcalloc(1, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, fmt, args);
	return text;
}

static void add(struct diag *d, struct diag_place at, const char *severity,
		char *text)
{
	if (d->count == d->room) {
		d->room = d->room ? d->room * 2 : 16;
		d->messages =
			xrealloc(d->messages, d->room * sizeof(*d->messages));
	}
	/* A value quoted from a file must not break the line. */
	for (char *c = text; *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	}
	d->messages[d->count] =
		(struct message){ at, severity, text, d->count };
	d->count++;
}

void diag_error(struct diag *d, struct diag_place at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(d, at, "error", format(fmt, args));
	va_end(args);
	d->errors++;
}

void diag_warning(struct diag *d, struct diag_place at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(d, at, "warning", format(fmt, args));
	va_end(args);
}

unsigned diag_errors(const struct diag *d)
{
	return d->errors;
}

static int compare_unsigned(unsigned a, unsigned b)
{
	return (a > b) - (a < b);
}

/* The command line (no file) comes first. */
static int compare_files(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_messages(const void *left, const void *right)
{
	const struct message *a = left;
	const struct message *b = right;
	int order = compare_files(a->at.file, b->at.file);

	if (!order)
		order = compare_unsigned(a->at.line, b->at.line);
	if (!order)
		order = compare_unsigned(a->at.column, b->at.column);
	if (!order)
		order = compare_unsigned(a->order, b->order);
	return order;
}

static void print_message(const struct message *m, FILE *to)
{
	fputs(m->at.file ? m->at.file : "faultline", to);
	if (m->at.file && m->at.line) {
		fprintf(to, ":%u", m->at.line);
		if (m->at.column)
			fprintf(to, ":%u", m->at.column);
	}
	fprintf(to, ": %s: %s\n", m->severity, m->text);
}

/*
 * Was the n-th message, at the same place, printed before? What is read more
 * than once, as the base of several variants is, is wrong once.
 */
static bool repeated(const struct diag *d, unsigned n)
{
	const struct message *m = &d->messages[n];
	unsigned back = n < REPEATS_MAX ? n : REPEATS_MAX;

	for (unsigned i = 1; i <= back; i++) {
		const struct message *other = m - i;

		if (compare_files(other->at.file, m->at.file) ||
		    other->at.line != m->at.line ||
		    other->at.column != m->at.column)
			return false;
		if (!strcmp(other->text, m->text) &&
		    !strcmp(other->severity, m->severity))
			return true;
	}
	return false;
}

void diag_print(struct diag *d, FILE *to)
{
	if (d->count)
		qsort(d->messages, d->count, sizeof(*d->messages),
		      compare_messages);
	for (unsigned i = 0; i < d->count; i++)
		if (!repeated(d, i))
			print_message(&d->messages[i], to);
	forget(d);
}
