/*
 * Option tables: text into the fields of a struct, and back.
 *
 * Models      nothing. One table per policy, drive or machine is the only
 *             place where an option is described.
 * Leaves out  nested options and lists: the scenario reader has the tree.
 */
#include "emu/param.h"

#include "emu/bug.h"
#include "emu/quantity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_MAX	  512
#define KEYS_MAX  64
#define RANGE_MAX 48

static bool equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static void *field_of(const struct param *p, void *base)
{
	return (char *)base + p->offset;
}

static const struct quantity *quantity_of(enum param_type type)
{
	switch (type) {
	case PARAM_INT:
		return &quantity_int;
	case PARAM_TIME:
		return &quantity_time;
	case PARAM_SIZE:
		return &quantity_size;
	case PARAM_FREQ:
		return &quantity_freq;
	case PARAM_CYCLES:
		return &quantity_cycles;
	default:
		return NULL;
	}
}

static bool parse_bool(const char *text, int64_t *out, char *why, size_t size)
{
	static const char *const words[] = { "false", "true", "no", "yes",
					     "off",   "on",   NULL };

	for (int i = 0; words[i]; i++) {
		if (equal(text, words[i])) {
			*out = i & 1;
			return true;
		}
	}
	snprintf(why, size, "'%s' is neither true nor false", text);
	return false;
}

/* Add formatted text at the end of what out holds; cut off if need be. */
__attribute__((format(printf, 3, 4))) static void append(char *out, size_t size,
							 const char *fmt, ...)
{
	size_t used = strlen(out);
	va_list args;

	va_start(args, fmt);
	vsnprintf(out + used, size - used, fmt, args);
	va_end(args);
}

/* "'prio' (none, timeout, priority); did you mean 'priority'?" */
static void explain_choice(const char *word, const char *const *names,
			   char *out, size_t size)
{
	const char *meant = diag_suggest(word, names);

	snprintf(out, size, "'%s'", word);
	for (const char *const *name = names; *name; name++)
		append(out, size, "%s%s", name == names ? " (" : ", ", *name);
	if (*names)
		append(out, size, ")");
	if (meant)
		append(out, size, "; did you mean '%s'?", meant);
}

static bool parse_enum(const struct param *p, const char *text, int64_t *out,
		       char *why, size_t size)
{
	for (int i = 0; p->names[i]; i++) {
		if (equal(text, p->names[i])) {
			*out = i;
			return true;
		}
	}
	snprintf(why, size, "unknown %s ", p->key);
	explain_choice(text, p->names, why + strlen(why), size - strlen(why));
	return false;
}

/* The bounds of a field's values; only a plain number may be negative. */
static void range_of(const struct param *p, int64_t *min, int64_t *max)
{
	*min = p->min;
	*max = p->max;
	if (*min || *max)
		return;
	*min = p->type == PARAM_INT ? INT64_MIN : 0;
	*max = INT64_MAX;
}

static bool check_range(const struct param *p, const char *text, int64_t value,
			char *why, size_t size)
{
	const struct quantity *q = quantity_of(p->type);
	char low[RANGE_MAX];
	char high[RANGE_MAX];
	int64_t min;
	int64_t max;

	range_of(p, &min, &max);
	if (value >= min && value <= max)
		return true;
	quantity_print(q, min, low, sizeof(low));
	quantity_print(q, max, high, sizeof(high));
	if (max == INT64_MAX)
		snprintf(why, size, "%s is too small: at least %s", text, low);
	else
		snprintf(why, size, "%s is out of range: %s to %s", text, low,
			 high);
	return false;
}

/* Everything but strings. False with a reason in why. */
static bool parse_number(const struct param *p, const char *text, int64_t *out,
			 char *why, size_t size)
{
	const struct quantity *q = quantity_of(p->type);

	if (p->type == PARAM_BOOL)
		return parse_bool(text, out, why, size);
	if (p->type == PARAM_ENUM)
		return parse_enum(p, text, out, why, size);
	BUG_ON(!q);
	return quantity_parse(q, text, out, why, size) &&
	       check_range(p, text, *out, why, size);
}

