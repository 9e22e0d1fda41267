/*
 * YAML as a tree in which every node knows where it stands. libyaml does the
 * parsing. Anchors, tags and several documents are refused: a scenario means
 * what it says at one place.
 *
 * (The tree is freed by yaml_discard and not by a yaml_free, because libyaml
 * exports that name and would call ours.)
 */
#pragma once

#include "emu/diag.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml {
	enum yaml_kind kind;
	struct diag_place place;
	char *text;	    /* scalar */
	bool quoted;	    /* scalar: was in quotes, so a string for certain */
	struct yaml **item; /* list items, map values */
	struct yaml **key;  /* map keys: scalars */
	unsigned count;
};

#define YAML_DEPTH 64
#define YAML_SIZE  (4u << 20)
#define YAML_KEYS  1000 /* in one map */

/*
 * Parse a file, or text with name for messages. NULL after an error (syntax,
 * duplicate key, too deep: 64 levels, too large: 4 MiB, too many keys). path
 * and name are not copied: they must outlive the tree and d.
 */
struct yaml *yaml_read(const char *path, struct diag *d);
struct yaml *yaml_parse(const char *text, size_t size, const char *name,
			struct diag *d);

/* Free a tree. Accepts NULL. */
void yaml_discard(struct yaml *y);

/* New nodes at a place; the tree they are put in owns them. */
struct yaml *yaml_scalar(const char *text, struct diag_place at);
struct yaml *yaml_empty(enum yaml_kind kind, struct diag_place at);
struct yaml *yaml_copy(const struct yaml *y);

/* Append to a list, or to a map under a key that it does not have. */
void yaml_append(struct yaml *list, struct yaml *item);
void yaml_put(struct yaml *map, const char *key, struct yaml *value);

/* Take a key out of a map and free its value; harmless if not there. */
void yaml_remove(struct yaml *map, const char *key);

/* The value of a key in a map, or NULL. */
struct yaml *yaml_get(const struct yaml *map, const char *key);

/* The place of a key in a map; of the map if it has no such key. */
struct diag_place yaml_key_place(const struct yaml *map, const char *key);

/*
 * A copy of base with over laid on top: maps are merged key by key, anything
 * else is replaced. base may be NULL.
 */
struct yaml *yaml_overlay(const struct yaml *base, const struct yaml *over);

/*
 * Set a.b.c to a value (parsed as YAML), making maps on the way. A number
 * picks an item of a list. A key that has dots itself (vm.swappiness) is
 * found where it exists, and is one key below "sysctl".
 */
bool yaml_set(struct yaml *root, const char *path, const char *value,
	      struct diag *d, struct diag_place at);

/*
 * Write the tree as YAML text that reads back as the same tree. sorted: map
 * keys in byte order, for a form that does not depend on how it was written.
 */
void yaml_print(const struct yaml *y, FILE *to, bool sorted);
