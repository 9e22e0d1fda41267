/*
 * Reading maps of a YAML tree: known keys, values with units, tables.
 */
#pragma once

#include "emu/param.h"
#include "emu/run/yaml.h"

/* Where reading stands: what messages call the map, and where they go. */
struct fields {
	const struct yaml *map; /* NULL reads as a map without keys */
	const char *context;
	struct diag *d;
};

/*
 * The map y is meant to be, or one without keys after an error; y may be
 * NULL. Every key of it must be in known (NULL-terminated).
 */
struct fields fields_of(const struct yaml *y, const char *context,
			const char *const *known, struct diag *d);

/*
 * Fill base from the map by its table; other keys must be in others
 * (NULL-terminated) and are the caller's. Defaults were set before.
 */
void fields_table(const struct yaml *y, const char *context,
		  const struct param *table, void *base,
		  const char *const *others, struct diag *d);

/* One value as text; NULL if there is none or it is not one value. */
const char *fields_text(const struct fields *f, const char *key);

/* One value in the type's unit; def if the key is not there. */
int64_t fields_number(const struct fields *f, const char *key,
		      enum param_type type, int64_t def);

/* The same as one of the names: its index. */
int fields_choice(const struct fields *f, const char *key,
		  const char *const *names, int def);

/* Bytes, written as a size or as "9168 pages" of 4 KiB. */
int64_t fields_bytes(const struct fields *f, const char *key, int64_t def);

/* An error at the key's value (or at the map). printf format. */
void fields_error(const struct fields *f, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "unknown policy 'x' (a, b); did you mean 'a'?" as an error at a place. */
void fields_unknown(struct diag *d, struct diag_place at, const char *context,
		    const char *what, const char *word,
		    const char *const *names);

static inline bool streq(const char *a, const char *b)
{
	return __builtin_strcmp(a, b) == 0;
}
