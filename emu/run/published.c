/*
 * Published figures of a scenario.
 *
 * Models      nothing. Times as people quote them (3:40.124), counts, and
 *             spreads as [mean, min, max].
 * Leaves out  units other than those of measure.h: seconds and counts.
 * Seen in     the report, beside ours.
 */
#include "emu/run/published.h"

#include "emu/bug.h"
#include "emu/run/measure.h"

#include <stdlib.h>
#include <string.h>

struct reading {
	struct publications *p;
	struct diag *d;
};

/* 12.5, 3:40.124 or 1:12:36 as a number (of seconds). */
static bool parse_figure(const struct yaml *y, double *out, struct diag *d)
{
	const char *s = y->kind == YAML_SCALAR ? y->text : "";
	double total = 0;

	for (unsigned parts = 0; *s && parts < 3; parts++) {
		char *end;
		size_t n = strspn(s, "0123456789.");
		double part = strtod(s, &end);

		if (!n || end != s + n)
			break;
		total = total * 60 + part;
		if (!*end) {
			*out = total;
			return true;
		}
		if (*end != ':')
			break;
		s = end + 1;
	}
	diag_error(d, y->place,
		   "published: a figure is expected: 12, 0.94, 3:40.124 or "
		   "[mean, min, max]");
	return false;
}

static void read_figure(struct reading *r, const struct yaml *y,
			struct published fact)
{
	if (y->kind == YAML_LIST) {
		if (y->count != 3) {
			diag_error(r->d, y->place,
				   "published: [mean, min, max] is expected");
			return;
		}
		fact.spread = true;
		if (!parse_figure(y->item[0], &fact.mean, r->d) ||
		    !parse_figure(y->item[1], &fact.min, r->d) ||
		    !parse_figure(y->item[2], &fact.max, r->d))
			return;
		if (fact.min > fact.mean || fact.mean > fact.max) {
			diag_error(r->d, y->place,
				   "published: [mean, min, max]: the mean lies "
				   "between the others");
			return;
		}
	} else if (!parse_figure(y, &fact.mean, r->d)) {
		return;
	}
	r->p->list =
		xrealloc(r->p->list, (r->p->count + 1) * sizeof(*r->p->list));
	r->p->list[r->p->count++] = fact;
}

/* The measures of one program or phase; false if key is not a measure. */
static bool read_measure(struct reading *r, const struct yaml *key,
			 const struct yaml *value, struct published fact)
{
	if (value->kind == YAML_MAP)
		return false;
	if (!measure_known(key->text, true)) {
		fields_unknown(r->d, key->place, "published", "figure",
			       key->text, measure_names(true));
		return true;
	}
	fact.measure = key->text;
	read_figure(r, value, fact);
	return true;
}

static void read_phase(struct reading *r, const struct yaml *map,
		       struct published fact)
{
	for (unsigned i = 0; i < map->count; i++)
		if (!read_measure(r, map->key[i], map->item[i], fact))
			diag_error(r->d, map->key[i]->place,
				   "published: a figure is expected");
}

static void read_program(struct reading *r, const struct yaml *map,
			 struct published fact)
{
	for (unsigned i = 0; i < map->count; i++) {
		const char *key = map->key[i]->text;

		if (read_measure(r, map->key[i], map->item[i], fact))
			continue;
		fact.phase = streq(key, "TOTAL") ? NULL : key;
		read_phase(r, map->item[i], fact);
		fact.phase = NULL;
	}
}

static const char *first_label(const struct script *script)
{
	for (unsigned i = 0; i < script->count; i++)
		if (script->line[i].action == SCRIPT_TIME)
			return script->line[i].label;
	return "";
}

void published_read(struct publications *p, const struct yaml *scenario,
		    const char *variant, const struct script *script,
		    struct diag *d)
{
	const struct yaml *all = yaml_get(scenario, "published");
	const struct yaml *map = yaml_get(all, variant);
	struct reading r = { p, d };
	struct published fact = { .label = first_label(script) };

	if (all && all->kind != YAML_MAP)
		diag_error(d, all->place,
			   "published: a mapping by variant is expected");
	if (!map)
		return;
	if (map->kind != YAML_MAP) {
		diag_error(d, map->place,
			   "published: a mapping of figures is expected");
		return;
	}
	for (unsigned i = 0; i < map->count; i++) {
		const char *key = map->key[i]->text;

		if (read_measure(&r, map->key[i], map->item[i], fact))
			continue;
		if (!script_find(script, key)) {
			diag_error(d, map->key[i]->place,
				   "published: no timed program '%s'", key);
			continue;
		}
		fact.label = key;
		read_program(&r, map->item[i], fact);
		fact.label = first_label(script);
	}
}

void published_finish(struct publications *p)
{
	free(p->list);
	memset(p, 0, sizeof(*p));
}
