/*
 * A scenario's file, variant, settings, parameters and named parts into one
 * tree.
 *
 * Models      nothing: this is how experiments are written down.
 * Leaves out  inheritance between scenarios: a base and its variants stand in
 *             one file.
 * Seen in     every run; --print-config shows the result.
 *
 * Order: base; the variant over it; --set; $names replaced; machine and
 * background files written out. The result resolves to itself.
 */
#include "emu/run/resolve.h"

#include "emu/bug.h"
#include "emu/digest.h"
#include "emu/run/fields.h"
#include "emu/run/hardware.h"
#include "emu/run/profile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One resolution in progress. */
struct resolver {
	struct data *data;
	const char *path; /* of the scenario */
	struct diag *d;
	const struct yaml *params;   /* map of values, or NULL */
	const struct yaml *declared; /* the base's map of them */
};

static const char **key_names(const struct yaml *map)
{
	const char **names;

	if (!map || map->kind != YAML_MAP)
		return xcalloc(1, sizeof(char *));
	names = xcalloc(map->count + 1, sizeof(char *));
	for (unsigned i = 0; i < map->count; i++)
		names[i] = map->key[i]->text;
	return names;
}

const char **resolve_variants(const struct yaml *tree)
{
	return key_names(yaml_get(tree, "variants"));
}

/* An error about a name that is none of these. */
static void unknown(struct resolver *r, struct diag_place at, const char *what,
		    const char *name, const char *const *names)
{
	fields_unknown(r->d, at, "scenario", what, name, names);
}

/*
 * Machines and backgrounds by name
 */

/* Read the file behind a name; NULL after an error. */
static struct yaml *read_part(struct resolver *r, enum data_kind kind,
			      const char *what, const struct yaml *name)
{
	const char *path;

	if (name->kind != YAML_SCALAR) {
		diag_error(r->d, name->place, "%s: a name is expected", what);
		return NULL;
	}
	path = data_find(r->data, kind, name->text, r->path);
	if (!path) {
		unknown(r, name->place, what, name->text,
			data_names(r->data, kind));
		return NULL;
	}
	return yaml_read(path, r->d);
}

/*
 * Replace a name under key, or a map with "base: name", by what the file
 * says. A name that still has a $ in it waits for its parameter.
 */
static void write_out(struct resolver *r, struct yaml *tree, const char *key,
		      enum data_kind kind)
{
	struct yaml *part = yaml_get(tree, key);
	const struct yaml *name = part;
	struct yaml *file, *whole;

	if (part && part->kind == YAML_MAP)
		name = yaml_get(part, "base");
	if (!part || !name || name->kind == YAML_LIST ||
	    (name->kind == YAML_SCALAR && strchr(name->text, '$')))
		return;
	file = read_part(r, kind, key, name);
	if (!file) {
		/* so that the next look does not say it again */
		yaml_remove(tree, key);
		return;
	}
	if (part->kind == YAML_MAP) {
		yaml_remove(part, "base");
		whole = yaml_overlay(file, part);
		yaml_discard(file);
	} else {
		whole = file;
	}
	yaml_remove(tree, key);
	yaml_put(tree, key, whole);
}

static void write_out_parts(struct resolver *r, struct yaml *tree)
{
	write_out(r, tree, "machine", DATA_MACHINE);
	write_out(r, tree, "background", DATA_BACKGROUND);
}

/*
 * Another policy comes with options of its own: the old one's go. The grab
 * point stands beside the policy and stays.
 */
static void drop_options(struct yaml *map, const struct yaml *policy)
{
	const struct yaml *old = yaml_get(map, "policy");

	if (!policy || policy->kind != YAML_SCALAR || !old ||
	    old->kind != YAML_SCALAR || streq(old->text, policy->text))
		return;
	for (unsigned i = map->count; i-- > 0;)
		if (strcmp(map->key[i]->text, "grab") != 0)
			yaml_remove(map, map->key[i]->text);
}

/* One elevator for each disk? Then the keys are disks, else options. */
static bool by_disk(const struct yaml *elevator)
{
	for (unsigned i = 0; unit_names[i]; i++)
		if (yaml_get(elevator, unit_names[i]))
			return true;
	return false;
}

static void drop_elevators(struct yaml *kernel, const struct yaml *over)
{
	struct yaml *map = yaml_get(kernel, "elevator");

	if (!map || !over || map->kind != YAML_MAP || over->kind != YAML_MAP)
		return;
	if (by_disk(map) != by_disk(over)) {
		yaml_remove(kernel, "elevator");
		return;
	}
	for (unsigned i = 0; unit_names[i]; i++)
		drop_options(yaml_get(map, unit_names[i]),
			     yaml_get(yaml_get(over, unit_names[i]), "policy"));
}