static void store_number(const struct param *p, void *base, int64_t value)
{
	void *field = field_of(p, base);

	if (p->type == PARAM_BOOL)
		*(bool *)field = value != 0;
	else if (p->type == PARAM_ENUM)
		*(int *)field = (int)value;
	else
		*(int64_t *)field = value;
}

void param_defaults(const struct param *table, void *base)
{
	for (const struct param *p = table; p->type != PARAM_END; p++) {
		char why[WHY_MAX];
		int64_t value;

		BUG_ON(!p->key);
		if (p->type == PARAM_STRING) {
			*(char **)field_of(p, base) =
				xstrdup(p->def ? p->def : "");
			continue;
		}
		BUG_ON(!p->def);
		BUG_ON(!parse_number(p, p->def, &value, why, sizeof(why)));
		store_number(p, base, value);
	}
}

static const struct param *find(const struct param *table, const char *key)
{
	for (const struct param *p = table; p->type != PARAM_END; p++) {
		if (equal(p->key, key))
			return p;
	}
	return NULL;
}

static void unknown_key(const struct param *table, const char *key,
			const char *context, struct diag *d,
			struct diag_place at)
{
	const char *keys[KEYS_MAX + 1];
	char choice[WHY_MAX];
	unsigned count = 0;

	for (const struct param *p = table; p->type != PARAM_END; p++) {
		BUG_ON(count == KEYS_MAX);
		keys[count++] = p->key;
	}
	keys[count] = NULL;
	explain_choice(key, keys, choice, sizeof(choice));
	diag_error(d, at, "%s: unknown key %s", context, choice);
}

/* The place of a message makes one more than six. */
bool param_set(/* NOLINT(readability-function-size) */
	       const struct param *table, void *base, const char *key,
	       const char *value, const char *context, struct diag *d,
	       struct diag_place at)
{
	const struct param *p = find(table, key);
	char why[WHY_MAX];
	int64_t number;

	if (!p) {
		unknown_key(table, key, context, d, at);
		return false;
	}
	if (p->type == PARAM_STRING) {
		char **field = field_of(p, base);

		free(*field);
		*field = xstrdup(value);
		return true;
	}
	if (parse_number(p, value, &number, why, sizeof(why))) {
		store_number(p, base, number);
		return true;
	}
	if (p->type == PARAM_ENUM)
		diag_error(d, at, "%s: %s", context, why);
	else
		diag_error(d, at, "%s: %s: %s", context, key, why);
	return false;
}

bool param_parse(enum param_type type, const char *value, int64_t *out,
		 const char *context, struct diag *d, struct diag_place at)
{
	const struct param p = { .type = type };
	char why[WHY_MAX];
	int64_t number;

	BUG_ON(type == PARAM_ENUM || type == PARAM_STRING);
	if (!parse_number(&p, value, &number, why, sizeof(why))) {
		diag_error(d, at, "%s: %s", context, why);
		return false;
	}
	*out = number;
	return true;
}

void param_print(const struct param *p, const void *base, char *out,
		 size_t size)
{
	const void *field = (const char *)base + p->offset;
	const char *text = NULL;

	if (p->type == PARAM_BOOL)
		text = *(const bool *)field ? "true" : "false";
	else if (p->type == PARAM_ENUM)
		text = p->names[*(const int *)field];
	else if (p->type == PARAM_STRING)
		text = *(char *const *)field;

	if (text)
		snprintf(out, size, "%s", text);
	else
		quantity_print(quantity_of(p->type), *(const int64_t *)field,
			       out, size);
}

void param_finish(const struct param *table, void *base)
{
	for (const struct param *p = table; p->type != PARAM_END; p++) {
		if (p->type == PARAM_STRING) {
			char **field = field_of(p, base);

			free(*field);
			*field = NULL;
		}
	}
}
