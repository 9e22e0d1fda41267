/*
 * Drive files.
 *
 * Models      nothing: a drive is data, and this is its reader.
 * Leaves out  what makes a drive possible; drive_check says that.
 */
#include "emu/run/drivefile.h"

#include "emu/run/fields.h"

static const char *const list_keys[] = { "zones", "seek_points", NULL };
static const char *const zone_keys[] = { "cylinders", "sectors", "track_skew",
					 "cylinder_skew", NULL };

/* The items of a list that may be missing; NULL after an error. */
static const struct yaml *read_list(const struct yaml *file, const char *key,
				    unsigned most, struct diag *d)
{
	const struct yaml *list = yaml_get(file, key);

	if (!list)
		return NULL;
	if (list->kind != YAML_LIST) {
		diag_error(d, list->place, "drive: %s: a list is needed", key);
		return NULL;
	}
	if (list->count > most) {
		diag_error(d, list->place, "drive: %s: at most %u, not %u", key,
			   most, list->count);
		return NULL;
	}
	return list;
}

/* A number of the map, from 0 to 400000; it must be there. */
static uint32_t read_count(const struct fields *f, const char *key)
{
	int64_t n = fields_number(f, key, PARAM_INT, -1);

	if (!yaml_get(f->map, key))
		fields_error(f, key, "%s is missing", key);
	else if (n < 0 || n > 400000)
		fields_error(f, key, "%s: 0 to 400000 is possible", key);
	else
		return (uint32_t)n;
	return 0;
}

static void read_zones(const struct yaml *file, struct drive_spec *out,
		       struct diag *d)
{
	const struct yaml *list = read_list(file, "zones", DRIVE_ZONES, d);
	uint32_t next = 0;

	for (unsigned i = 0; list && i < list->count; i++) {
		struct fields f =
			fields_of(list->item[i], "drive: zone", zone_keys, d);
		struct drive_zone *z = &out->zone[out->nr_zones];
		uint32_t cylinders = read_count(&f, "cylinders");

		z->sectors = read_count(&f, "sectors");
		z->track_skew = read_count(&f, "track_skew");
		z->cylinder_skew = read_count(&f, "cylinder_skew");
		if (cylinders == 0)
			continue; /* an error, said already, or by the sum */
		z->first = next;
		next += cylinders;
		z->last = next - 1;
		out->nr_zones++;
	}
}

static void read_points(const struct yaml *file, struct drive_spec *out,
			struct diag *d)
{
	const struct yaml *list =
		read_list(file, "seek_points", DRIVE_SEEK_POINTS, d);

	for (unsigned i = 0; list && i < list->count; i++) {
		const struct yaml *pair = list->item[i];
		int64_t distance = 0, time = 0;

		if (pair->kind != YAML_LIST || pair->count != 2 ||
		    pair->item[0]->kind != YAML_SCALAR ||
		    pair->item[1]->kind != YAML_SCALAR) {
			diag_error(d, pair->place,
				   "drive: a seek point is written as "
				   "[cylinders, time]");
			continue;
		}
		if (!param_parse(PARAM_INT, pair->item[0]->text, &distance,
				 "drive: seek point", d,
				 pair->item[0]->place) ||
		    !param_parse(PARAM_TIME, pair->item[1]->text, &time,
				 "drive: seek point", d, pair->item[1]->place))
			continue;
		if (distance < 1 || distance > 400000) {
			diag_error(d, pair->place,
				   "drive: a seek over %lld cylinders",
				   (long long)distance);
			continue;
		}
		out->point[out->nr_points++] =
			(struct seek_point){ (uint32_t)distance, time };
	}
}

bool drive_load(const char *path, struct drive_spec *out, struct diag *d)
{
	unsigned before = diag_errors(d);
	struct diag_place whole = { .file = path };
	struct yaml *file;

	drive_defaults(out);
	file = yaml_read(path, d);
	if (!file)
		return false;
	fields_table(file, "drive", drive_params, out, list_keys, d);
	read_zones(file, out, d);
	read_points(file, out, d);
	if (diag_errors(d) == before)
		drive_check(out, d, whole);
	yaml_discard(file);
	return diag_errors(d) == before;
}
