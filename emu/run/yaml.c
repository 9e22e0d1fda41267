/*
 * YAML text into a tree of nodes with places.
 *
 * Models      the part of YAML 1.1 that scenarios need: block and flow maps
 *             and lists, plain and quoted scalars, comments.
 * Leaves out  anchors, aliases, tags, merge keys and several documents. Each
 *             of them is an error: they let one line mean many.
 * Seen in     every scenario, machine, background and drive file.
 */
#include "emu/run/yaml.h"

#include "emu/bug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define READ_AT_ONCE 16384 /* bytes: most files, and a part of YAML_SIZE */

/* One parse in progress. */
struct reader {
	yaml_parser_t parser;
	const char *name; /* of the file, for places */
	struct diag *d;
	unsigned depth; /* maps and lists that are open */
};

static struct diag_place place_of(const struct reader *r, yaml_mark_t mark)
{
	return (struct diag_place){ r->name, (unsigned)mark.line + 1,
				    (unsigned)mark.column + 1 };
}

void yaml_discard(struct yaml *y)
{
	if (!y)
		return;
	for (unsigned i = 0; i < y->count; i++) {
		yaml_discard(y->item[i]);
		if (y->kind == YAML_MAP)
			yaml_discard(y->key[i]);
	}
	free(y->item);
	free(y->key);
	free(y->text);
	free(y);
}

struct yaml *yaml_empty(enum yaml_kind kind, struct diag_place at)
{
	struct yaml *y = xcalloc(1, sizeof(*y));

	y->kind = kind;
	y->place = at;
	return y;
}

struct yaml *yaml_scalar(const char *text, struct diag_place at)
{
	struct yaml *y = yaml_empty(YAML_SCALAR, at);

	y->text = xstrdup(text);
	return y;
}

/* Room for one more item; grows at powers of two. */
static void make_room(struct yaml *y)
{
	unsigned n = y->count;

	if (n & (n - 1))
		return;
	n = n ? 2 * n : 1;
	y->item = xrealloc(y->item, n * sizeof(struct yaml *));
	if (y->kind == YAML_MAP)
		y->key = xrealloc(y->key, n * sizeof(struct yaml *));
}

void yaml_append(struct yaml *list, struct yaml *item)
{
	BUG_ON(list->kind != YAML_LIST);
	make_room(list);
	list->item[list->count++] = item;
}

static void put_node(struct yaml *map, struct yaml *key, struct yaml *value)
{
	BUG_ON(map->kind != YAML_MAP || key->kind != YAML_SCALAR);
	make_room(map);
	map->key[map->count] = key;
	map->item[map->count++] = value;
}

void yaml_put(struct yaml *map, const char *key, struct yaml *value)
{
	BUG_ON(yaml_get(map, key));
	put_node(map, yaml_scalar(key, value->place), value);
}

static int find_key(const struct yaml *map, const char *key)
{
	if (!map || map->kind != YAML_MAP)
		return -1;
	for (unsigned i = 0; i < map->count; i++)
		if (strcmp(map->key[i]->text, key) == 0)
			return (int)i;
	return -1;
}

struct yaml *yaml_get(const struct yaml *map, const char *key)
{
	int i = find_key(map, key);

	return i < 0 ? NULL : map->item[i];
}

struct diag_place yaml_key_place(const struct yaml *map, const char *key)
{
	int i = find_key(map, key);

	return i < 0 ? map->place : map->key[i]->place;
}

void yaml_remove(struct yaml *map, const char *key)
{
	int i = find_key(map, key);

	if (i < 0)
		return;
	yaml_discard(map->key[i]);
	yaml_discard(map->item[i]);
	map->count--;
	for (unsigned j = (unsigned)i; j < map->count; j++) {
		map->key[j] = map->key[j + 1];
		map->item[j] = map->item[j + 1];
	}
}

/*
 * Parsing
 */

static struct yaml *syntax_error(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	yaml_mark_t mark = p->problem_mark;

	if (p->error == YAML_READER_ERROR) {
		diag_error(r->d, (struct diag_place){ r->name, 0, 0 },
			   "not UTF-8 text: %s at byte %zu", p->problem,
			   p->problem_offset);
		return NULL;
	}
	diag_error(r->d, place_of(r, mark), "not YAML: %s",
		   p->problem ? p->problem : "out of memory");
	return NULL;
}

static struct yaml *refuse(struct reader *r, yaml_mark_t mark, const char *why)
{
	diag_error(r->d, place_of(r, mark), "%s", why);
	return NULL;
}

static struct yaml *read_node(struct reader *r, const yaml_event_t *ev);

static struct yaml *read_scalar(struct reader *r, const yaml_event_t *ev)
{
	struct yaml *y;

	if (ev->data.scalar.anchor || ev->data.scalar.tag)
		return refuse(r, ev->start_mark,
			      "anchors and tags are not supported");
	if (strlen((char *)ev->data.scalar.value) != ev->data.scalar.length)
		return refuse(r, ev->start_mark, "a value with a NUL byte");
	y = yaml_scalar((char *)ev->data.scalar.value,
			place_of(r, ev->start_mark));
	y->quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return y;
}

/*
 * The next node inside a map or list. At its end *end is set and NULL
 * returned; NULL without *end is an error that was reported.
 */
static struct yaml *read_next(struct reader *r, bool *end)
{
	yaml_event_t ev;
	struct yaml *y = NULL;

	*end = false;
	if (!yaml_parser_parse(&r->parser, &ev))
		return syntax_error(r);
	if (ev.type == YAML_SEQUENCE_END_EVENT ||
	    ev.type == YAML_MAPPING_END_EVENT)
		*end = true;
	else
		y = read_node(r, &ev);
	yaml_event_delete(&ev);
	return y;
}

