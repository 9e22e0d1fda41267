/*
 * Known answers of the mechanics: rotation, skew, switches, settling.
 *
 * At 7200 rpm three turns are 25 ms. The drive has 720 sectors on its outer
 * tracks, so eight of them pass in 25 ms * 8 / 2160 = 92592.6 ns.
 */
#include "disk/mech.h"
#include "tests/disk-host.h"

#define TURNS_3 (25 * NSEC_PER_MSEC)

static void check_rotation(struct mech *m)
{
	static const int64_t when[] = { 0, 1, 7, 3456000, 345600000, -1 };
	struct mech_run run;

	/* up to a hundred days: sector 0 comes by every third of 25 ms */
	for (const int64_t *w = when; *w >= 0; w++) {
		mech_pass(m, 0, 8, false, *w * TURNS_3, &run);
		BUG_ON(run.begin != *w * TURNS_3);
		BUG_ON(run.end != *w * TURNS_3 + 92593);
		/* just missed: a turn less what it was missed by */
		mech_pass(m, 0, 8, false, *w * TURNS_3 + 1000, &run);
		BUG_ON(!host_near(run.begin - *w * TURNS_3, TURNS_3 / 3, 1));
	}
	mech_pass(m, 360, 8, false, 0, &run);
	BUG_ON(!host_near(run.begin, TURNS_3 / 6, 1));
}

/* Sector by sector or all at once: the same end, and no turn is lost. */
static void check_pieces(struct mech *m)
{
	struct mech_run run;
	simtime at = TURNS_3, whole;

	mech_pass(m, 0, 720, false, at, &run);
	whole = run.end;
	BUG_ON(!host_near(whole, at + TURNS_3 / 3, 1));
	for (sector s = 0; s < 720; s++) {
		mech_pass(m, s, 1, false, at, &run);
		at = run.end;
		BUG_ON(mech_sector_done(m, &run, s) != run.end);
	}
	BUG_ON(at != whole);
	mech_pass(m, 0, 720, false, TURNS_3, &run);
	BUG_ON(!host_near(mech_sector_done(m, &run, 7), TURNS_3 + 92593, 2));
	BUG_ON(mech_next_boundary(m, &run, TURNS_3) != 1);
	BUG_ON(mech_next_boundary(m, &run, TURNS_3 + 92000) != 8);
	BUG_ON(mech_next_boundary(m, &run, run.end) != 720);
}

/* The next track is ready after its skew: 113 of 720 sectors, 1.31 ms. */
static void check_crossing(struct mech *m)
{
	struct mech_run run;
	simtime end;

	mech_pass(m, 0, 1000, false, TURNS_3, &run);
	BUG_ON(run.sectors != 720);
	end = run.end;
	mech_pass(m, 720, 280, false, end, &run);
	BUG_ON(run.arrive != end + 800 * NSEC_PER_USEC);
	BUG_ON(!host_near(run.begin, end + TURNS_3 / 3 * 113 / 720, 2));
	/* and the next cylinder after 139 sectors */
	mech_pass(m, 720ULL * 3, 720, false, 2 * TURNS_3, &run);
	end = run.end;
	mech_pass(m, 720ULL * 4, 720, false, end, &run);
	BUG_ON(run.arrive != end + NSEC_PER_MSEC || run.cylinder != 1);
	BUG_ON(!host_near(run.begin, end + TURNS_3 / 3 * 139 / 720, 2));
}

static void check_moves(struct mech *m)
{
	struct position p;

	m->cylinder = 0;
	m->head = 0;
	geometry_find(&m->geometry, 0, &p);
	BUG_ON(mech_move_time(m, &p, false) != 0);
	BUG_ON(mech_move_time(m, &p, true) != 0);
	p.head = 2;
	BUG_ON(mech_move_time(m, &p, false) != 800000);
	BUG_ON(mech_move_time(m, &p, true) != 900000);
	p.cylinder = 1; /* a seek hides the head switch */
	BUG_ON(mech_move_time(m, &p, false) != 1000000);
	BUG_ON(mech_move_time(m, &p, true) != 1100000);
	p.cylinder = 52499;
	BUG_ON(mech_move_time(m, &p, false) != 17999670);
	BUG_ON(mech_move_time(m, &p, true) != 18999670);
}

/* The phase at power-on shifts everything by that time. */
static void check_phase(const struct drive_spec *spec)
{
	struct mech_run run;
	struct mech m;

	mech_init(&m, spec, 2 * NSEC_PER_MSEC);
	mech_pass(&m, 0, 8, false, 0, &run);
	BUG_ON(!host_near(run.begin, TURNS_3 / 3 - 2 * NSEC_PER_MSEC, 1));
	mech_finish(&m);
}

int main(int argc, char **argv)
{
	static struct drive_spec spec;
	static struct mech m;

	BUG_ON(argc < 2);
	host_t42_ideal(&spec, argv[1]);
	spec.switch_settle = 100 * NSEC_PER_USEC;
	mech_init(&m, &spec, 0);
	check_rotation(&m);
	check_pieces(&m);
	check_crossing(&m);
	check_moves(&m);
	check_phase(&spec);
	mech_finish(&m);
	drive_finish(&spec);
	return 0;
}