static void drop_replaced(struct yaml *tree, const struct yaml *over)
{
	struct yaml *kernel = yaml_get(tree, "kernel");
	const struct yaml *changed = yaml_get(over, "kernel");
	const struct yaml *part = yaml_get(over, "machine");

	drop_elevators(kernel, yaml_get(changed, "elevator"));
	for (unsigned i = 0; profile_slot_names[i]; i++) {
		const char *slot = profile_slot_names[i];

		drop_options(yaml_get(kernel, slot),
			     yaml_get(yaml_get(changed, slot), "policy"));
	}
	/* a machine by name is another machine, not a change to this one */
	if (part && part->kind == YAML_SCALAR)
		yaml_remove(tree, "machine");
}

/*
 * Variants and settings
 */

/* All variants must make sense, chosen or not. */
static void check_variants(struct resolver *r, const struct yaml *base)
{
	const struct yaml *variants = yaml_get(base, "variants");

	if (!variants)
		return;
	if (variants->kind != YAML_MAP || !variants->count) {
		diag_error(r->d, variants->place,
			   "variants: a mapping is expected: "
			   "'variants: {plain: {}, small: {memory: 32M}}'");
		return;
	}
	for (unsigned i = 0; i < variants->count; i++) {
		const struct yaml *over = variants->item[i];

		if (over->kind != YAML_MAP)
			diag_error(r->d, over->place,
				   "a variant is a mapping: {} if it changes "
				   "nothing");
		else if (yaml_get(over, "variants"))
			diag_error(r->d, yaml_key_place(over, "variants"),
				   "a variant has no variants of its own");
	}
}

/* Figures that nobody would ever see: of a variant that is not there. */
static void check_published(struct resolver *r, const struct yaml *base)
{
	static const char *const only[] = { "default", NULL };
	const struct yaml *all = yaml_get(base, "published");
	const struct yaml *variants = yaml_get(base, "variants");
	const char **declared = resolve_variants(base);
	const char *const *names = declared;

	if (!variants)
		names = only;
	for (unsigned i = 0; all && all->kind == YAML_MAP && i < all->count;
	     i++) {
		const struct yaml *key = all->key[i];
		unsigned n = 0;

		while (names[n] && !streq(names[n], key->text))
			n++;
		if (!names[n])
			fields_unknown(r->d, key->place, "published", "variant",
				       key->text, names);
	}
	free(declared);
}

static struct yaml *lay_variant(struct resolver *r, struct yaml *tree,
				const struct wishes *wishes,
				const char **variant)
{
	struct yaml *variants = yaml_get(tree, "variants");
	struct yaml *over = NULL, *merged;
	const char *wish = wishes->variant;

	*variant = "default";
	if (variants && variants->kind == YAML_MAP && variants->count) {
		if (!wish)
			wish = variants->key[0]->text;
		over = yaml_get(variants, wish);
		*variant = data_keep(r->data, wish);
	}
	if (wish && !over) {
		const char **names = resolve_variants(tree);

		unknown(r, (struct diag_place){ r->path, 0, 0 }, "variant",
			wish, names);
		free(names);
		return tree;
	}
	/* what is no mapping was complained about already */
	if (!over || over->kind != YAML_MAP)
		return tree;
	drop_replaced(tree, over);
	merged = yaml_overlay(tree, over);
	yaml_discard(tree);
	return merged;
}

/* A setting of kernel.SLOT.policy, or kernel.elevator.DISK.policy. */
static void drop_set(struct resolver *r, struct yaml *tree, const char *path,
		     const char *value)
{
	struct yaml *map = yaml_get(tree, "kernel"), *policy;
	const char *dot;

	if (strncmp(path, "kernel.", 7) != 0)
		return;
	for (path += 7; (dot = strchr(path, '.')); path = dot + 1)
		map = yaml_get(map, data_printf(r->data, "%.*s",
						(int)(dot - path), path));
	if (!streq(path, "policy"))
		return;
	policy = yaml_scalar(value, (struct diag_place){ NULL, 0, 0 });
	drop_options(map, policy);
	yaml_discard(policy);
}

