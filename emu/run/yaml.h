/*
 * YAML as a tree in which every node knows where it stands. libyaml does the
 * parsing. Anchors, tags and several documents are refused: a scenario means
 * what it says at one place.
 */
#pragma once

#include "emu/diag.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml {
	enum yaml_kind kind;
	struct diag_place place;
	char *text; /* scalar */
	bool quoted; /* scalar: was in quotes, so a string for certain */
	struct yaml **item; /* list items, map values */
	struct yaml **key; /* map keys: scalars */
	unsigned count;
};

/*
 * Parse a file, or text with name for messages. NULL after an error (syntax,
 * duplicate key, too deep: 64 levels, too large: 4 MiB).
 */
struct yaml *yaml_read(const char *path, struct diag *d);
struct yaml *yaml_parse(const char *text, size_t size, const char *name,
			struct diag *d);
void yaml_free(struct yaml *y);

/* The value of a key in a map, or NULL. */
struct yaml *yaml_get(const struct yaml *map, const char *key);

/*
 * A copy of base with over laid on top: maps are merged key by key, anything
 * else is replaced.
 */
struct yaml *yaml_overlay(const struct yaml *base, const struct yaml *over);

/* Set a.b.c to a value (parsed as YAML), making maps on the way. */
bool yaml_set(struct yaml *root, const char *path, const char *value,
	      struct diag *d, struct diag_place at);
