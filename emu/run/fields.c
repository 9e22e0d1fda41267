/*
 * Maps of a YAML tree into numbers, texts and structs.
 *
 * Models      nothing: the one place where a wrong key or unit is found.
 * Leaves out  what combinations make sense: the callers know.
 * Seen in     every reader of scenario parts.
 */
#include "emu/run/fields.h"

#include "emu/bug.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_MAX 512
#define LISTED_MAX  24 /* longer lists say less than their suggestion */
#define PAGE_BYTES  4096

static void add_text(char *out, size_t size, const char *text)
{
	size_t used = strlen(out);

	snprintf(out + used, size - used, "%s", text);
}

void fields_unknown(struct diag *d, struct diag_place at, const char *context,
		    const char *what, const char *word,
		    const char *const *names)
{
	const char *meant = diag_suggest(word, names);
	char list[MESSAGE_MAX] = "";
	unsigned n = 0;

	while (names[n])
		n++;
	for (unsigned i = 0; n <= LISTED_MAX && i < n; i++) {
		add_text(list, sizeof(list), i ? ", " : " (");
		add_text(list, sizeof(list), names[i]);
	}
	diag_error(d, at, "%s: unknown %s '%s'%s%s%s%s%s", context, what, word,
		   list, *list ? ")" : "", meant ? "; did you mean '" : "",
		   meant ? meant : "", meant ? "'?" : "");
}

static bool listed(const char *word, const char *const *names)
{
	for (unsigned i = 0; names[i]; i++)
		if (streq(word, names[i]))
			return true;
	return false;
}

static bool is_map(const struct yaml *y, const char *context, struct diag *d)
{
	if (!y || y->kind == YAML_MAP)
		return y;
	diag_error(d, y->place, "%s: a mapping is expected", context);
	return false;
}

struct fields fields_of(const struct yaml *y, const char *context,
			const char *const *known, struct diag *d)
{
	struct fields f = { NULL, context, d };

	if (!is_map(y, context, d))
		return f;
	f.map = y;
	for (unsigned i = 0; i < y->count; i++)
		if (!listed(y->key[i]->text, known))
			fields_unknown(d, y->key[i]->place, context, "key",
				       y->key[i]->text, known);
	return f;
}

/* The names of a table and the others, for a suggestion. To be freed. */
static const char **all_names(const struct param *table,
			      const char *const *others)
{
	size_t n = 0;
	const char **names;

	for (const struct param *p = table; p->type != PARAM_END; p++)
		n++;
	for (unsigned i = 0; others[i]; i++)
		n++;
	names = xcalloc(n + 1, sizeof(char *));
	n = 0;
	for (const struct param *p = table; p->type != PARAM_END; p++)
		names[n++] = p->key;
	for (unsigned i = 0; others[i]; i++)
		names[n++] = others[i];
	return names;
}

void fields_table(const struct yaml *y, const char *context,
		  const struct param *table, void *base,
		  const char *const *others, struct diag *d)
{
	const char **names = all_names(table, others);
	struct fields f = fields_of(y, context, names, d);

	for (unsigned i = 0; f.map && i < f.map->count; i++) {
		const char *key = f.map->key[i]->text;
		const struct yaml *value = f.map->item[i];

		if (listed(key, others) || !listed(key, names))
			continue;
		if (value->kind != YAML_SCALAR)
			diag_error(d, value->place,
				   "%s: %s: one value is expected", context,
				   key);
		else
			param_set(table, base, key, value->text, context, d,
				  value->place);
	}
	free(names);
}

static struct diag_place place_of(const struct fields *f, const char *key)
{
	static const struct diag_place nowhere;
	const struct yaml *y = f->map ? yaml_get(f->map, key) : NULL;

	if (y)
		return y->place;
	return f->map ? f->map->place : nowhere;
}

void fields_error(const struct fields *f, const char *key, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diag_error(f->d, place_of(f, key), "%s: %s", f->context, text);
}

const char *fields_text(const struct fields *f, const char *key)
{
	const struct yaml *y = f->map ? yaml_get(f->map, key) : NULL;

	if (!y)
		return NULL;
	if (y->kind == YAML_SCALAR)
		return y->text;
	fields_error(f, key, "%s: one value is expected", key);
	return NULL;
}

int64_t fields_number(const struct fields *f, const char *key,
		      enum param_type type, int64_t def)
{
	const char *text = fields_text(f, key);
	char context[MESSAGE_MAX];
	int64_t value;

	if (!text)
		return def;
	snprintf(context, sizeof(context), "%s: %s", f->context, key);
	if (param_parse(type, text, &value, context, f->d, place_of(f, key)))
		return value;
	return def;
}

int fields_choice(const struct fields *f, const char *key,
		  const char *const *names, int def)
{
	const char *text = fields_text(f, key);

	if (!text)
		return def;
	for (int i = 0; names[i]; i++)
		if (streq(text, names[i]))
			return i;
	fields_unknown(f->d, place_of(f, key), f->context, key, text, names);
	return def;
}

/* "9168 pages" into bytes; false if it is not written like that. */
static bool parse_pages(const char *text, int64_t *bytes)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || n > UINT32_MAX)
		return false;
	end += strspn(end, " ");
	if (!streq(end, "pages") && !streq(end, "page"))
		return false;
	*bytes = (int64_t)n * PAGE_BYTES;
	return true;
}

int64_t fields_bytes(const struct fields *f, const char *key, int64_t def)
{
	const char *text = fields_text(f, key);
	int64_t bytes;

	if (text && parse_pages(text, &bytes))
		return bytes;
	return fields_number(f, key, PARAM_SIZE, def);
}
