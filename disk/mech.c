/*
 * Mechanics of a drive: seek, head switch, settling, rotation, transfer.
 *
 * Angles are counted in units of 1/TURN of a revolution. A nanosecond is
 * exactly rpm units, so the angle follows from the time modulo a minute and
 * stays exact however long a run is; times are rounded to whole nanoseconds
 * only when the head meets a sector boundary, and never added up.
 *
 * Leaves out: zero-latency access (a track is read from its first wanted
 * sector on), servo wedges, spindle speed tolerance.
 */
#include "disk/mech.h"

#include "emu/bug.h"

/*
 * A boundary that passed within this many ns before the head was ready counts
 * as met: sector ends are rounded up to a nanosecond, and the sector behind
 * one that was just read must not cost a revolution.
 */
#define SLACK 4

void mech_init(struct mech *m, const struct drive_spec *spec, simtime phase)
{
	BUG_ON(spec->rpm <= 0 || phase < 0);
	geometry_init(&m->geometry, spec);
	seek_init(&m->seek, spec);
	m->rpm = spec->rpm;
	m->phase = phase;
	m->head_switch = spec->head_switch;
	m->write_settle = spec->write_settle;
	m->switch_settle = spec->switch_settle;
	m->cylinder = 0;
	m->head = 0;
}

void mech_finish(struct mech *m)
{
	seek_finish(&m->seek);
}

simtime mech_turn(const struct mech *m)
{
	return (TURN + m->rpm - 1) / m->rpm;
}

static int64_t mech_angle(const struct mech *m, simtime at)
{
	return (at + m->phase) % TURN * m->rpm % TURN;
}

simtime mech_move_time(const struct mech *m, const struct position *p,
		       bool write)
{
	uint32_t distance = p->cylinder > m->cylinder
				    ? p->cylinder - m->cylinder
				    : m->cylinder - p->cylinder;
	simtime move = m->seek.time[distance];

	if (p->head != m->head && move < m->head_switch)
		move = m->head_switch;
	if (write && move > 0)
		move += distance <= 1 ? m->switch_settle : m->write_settle;
	return move;
}

/* Units until this slot of the track comes by; a little below 0 is met. */
static int64_t mech_ahead(const struct mech *m, const struct position *p,
			  simtime at)
{
	int64_t units = TURN * p->slot / p->zone->sectors - mech_angle(m, at);

	if (units < 0)
		units += TURN;
	if (units > TURN - SLACK * m->rpm)
		units -= TURN;
	return units;
}

static simtime mech_units_time(const struct mech *m, int64_t units)
{
	return units <= 0 ? 0 : (units + m->rpm - 1) / m->rpm;
}

static void mech_go(struct mech *m, const struct position *p, bool write,
		    simtime at, struct mech_run *run)
{
	int64_t ahead, length;

	run->from_cylinder = m->cylinder;
	run->cylinder = p->cylinder;
	run->head = p->head;
	run->per_track = p->zone->sectors;
	run->start = at;
	run->arrive = at + mech_move_time(m, p, write);
	ahead = mech_ahead(m, p, run->arrive);
	run->begin = run->arrive + mech_units_time(m, ahead);

	/* from boundary to boundary, so that parts add up to the whole */
	length = TURN * (p->slot + run->sectors) / p->zone->sectors -
		 TURN * p->slot / p->zone->sectors;
	run->end = run->arrive + mech_units_time(m, ahead + length);
	BUG_ON(run->end < run->begin);
	m->cylinder = p->cylinder;
	m->head = p->head;
}

void mech_pass(struct mech *m, sector first, uint32_t sectors, bool write,
	       simtime at, struct mech_run *run)
{
	struct position p;
	uint32_t left;

	BUG_ON(sectors == 0);
	geometry_find(&m->geometry, first, &p);
	left = p.zone->sectors - p.sector;
	run->first = first;
	run->sectors = sectors < left ? sectors : left;
	mech_go(m, &p, write, at, run);
}

void mech_pass_spare(struct mech *m, uint32_t spare, sector first, bool write,
		     simtime at, struct mech_run *run)
{
	struct position p;

	geometry_spare(&m->geometry, spare, &p);
	run->first = first;
	run->sectors = 1;
	mech_go(m, &p, write, at, run);
}

simtime mech_position_time(const struct mech *m, const struct position *p,
			   bool write, simtime at)
{
	simtime move = mech_move_time(m, p, write);

	return move + mech_units_time(m, mech_ahead(m, p, at + move));
}

simtime mech_sector_done(const struct mech *m, const struct mech_run *run,
			 sector s)
{
	uint64_t after = run->first + run->sectors - 1 - s;
	int64_t units;

	BUG_ON(s < run->first || s >= run->first + run->sectors);
	units = TURN * (int64_t)after / run->per_track;
	return run->end - units / m->rpm;
}

sector mech_next_boundary(const struct mech *m, const struct mech_run *run,
			  simtime at)
{
	int64_t units = (at - run->begin) * m->rpm;
	uint64_t passed;

	BUG_ON(at < run->begin || at > run->end);
	passed = ((uint64_t)units * run->per_track + TURN - 1) / TURN;
	if (passed == 0)
		passed = 1;
	return run->first + (passed < run->sectors ? passed : run->sectors);
}
