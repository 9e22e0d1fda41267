/*
 * Changing and writing YAML trees: overlays, settings from the command line,
 * and text that reads back as the same tree.
 *
 * Models      the order of a scenario: base, then variant, then --set.
 * Leaves out  keeping comments and layout: printed trees are plain block
 *             style.
 * Seen in     variants, --set, --print-config and the scenario's hash.
 */
#include "emu/run/yaml.h"

#include "emu/bug.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct yaml *yaml_copy(const struct yaml *y)
{
	struct yaml *copy = yaml_empty(y->kind, y->place);

	if (y->text)
		copy->text = xstrdup(y->text);
	copy->quoted = y->quoted;
	for (unsigned i = 0; i < y->count; i++) {
		struct yaml *item = yaml_copy(y->item[i]);

		if (y->kind == YAML_LIST) {
			yaml_append(copy, item);
			continue;
		}
		yaml_put(copy, y->key[i]->text, item);
		copy->key[i]->place = y->key[i]->place;
	}
	return copy;
}

struct yaml *yaml_overlay(const struct yaml *base, const struct yaml *over)
{
	struct yaml *merged;

	if (!base || base->kind != YAML_MAP || over->kind != YAML_MAP)
		return yaml_copy(over);
	merged = yaml_copy(base);
	for (unsigned i = 0; i < over->count; i++) {
		const char *key = over->key[i]->text;
		struct yaml *value =
			yaml_overlay(yaml_get(merged, key), over->item[i]);

		yaml_remove(merged, key);
		yaml_put(merged, key, value);
		merged->key[merged->count - 1]->place = over->key[i]->place;
	}
	return merged;
}

/*
 * Settings: a.b.c=value
 */

static void replace_place(struct yaml *y, struct diag_place at)
{
	y->place = at;
	for (unsigned i = 0; i < y->count; i++) {
		replace_place(y->item[i], at);
		if (y->kind == YAML_MAP)
			y->key[i]->place = at;
	}
}

/*
 * How many bytes of path are the next key: all of it if that is a key
 * already (or stands below sysctl, whose names have dots), else the longest
 * existing key, else the part before the first dot.
 */
static size_t next_key(const struct yaml *map, const char *path, bool sysctl)
{
	size_t best = 0, length = strlen(path);

	if (sysctl || map->kind != YAML_MAP)
		return sysctl ? length : strcspn(path, ".");
	for (unsigned i = 0; i < map->count; i++) {
		size_t n = strlen(map->key[i]->text);

		if (n > best && n <= length &&
		    strncmp(map->key[i]->text, path, n) == 0 &&
		    (path[n] == '.' || path[n] == '\0'))
			best = n;
	}
	return best ? best : strcspn(path, ".");
}

/* The slot of the item that key names in a list, or NULL. */
static struct yaml **list_slot(struct yaml *list, const char *key)
{
	char *end;
	unsigned long i = strtoul(key, &end, 10);

	if (!isdigit((unsigned char)*key) || *end || i >= list->count)
		return NULL;
	return &list->item[i];
}

/* The slot of key in map, made (with NULL in it) if it is not there. */
static struct yaml **map_slot(struct yaml *map, const char *key,
			      struct diag_place at)
{
	for (unsigned i = 0; i < map->count; i++)
		if (strcmp(map->key[i]->text, key) == 0)
			return &map->item[i];
	yaml_put(map, key, yaml_empty(YAML_MAP, at));
	return &map->item[map->count - 1];
}

/* One step down the path; NULL after an error. */
static struct yaml **step_down(struct yaml *node, const char *key,
			       struct diag *d, struct diag_place at)
{
	struct yaml **slot = NULL;

	if (node->kind == YAML_MAP)
		return map_slot(node, key, at);
	if (node->kind == YAML_LIST)
		slot = list_slot(node, key);
	if (!slot)
		diag_error(d, at, "'%s' does not lead anywhere: %s", key,
			   node->kind == YAML_LIST
				   ? "the list has no such item"
				   : "what stands before it is one value");
	return slot;
}

bool yaml_set(struct yaml *root, const char *path, const char *value,
	      struct diag *d, struct diag_place at)
{
	struct yaml **slot = &root;
	struct yaml *parsed;
	bool sysctl = false;

	parsed = *value ? yaml_parse(value, strlen(value), at.file, d)
			: yaml_scalar("", at);
	if (!parsed)
		return false;
	replace_place(parsed, at);
	while (*path) {
		size_t n = next_key(*slot, path, sysctl);
		char *key = xcalloc(n + 1, 1);

		memcpy(key, path, n);
		sysctl = strcmp(key, "sysctl") == 0;
		/* a scalar that gives way to a map: token: none */
		slot = step_down(*slot, key, d, at);
		free(key);
		if (!slot) {
			yaml_discard(parsed);
			return false;
		}
		path += n + (path[n] == '.');
	}
	yaml_discard(*slot);
	*slot = parsed;
	return true;
}

/*
 * Printing
 */

/* Would this text, written plainly, read back as the same scalar? */
static bool plain(const char *s)
{
	if (!*s || strchr("-?:,[]{}#&*!|>'\"%@` ", *s))
		return false;
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && !strchr("._-+/=$%() ", *s))
			return false;
		if (*s == ' ' && !s[1])
			return false;
	}
	return true;
}

static void print_scalar(const struct yaml *y, FILE *to)
{
	if (plain(y->text)) {
		fputs(y->text, to);
		return;
	}
	fputc('"', to);
	for (const unsigned char *s = (unsigned char *)y->text; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(to, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(to, "\\x%02x", *s);
		else
			fputc(*s, to);
	}
	fputc('"', to);
}

static int by_key(const void *a, const void *b)
{
	const struct yaml *const *x = a, *const *y = b;

	return strcmp((*x)->text, (*y)->text);
}

/* The keys of a map in the order to print them; to be freed. */
static struct yaml **key_order(const struct yaml *map, bool sorted)
{
	struct yaml **order = xcalloc(map->count + 1, sizeof(struct yaml *));

	for (unsigned i = 0; i < map->count; i++)
		order[i] = map->key[i];
	if (sorted)
		qsort(order, map->count, sizeof(struct yaml *), by_key);
	return order;
}

static void print_node(const struct yaml *y, FILE *to, bool sorted,
		       unsigned indent);

static void print_value(const struct yaml *y, FILE *to, bool sorted,
			unsigned indent)
{
	if (y->kind == YAML_SCALAR || !y->count)
		fputc(' ', to);
	else
		fputc('\n', to);
	print_node(y, to, sorted, indent);
}

static void print_node(const struct yaml *y, FILE *to, bool sorted,
		       unsigned indent)
{
	struct yaml **order;

	if (y->kind == YAML_SCALAR) {
		print_scalar(y, to);
		fputc('\n', to);
		return;
	}
	if (!y->count) {
		fputs(y->kind == YAML_MAP ? "{}\n" : "[]\n", to);
		return;
	}
	if (y->kind == YAML_LIST) {
		for (unsigned i = 0; i < y->count; i++) {
			fprintf(to, "%*s-", (int)indent, "");
			print_value(y->item[i], to, sorted, indent + 2);
		}
		return;
	}
	order = key_order(y, sorted);
	for (unsigned i = 0; i < y->count; i++) {
		fprintf(to, "%*s", (int)indent, "");
		print_scalar(order[i], to);
		fputc(':', to);
		print_value(yaml_get(y, order[i]->text), to, sorted,
			    indent + 2);
	}
	free(order);
}

void yaml_print(const struct yaml *y, FILE *to, bool sorted)
{
	print_node(y, to, sorted, 0);
}
