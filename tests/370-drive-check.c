/*
 * Drives that cannot be: each is refused, and for the right reason; and the
 * suspicious ones get a warning and pass.
 */
#include "tests/disk-host.h"

static struct drive_spec spec;

/* Errors and printed text of a check of spec. */
static unsigned check(char *text, size_t size)
{
	struct diag_place at = { "drive.yaml", 0, 0 };
	struct diag *d = diag_new();
	FILE *f = tmpfile();
	unsigned errors;
	size_t length;

	BUG_ON(!f);
	BUG_ON(drive_check(&spec, d, at) != (diag_errors(d) == 0));
	errors = diag_errors(d);
	diag_print(d, f);
	diag_free(d);
	rewind(f);
	length = fread(text, 1, size - 1, f);
	text[length] = '\0';
	fclose(f);
	drive_finish(&spec);
	return errors;
}

static void refused(const char *reason)
{
	char text[4096];

	BUG_ON(check(text, sizeof(text)) == 0);
	if (!strstr(text, reason)) {
		fprintf(stderr, "no '%s' in: %s", reason, text);
		BUG_ON(true);
	}
}

static void passes(const char *warning)
{
	char text[4096];

	BUG_ON(check(text, sizeof(text)) != 0);
	if (warning)
		BUG_ON(!strstr(text, "warning") || !strstr(text, warning));
	else
		BUG_ON(text[0] != '\0');
}

static void points(const simtime *ms_hundredths)
{
	drive_defaults(&spec);
	spec.seek = SEEK_TABLE;
	for (; *ms_hundredths; ms_hundredths++) {
		spec.point[spec.nr_points].cylinders = 1 + 100 * spec.nr_points;
		spec.point[spec.nr_points].time =
			*ms_hundredths * 10 * NSEC_PER_USEC;
		spec.nr_points++;
	}
}

static void check_seeks(void)
{
	static const simtime smooth[] = { 100, 110, 115, 118, 0 };
	static const simtime dip[] = { 100, 110, 85, 118, 0 };
	static const simtime bump[] = { 100, 110, 140, 118, 0 };
	static const simtime small_dip[] = { 100, 110, 105, 118, 0 };
	static const simtime one[] = { 100, 0 };

	points(smooth);
	passes(NULL);
	points(dip);
	passes("the seek of 201 cylinders takes 850 us");
	points(bump);
	passes("the seek of 201 cylinders takes 1400 us");
	points(small_dip);
	passes(NULL);
	points(one);
	refused("two points or more");
	points(smooth);
	spec.point[2].cylinders = spec.point[1].cylinders;
	refused("must rise");

	drive_defaults(&spec);
	spec.average_seek = spec.full_stroke;
	refused("seek times must rise");
	drive_defaults(&spec);
	spec.average_seek = 13 * NSEC_PER_MSEC;
	refused("25 to 62 %");
	drive_defaults(&spec);
	spec.seek = SEEK_LEE;
	spec.average_seek = 11 * NSEC_PER_MSEC;
	refused("no three-point curve");
}

static void check_zones(void)
{
	drive_defaults(&spec);
	spec.nr_zones = 2;
	spec.zone[0] = (struct drive_zone){ 0, 999, 700, 100, 120 };
	spec.zone[1] = (struct drive_zone){ 1001, 52499, 600, 90, 110 };
	refused("the zone before ends at 999");
	drive_defaults(&spec);
	spec.nr_zones = 1;
	spec.zone[0] = (struct drive_zone){ 0, 999, 700, 100, 120 };
	refused("the zones end at cylinder 999, the drive at 52499");
	drive_defaults(&spec);
	spec.nr_zones = 1;
	spec.zone[0] = (struct drive_zone){ 0, 52499, 4, 0, 0 };
	refused("4 sectors per track");
	drive_defaults(&spec);
	spec.nr_zones = 1;
	spec.zone[0] = (struct drive_zone){ 0, 52499, 700, 700, 0 };
	refused("a whole turn");
	drive_defaults(&spec);
	spec.inner_sectors = 800;
	refused("inner_sectors");
	drive_defaults(&spec);
	spec.order = ORDER_SPTF;
	passes("no effect");
}

/* Zones from two figures: those of the t42 class, known one by one. */
static void check_generated(void)
{
	static const uint32_t sectors[] = { 720, 698, 677, 655, 634, 612,
					    590, 569, 547, 526, 504, 482,
					    461, 439, 418, 396 };

	drive_defaults(&spec);
	passes(NULL);
	BUG_ON(spec.nr_zones != 16);
	for (unsigned i = 0; i < 16; i++)
		BUG_ON(spec.zone[i].sectors != sectors[i]);
	BUG_ON(spec.zone[4].first != 13125 || spec.zone[4].last != 16405);
	BUG_ON(spec.zone[0].track_skew != 113);
	BUG_ON(spec.zone[0].cylinder_skew != 139);
	BUG_ON(spec.zone[15].track_skew != 62);
	BUG_ON(spec.zone[15].cylinder_skew != 77);
}

int main(void)
{
	check_seeks();
	check_zones();
	check_generated();
	return 0;
}
