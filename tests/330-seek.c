/*
 * Seek curves: through the data sheet's three figures, smooth, rising; and
 * the same as a separately computed fit.
 */
#include "disk/seek.h"
#include "tests/disk-host.h"

#define US NSEC_PER_USEC

struct sheet {
	int64_t cylinders;
	simtime t1, average, full;
	/*
	 * From a computation in floating point: where the root turns into a
	 * line, and the four coefficients a + b sqrt(d), c + e d, in ns.
	 */
	uint32_t join;
	int64_t a, b, c, e_thousandths;
};

static const struct sheet sheets[] = {
	{ 52500, 1000 * US, 10000 * US, 18000 * US, 44343, 926000, 74300,
	  8744000, 176000 },
	{ 35080, 2000 * US, 8900 * US, 21000 * US, 1772, 1956000, 43500,
	  2872000, 517000 },
	{ 27000, 2500 * US, 12000 * US, 23000 * US, 8165, 2394000, 105900,
	  7179000, 586000 },
	{ 18300, 2500 * US, 12000 * US, 23000 * US, 5574, 2371000, 129000,
	  7188000, 864000 },
	{ 6000, 3000 * US, 12000 * US, 24000 * US, 1203, 2796000, 204200,
	  6337000, 2944000 },
};

#define SHEETS (sizeof(sheets) / sizeof(sheets[0]))

static void make(struct seek *s, const struct sheet *sheet, enum seek_form form)
{
	static struct drive_spec spec;

	drive_defaults(&spec);
	spec.cylinders = sheet->cylinders;
	spec.track_to_track = sheet->t1;
	spec.average_seek = sheet->average;
	spec.full_stroke = sheet->full;
	spec.seek = (int)form;
	seek_init(s, &spec);
	drive_finish(&spec);
}

static void check_shape(const struct seek *s, const struct sheet *sheet)
{
	BUG_ON(s->time[0] != 0);
	BUG_ON(!host_near(s->time[1], sheet->t1, 1 * US));
	BUG_ON(!host_near(s->time[s->cylinders - 1], sheet->full, 2 * US));
	for (uint32_t d = 2; d < s->cylinders; d++) {
		int64_t step = (int64_t)s->time[d] - s->time[d - 1];

		BUG_ON(step < 0);
		/* steps shrink, up to rounding of the roots */
		BUG_ON(d > 2 &&
		       step > (int64_t)s->time[d - 1] - s->time[d - 2] + 5);
	}
}

/* The published coefficients have three digits: compare to 0.3 %. */
static void check_fit(const struct seek *s, const struct sheet *sheet)
{
	static const uint32_t roots[] = { 1, 5, 10, 30, 0 };
	uint32_t far = s->cylinders - 1;
	simtime line = sheet->c + sheet->e_thousandths * far / 1000;

	for (const uint32_t *r = roots; *r; r++) {
		simtime want = sheet->a + sheet->b * *r;
		size_t square = (size_t)*r * *r;

		BUG_ON(square > sheet->join);
		BUG_ON(!host_near(s->time[square], want, want * 3 / 1000));
	}
	BUG_ON(!host_near(s->time[far], line, line * 3 / 1000));
}

static void check_sqrt(void)
{
	for (unsigned i = 0; i < SHEETS; i++) {
		struct seek s;

		make(&s, &sheets[i], SEEK_SQRT);
		check_shape(&s, &sheets[i]);
		check_fit(&s, &sheets[i]);
		BUG_ON(!host_near(seek_mean(&s), sheets[i].average, 2 * US));
		seek_finish(&s);
	}
}

/* An average no root reaches: the pure root, 8/15 of the way. */
static void check_clamp(void)
{
	static const struct sheet gxp = { .cylinders = 34500,
					  .t1 = 1200 * US,
					  .average = 8500 * US,
					  .full = 14700 * US };
	struct seek s;

	make(&s, &gxp, SEEK_SQRT);
	check_shape(&s, &gxp);
	BUG_ON(!host_near(seek_mean(&s), 8360 * US, 20 * US));
	seek_finish(&s);
}

/* Lee's formula meets track to track and full stroke; the mean nearly. */
static void check_lee(void)
{
	struct seek s;

	make(&s, &sheets[0], SEEK_LEE);
	check_shape(&s, &sheets[0]);
	BUG_ON(!host_near(seek_mean(&s), sheets[0].average, 50 * US));
	seek_finish(&s);
}

static void check_table(const char *root)
{
	static struct drive_spec spec;
	struct seek s;

	host_t42_ideal(&spec, root);
	seek_init(&s, &spec);
	BUG_ON(s.time[1] != 1000000 || s.time[2] != 1072750);
	BUG_ON(s.time[52499] != 17999670);
	/* half way between 51500 and 52000 cylinders; and 498.66 ns on */
	BUG_ON(s.time[51750] != (17833990 + 17917100) / 2);
	BUG_ON(s.time[51503] != 17833990 + 499);
	BUG_ON(!host_near(seek_mean(&s), 10 * NSEC_PER_MSEC, 5 * US));
	seek_finish(&s);
	drive_finish(&spec);
}

int main(int argc, char **argv)
{
	BUG_ON(argc < 2);
	check_sqrt();
	check_clamp();
	check_lee();
	check_table(argv[1]);
	return 0;
}