static bool read_items(struct reader *r, struct yaml *list)
{
	bool end;

	for (;;) {
		struct yaml *item = read_next(r, &end);

		if (!item)
			return end;
		yaml_append(list, item);
	}
}

/* Is this node fit to be the next key of map? */
static bool check_key(struct reader *r, const struct yaml *map,
		      const struct yaml *key)
{
	if (key->kind != YAML_SCALAR) {
		diag_error(r->d, key->place, "a key must be a plain word");
		return false;
	}
	if (map->count == YAML_KEYS) {
		diag_error(r->d, key->place, "more than %d keys in one mapping",
			   YAML_KEYS);
		return false;
	}
	if (yaml_get(map, key->text)) {
		diag_error(r->d, key->place,
			   "duplicate key '%s', first at line %u", key->text,
			   yaml_key_place(map, key->text).line);
		return false;
	}
	return true;
}

static bool read_pairs(struct reader *r, struct yaml *map)
{
	bool end;

	for (;;) {
		struct yaml *key = read_next(r, &end);
		struct yaml *value = NULL;

		if (!key)
			return end;
		if (check_key(r, map, key))
			value = read_next(r, &end);
		if (!value) {
			yaml_discard(key);
			return false;
		}
		put_node(map, key, value);
	}
}

static struct yaml *read_group(struct reader *r, const yaml_event_t *ev)
{
	bool is_map = ev->type == YAML_MAPPING_START_EVENT;
	const yaml_char_t *anchor = is_map ? ev->data.mapping_start.anchor
					   : ev->data.sequence_start.anchor;
	const yaml_char_t *tag = is_map ? ev->data.mapping_start.tag
					: ev->data.sequence_start.tag;
	struct yaml *y;
	bool good;

	if (anchor || tag)
		return refuse(r, ev->start_mark,
			      "anchors and tags are not supported");
	if (r->depth == YAML_DEPTH)
		return refuse(r, ev->start_mark,
			      "nested too deeply: 64 levels at most");
	r->depth++;
	y = yaml_empty(is_map ? YAML_MAP : YAML_LIST,
		       place_of(r, ev->start_mark));
	good = is_map ? read_pairs(r, y) : read_items(r, y);
	r->depth--;
	if (good)
		return y;
	yaml_discard(y);
	return NULL;
}

static struct yaml *read_node(struct reader *r, const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(r, ev);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return read_group(r, ev);
	case YAML_ALIAS_EVENT:
		return refuse(r, ev->start_mark, "aliases are not supported");
	default:
		return refuse(r, ev->start_mark, "a value is missing here");
	}
}

/* Skip what stands before the document: true at its first node, in *ev. */
static bool find_document(struct reader *r, yaml_event_t *ev)
{
	for (;;) {
		if (!yaml_parser_parse(&r->parser, ev)) {
			syntax_error(r);
			return false;
		}
		if (ev->type == YAML_STREAM_END_EVENT) {
			diag_error(r->d, (struct diag_place){ r->name, 0, 0 },
				   "empty: nothing to read here");
			yaml_event_delete(ev);
			return false;
		}
		if (ev->type != YAML_STREAM_START_EVENT &&
		    ev->type != YAML_DOCUMENT_START_EVENT)
			return true;
		yaml_event_delete(ev);
	}
}

/* Nothing but the end may follow the document. */
static bool expect_end(struct reader *r)
{
	yaml_event_t ev;
	bool end = false, good = true;

	while (good && !end) {
		if (!yaml_parser_parse(&r->parser, &ev)) {
			syntax_error(r);
			return false;
		}
		end = ev.type == YAML_STREAM_END_EVENT;
		if (ev.type == YAML_DOCUMENT_START_EVENT) {
			refuse(r, ev.start_mark, "a second document");
			good = false;
		}
		yaml_event_delete(&ev);
	}
	return good;
}

struct yaml *yaml_parse(const char *text, size_t size, const char *name,
			struct diag *d)
{
	struct reader r = { .name = name, .d = d };
	yaml_event_t ev;
	struct yaml *y = NULL;

	if (size > YAML_SIZE) {
		diag_error(d, (struct diag_place){ name, 0, 0 },
			   "too large: 4 MiB at most");
		return NULL;
	}
	/* editors of some systems begin UTF-8 with this */
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		size -= 3;
	}
	BUG_ON(!yaml_parser_initialize(&r.parser));
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text,
				     size);
	if (find_document(&r, &ev)) {
		y = read_node(&r, &ev);
		yaml_event_delete(&ev);
		if (y && !expect_end(&r)) {
			yaml_discard(y);
			y = NULL;
		}
	}
	yaml_parser_delete(&r.parser);
	return y;
}

/* The whole file, or more of it than is allowed. NULL: errno. */
static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	size_t room = READ_AT_ONCE;
	char *text;
	int saved;

	if (!f)
		return NULL;
	text = xcalloc(1, room);
	*size = fread(text, 1, room, f);
	while (*size == room && room <= YAML_SIZE) {
		room += room;
		text = xrealloc(text, room);
		*size += fread(text + *size, 1, room - *size, f);
	}
	if (ferror(f)) {
		saved = errno;
		free(text);
		fclose(f);
		errno = saved;
		return NULL;
	}
	fclose(f);
	return text;
}

struct yaml *yaml_read(const char *path, struct diag *d)
{
	size_t size = 0;
	char *text = read_file(path, &size);
	struct yaml *y;

	if (!text) {
		diag_error(d, (struct diag_place){ path, 0, 0 },
			   "cannot be read: %s", strerror(errno));
		return NULL;
	}
	y = yaml_parse(text, size, path, d);
	free(text);
	return y;
}
