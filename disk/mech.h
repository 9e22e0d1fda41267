/*
 * Arm and platter: when will these sectors have passed under the head?
 *
 * The platter's angle is a function of simulated time alone, exact at any
 * time; nothing about rotation is drawn or accumulated.
 */
#pragma once

#include "disk/geometry.h"
#include "disk/seek.h"

struct mech {
	struct geometry geometry;
	struct seek seek;
	int64_t rpm;
	simtime phase; /* angle at time 0, as a time */
	simtime head_switch, write_settle, switch_settle;

	uint32_t cylinder, head; /* where the arm is, or is going */
};

/* One pass over sectors of one track. Times: when, in simulated ns. */
struct mech_run {
	sector first;
	uint32_t sectors;
	uint32_t from_cylinder, cylinder, head;
	uint32_t per_track;
	simtime start;	/* the arm sets off */
	simtime arrive; /* the head is on the track */
	simtime begin;	/* the first sector comes by */
	simtime end;	/* the last one has passed */
};

/* The spec must have passed drive_check. phase in ns, from 0 to a turn. */
void mech_init(struct mech *m, const struct drive_spec *spec, simtime phase);
void mech_finish(struct mech *m);

/*
 * Set off at time at for as many of these sectors as lie on the first one's
 * track, and leave the arm there. Fills run.
 */
void mech_pass(struct mech *m, sector first, uint32_t sectors, bool write,
	       simtime at, struct mech_run *run);

/* The same for the i-th spare sector, in place of sector first. */
void mech_pass_spare(struct mech *m, uint32_t spare, sector first, bool write,
		     simtime at, struct mech_run *run);

/* How long the arm moves to get there. Changes nothing. */
simtime mech_move_time(const struct mech *m, const struct position *p,
		       bool write);

/*
 * Setting off at time at, how long until the sector comes by? Changes
 * nothing: for choosing what to serve next.
 */
simtime mech_position_time(const struct mech *m, const struct position *p,
			   bool write, simtime at);

/* When sector s of a run has passed, in ns. */
simtime mech_sector_done(const struct mech *m, const struct mech_run *run,
			 sector s);

/*
 * The first sector of a run that has not begun to pass at time at, after at
 * least one has passed: where a run in progress can be broken off.
 */
sector mech_next_boundary(const struct mech *m, const struct mech_run *run,
			  simtime at);

/* One revolution, rounded up to a nanosecond; for retries only. */
simtime mech_turn(const struct mech *m);