static void apply_set(struct resolver *r, struct yaml *tree, const char *set)
{
	const char *text = data_printf(r->data, "--set %s", set);
	struct diag_place at = { text, 0, 0 };
	const char *equal = strchr(set, '=');
	const char *path;

	if (!equal || equal == set) {
		diag_error(r->d, at, "expected KEY=VALUE");
		return;
	}
	path = data_printf(r->data, "%.*s", (int)(equal - set), set);
	if (strncmp(path, "variants", 8) == 0 && (!path[8] || path[8] == '.')) {
		diag_error(r->d, at,
			   "the variant is chosen before settings are applied: "
			   "set what it should change, such as --set "
			   "memory=96M");
		return;
	}
	drop_set(r, tree, path, equal + 1);
	yaml_set(tree, path, equal + 1, r->d, at);
}

/*
 * Parameters: $name and ${name} in values, $$ for a dollar
 */

/* Append n bytes of s to a growing string. */
static void append(char **out, const char *s, size_t n)
{
	size_t length = *out ? strlen(*out) : 0;

	*out = xrealloc(*out, length + n + 1);
	memcpy(*out + length, s, n);
	(*out)[length + n] = '\0';
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* The value of the parameter whose name is n bytes at s. */
static const char *param_value(struct resolver *r, const char *s, size_t n,
			       struct diag_place at)
{
	const char *name = data_printf(r->data, "%.*s", (int)n, s);
	const struct yaml *value = yaml_get(r->params, name);
	const char **names;

	if (value && value->kind == YAML_SCALAR)
		return value->text;
	/* lost by a slip in its name, which was told: not the fault of this */
	if (yaml_get(r->declared, name))
		return "";
	names = key_names(r->params);
	unknown(r, at, "parameter", name, names);
	free(names);
	return "";
}

/* Replace one $ at s; returns how much of s was used. */
static size_t fill_one(struct resolver *r, char **out, const char *s,
		       struct diag_place at)
{
	bool braces = s[1] == '{';
	size_t n = name_length(s + 1 + braces);
	const char *value;

	if (s[1] == '$') {
		append(out, "$", 1);
		return 2;
	}
	if (!n || (braces && s[2 + n] != '}')) {
		diag_error(r->d, at,
			   "a parameter's name must follow '$' ('$$' is a "
			   "dollar)");
		return 1;
	}
	value = param_value(r, s + 1 + braces, n, at);
	append(out, value, strlen(value));
	return 1 + n + (braces ? 2 : 0);
}

static void fill_text(struct resolver *r, struct yaml *y)
{
	char *out = NULL;
	const char *s = y->text;

	if (!strchr(s, '$'))
		return;
	append(&out, "", 0);
	while (*s) {
		size_t n = strcspn(s, "$");

		append(&out, s, n);
		s += n;
		if (*s)
			s += fill_one(r, &out, s, y->place);
	}
	free(y->text);
	y->text = out;
}

/*
 * A map {$name: {a: .., b: ..}} stands for the entry that the parameter
 * names. Below published a missing entry just means nothing is known.
 */
static struct yaml *choose(struct resolver *r, struct yaml *y, bool optional)
{
	const char *key = y->key[0]->text + 1;
	const char *value = param_value(r, key, strlen(key), y->key[0]->place);
	struct yaml *chosen = yaml_get(y->item[0], value);
	struct yaml *copy;

	if (!chosen && !optional) {
		const char **names = key_names(y->item[0]);

		unknown(r, y->key[0]->place, key, value, names);
		free(names);
	}
	copy = chosen ? yaml_copy(chosen) : yaml_empty(YAML_MAP, y->place);
	yaml_discard(y);
	return copy;
}

static struct yaml *fill(struct resolver *r, struct yaml *y, bool optional)
{
	if (y->kind == YAML_SCALAR) {
		fill_text(r, y);
		return y;
	}
	if (y->kind == YAML_MAP && y->count == 1 && y->key[0]->text[0] == '$')
		return fill(r, choose(r, y, optional), optional);
	for (unsigned i = 0; i < y->count; i++) {
		bool known =
			optional || (y->kind == YAML_MAP &&
				     strcmp(y->key[i]->text, "published") == 0);

		y->item[i] = fill(r, y->item[i], known);
	}
	return y;
}

/* Only the base declares parameters: elsewhere a new name is a slip. */
static void check_params(struct resolver *r, const struct yaml *declared,
			 const struct yaml *params)
{
	const char **names = key_names(declared);

	for (unsigned i = 0; params && i < params->count; i++) {
		const struct yaml *key = params->key[i];

		if (!yaml_get(declared, key->text))
			unknown(r, key->place, "parameter", key->text, names);
		else if (params->item[i]->kind != YAML_SCALAR)
			diag_error(r->d, params->item[i]->place,
				   "parameter '%s' must be one value",
				   key->text);
	}
	free(names);
}

static struct yaml *fill_params(struct resolver *r, struct yaml *tree,
				const struct yaml *declared)
{
	struct yaml *params = yaml_get(tree, "params");
	struct yaml *copy;

	if (params && params->kind != YAML_MAP) {
		diag_error(r->d, params->place, "params must be a mapping");
		return tree;
	}
	check_params(r, declared, params);
	copy = params ? yaml_copy(params) : NULL;
	yaml_remove(tree, "params");
	r->params = copy;
	r->declared = declared;
	tree = fill(r, tree, false);
	r->params = NULL;
	yaml_discard(copy);
	return tree;
}

/*
 * The variant and what was published for it are all that is left of the
 * others, so that the result resolves to itself.
 */
static void keep_variant(struct yaml *tree, const char *variant)
{
	struct diag_place at = tree->place;
	struct yaml *published = yaml_get(tree, "published");
	struct yaml *own = yaml_get(published, variant);
	struct yaml *variants;

	if (published && published->kind == YAML_MAP) {
		struct yaml *only = yaml_empty(YAML_MAP, published->place);

		if (own)
			yaml_put(only, variant, yaml_copy(own));
		yaml_remove(tree, "published");
		yaml_put(tree, "published", only);
	}
	if (!yaml_get(tree, "variants"))
		return;
	yaml_remove(tree, "variants");
	variants = yaml_empty(YAML_MAP, at);
	yaml_put(variants, variant, yaml_empty(YAML_MAP, at));
	yaml_put(tree, "variants", variants);
}

/* base is the file as read, for what it declares; tree is changed. */
static struct yaml *resolve_tree(struct resolver *r, struct yaml *tree,
				 const struct yaml *base,
				 const struct wishes *wishes,
				 const char **variant)
{
	write_out_parts(r, tree);
	tree = lay_variant(r, tree, wishes, variant);
	write_out_parts(r, tree);
	for (unsigned i = 0; wishes->set && wishes->set[i]; i++)
		apply_set(r, tree, wishes->set[i]);
	keep_variant(tree, *variant);
	tree = fill_params(r, tree, yaml_get(base, "params"));
	write_out_parts(r, tree);
	return tree;
}

struct yaml *resolve_scenario(struct data *data, const char *path,
			      const struct wishes *wishes, const char **variant,
			      struct diag *d)
{
	struct resolver r = { .data = data, .path = path, .d = d };
	unsigned before = diag_errors(d);
	struct yaml *base = yaml_read(path, d);
	struct yaml *tree;

	*variant = "default";
	if (!base)
		return NULL;
	if (base->kind != YAML_MAP) {
		diag_error(d, base->place,
			   "a scenario is a mapping: 'name: ...'");
		yaml_discard(base);
		return NULL;
	}
	check_variants(&r, base);
	check_published(&r, base);
	tree = resolve_tree(&r, yaml_copy(base), base, wishes, variant);
	yaml_discard(base);
	if (diag_errors(d) == before)
		return tree;
	yaml_discard(tree);
	return NULL;
}

void resolve_escape(struct yaml *resolved)
{
	char *out = NULL;

	for (unsigned i = 0; i < resolved->count; i++)
		resolve_escape(resolved->item[i]);
	if (resolved->kind != YAML_SCALAR || !strchr(resolved->text, '$'))
		return;
	append(&out, "", 0);
	for (const char *s = resolved->text; *s; s++)
		append(&out, *s == '$' ? "$$" : s, *s == '$' ? 2 : 1);
	free(resolved->text);
	resolved->text = out;
}

uint64_t resolve_hash(const struct yaml *resolved)
{
	static const char *const unread[] = { "name",	   "about",    "source",
					      "published", "variants", NULL };
	struct yaml *copy = yaml_copy(resolved);
	struct digest digest;
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	for (unsigned i = 0; unread[i]; i++) {
		yaml_remove(copy, unread[i]);
		yaml_remove(yaml_get(copy, "machine"), unread[i]);
		yaml_remove(yaml_get(copy, "background"), unread[i]);
	}
	f = open_memstream(&text, &size);
	BUG_ON(!f);
	yaml_print(copy, f, true);
	BUG_ON(fclose(f) != 0);
	digest_init(&digest);
	digest_bytes(&digest, text, size);
	free(text);
	yaml_discard(copy);
	return digest_value(&digest);
}
