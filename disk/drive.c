/*
 * Drives as data: the table of their parameters, the zones that follow from
 * an outer and an inner track, and the checks that a spec must pass before a
 * drive is made from it.
 *
 * Leaves out: reading files, which is emu/run/drivefile.
 */
#include "disk/drive.h"

#include "emu/bug.h"

static const char *const seek_names[] = { "table", "sqrt", "lee", NULL };
static const char *const order_names[] = { "fcfs", "sstf", "sptf", NULL };
static const char *const overhead_names[] = { "serial", "overlapped", NULL };
static const char *const flush_names[] = { "nearest", "ascending", NULL };

#define FIELD(name)  offsetof(struct drive_spec, name)
#define MAX_SEEK     (500 * NSEC_PER_MSEC)
#define MAX_OVERHEAD NSEC_PER_SEC
#define MAX_SPAN     (3600 * NSEC_PER_SEC)

const struct param drive_params[] = {
	{ "name", PARAM_STRING, FIELD(name), "unnamed", "model of the drive", 0,
	  0, NULL },
	{ "rpm", PARAM_INT, FIELD(rpm), "7200", "revolutions a minute", 60,
	  30000, NULL },
	{ "heads", PARAM_INT, FIELD(heads), "4", "recording surfaces", 1, 255,
	  NULL },
	{ "cylinders", PARAM_INT, FIELD(cylinders), "52500",
	  "tracks of a surface", 2, 400000, NULL },
	{ "seek", PARAM_ENUM, FIELD(seek), "sqrt",
	  "form of the seek curve: measured points, square root then straight "
	  "line, or the three-point formula of Lee",
	  0, 0, seek_names },
	{ "track_to_track", PARAM_TIME, FIELD(track_to_track), "1ms",
	  "seek over one cylinder", 0, MAX_SEEK, NULL },
	{ "average_seek", PARAM_TIME, FIELD(average_seek), "10ms",
	  "mean over all pairs of different cylinders, for reading", 0,
	  MAX_SEEK, NULL },
	{ "full_stroke", PARAM_TIME, FIELD(full_stroke), "18ms",
	  "seek over all cylinders", 0, MAX_SEEK, NULL },
	{ "head_switch", PARAM_TIME, FIELD(head_switch), "0.8ms",
	  "until another head of the same cylinder reads", 0, MAX_SEEK, NULL },
	{ "write_settle", PARAM_TIME, FIELD(write_settle), "1ms",
	  "added to a move that ends in a write", 0, MAX_SEEK, NULL },
	{ "switch_settle", PARAM_TIME, FIELD(switch_settle), "0.1ms",
	  "the same when the move was to the next track", 0, MAX_SEEK, NULL },
	{ "zone_count", PARAM_INT, FIELD(zone_count), "16",
	  "zones of equal width, when none are listed", 1, DRIVE_ZONES, NULL },
	{ "outer_sectors", PARAM_INT, FIELD(outer_sectors), "720",
	  "sectors of the outermost track, when no zones are listed", 8, 65535,
	  NULL },
	{ "inner_sectors", PARAM_INT, FIELD(inner_sectors), "396",
	  "sectors of the innermost track, when no zones are listed", 8, 65535,
	  NULL },
	{ "track_skew", PARAM_TIME, FIELD(track_skew), "1.3ms",
	  "turn between the starts of two tracks of a cylinder, when no zones "
	  "are listed",
	  0, MAX_SEEK, NULL },
	{ "cylinder_skew", PARAM_TIME, FIELD(cylinder_skew), "1.6ms",
	  "turn between the starts of two cylinders, when no zones are listed",
	  0, MAX_SEEK, NULL },
	{ "overhead", PARAM_TIME, FIELD(overhead), "0.3ms",
	  "before the arm moves for a command", 0, MAX_OVERHEAD, NULL },
	{ "hit_overhead", PARAM_TIME, FIELD(hit_overhead), "0.1ms",
	  "of a command that the buffer serves", 0, MAX_OVERHEAD, NULL },
	{ "overhead_mode", PARAM_ENUM, FIELD(overhead_mode), "serial",
	  "serial, or overlapped with the command before (queued drives)", 0, 0,
	  overhead_names },
	{ "bus_sector", PARAM_TIME, FIELD(bus_sector), "5.12us",
	  "one sector on the bus: 15.36us UDMA/33, 7.68us /66, 5.12us /100", 0,
	  NSEC_PER_MSEC, NULL },
	{ "depth", PARAM_INT, FIELD(depth), "1",
	  "commands inside the drive at once; a plain IDE drive has one", 1,
	  DRIVE_QUEUE, NULL },
	{ "order", PARAM_ENUM, FIELD(order), "fcfs",
	  "order of service: arrival, nearest cylinder, or least positioning "
	  "time",
	  0, 0, order_names },
	{ "ageing", PARAM_TIME, FIELD(ageing), "0",
	  "sptf: the cost of a command shrinks to nothing at this age; 0 is "
	  "never",
	  0, MAX_SPAN, NULL },
	{ "segments", PARAM_INT, FIELD(segments), "16",
	  "pieces of the buffer for reading; 0 is no read buffer", 0, 256,
	  NULL },
	{ "segment_sectors", PARAM_INT, FIELD(segment_sectors), "1024",
	  "size of one of them", 8, 65536, NULL },
	{ "read_ahead", PARAM_BOOL, FIELD(read_ahead), "yes",
	  "go on reading after a miss", 0, 0, NULL },
	{ "write_cache", PARAM_BOOL, FIELD(write_cache), "yes",
	  "report a write as done once it is in the buffer", 0, 0, NULL },
	{ "dirty_sectors", PARAM_INT, FIELD(dirty_sectors), "0",
	  "most that the write cache holds; 0 is half of the buffer", 0,
	  1 << 20, NULL },
	{ "flush_idle", PARAM_TIME, FIELD(flush_idle), "10ms",
	  "write dirty data once the arm has been idle for this long", 0,
	  MAX_SPAN, NULL },
	{ "flush_order", PARAM_ENUM, FIELD(flush_order), "nearest",
	  "which dirty data first: least positioning time, or next address", 0,
	  0, flush_names },
	{ "spares", PARAM_INT, FIELD(spares), "1024",
	  "sectors for moving bad ones to", 0, 1 << 16, NULL },
	{ "read_retry", PARAM_TIME, FIELD(read_retry), "1.5s",
	  "retries before an unreadable sector is reported", 0, MAX_SPAN,
	  NULL },
	{ "command_timeout", PARAM_TIME, FIELD(command_timeout), "10s",
	  "how long the host waits for a command", NSEC_PER_MSEC, MAX_SPAN,
	  NULL },
	{ "reset", PARAM_TIME, FIELD(reset), "500ms",
	  "until the drive works again after a reset or with power back", 0,
	  MAX_SPAN, NULL },
	{ NULL, PARAM_END, 0, NULL, NULL, 0, 0, NULL },
};

void drive_defaults(struct drive_spec *spec)
{
	*spec = (struct drive_spec){ 0 };
	param_defaults(drive_params, spec);
}

void drive_finish(struct drive_spec *spec)
{
	param_finish(drive_params, spec);
}

/* A skew of this time, in sectors of a track: never less than the time. */
static uint32_t drive_skew(const struct drive_spec *s, simtime skew,
			   int64_t sectors)
{
	int64_t turn = 60 * NSEC_PER_SEC; /* of time x rpm */

	return (uint32_t)((skew * s->rpm * sectors + turn - 1) / turn);
}

/* Zones of equal width; sectors per track fall in a straight line. */
static void drive_zones(struct drive_spec *s)
{
	int64_t n = s->zone_count, steps = n > 1 ? n - 1 : 1;
	int64_t fall = s->outer_sectors - s->inner_sectors;

	for (int64_t i = 0; i < n; i++) {
		int64_t spt =
			s->outer_sectors - (2 * fall * i + steps) / (2 * steps);
		struct drive_zone *z = &s->zone[i];

		z->first = (uint32_t)(i * s->cylinders / n);
		z->last = (uint32_t)((i + 1) * s->cylinders / n - 1);
		z->sectors = (uint32_t)spt;
		z->track_skew = drive_skew(s, s->track_skew, spt);
		z->cylinder_skew = drive_skew(s, s->cylinder_skew, spt);
	}
	s->nr_zones = (unsigned)n;
}

static void drive_check_zones(const struct drive_spec *s, struct diag *d,
			      struct diag_place at)
{
	int64_t next = 0;

	for (unsigned i = 0; i < s->nr_zones; i++) {
		const struct drive_zone *z = &s->zone[i];

		if (z->first != next || z->last < z->first)
			diag_error(d, at,
				   "drive: zone %u covers cylinders %u to %u, "
				   "but the zone before ends at %lld",
				   i, z->first, z->last, (long long)next - 1);
		if (z->sectors < 8 || z->sectors > 65535)
			diag_error(d, at,
				   "drive: zone %u has %u sectors per track; "
				   "8 to 65535 are possible",
				   i, z->sectors);
		if (z->track_skew >= z->sectors ||
		    z->cylinder_skew >= z->sectors)
			diag_error(d, at,
				   "drive: zone %u is skewed by a whole turn "
				   "or more",
				   i);
		next = (int64_t)z->last + 1;
	}
	if (next != s->cylinders)
		diag_error(d, at,
			   "drive: the zones end at cylinder %lld, the drive "
			   "at %lld",
			   (long long)next - 1, (long long)s->cylinders - 1);
}

/*
 * Is a point off the line between its neighbours by more than 10 %, so far
 * that it also leaves the range they span?
 */
static void drive_check_kink(const struct seek_point *p, struct diag *d,
			     struct diag_place at)
{
	simtime low = p[-1].time < p[1].time ? p[-1].time : p[1].time;
	simtime high = p[-1].time < p[1].time ? p[1].time : p[-1].time;

	if (p->time * 10 < low * 9 || p->time * 9 > high * 10)
		diag_warning(d, at,
			     "drive: the seek of %u cylinders takes %lld us, "
			     "its neighbours %lld and %lld us",
			     p->cylinders, (long long)(p->time / NSEC_PER_USEC),
			     (long long)(p[-1].time / NSEC_PER_USEC),
			     (long long)(p[1].time / NSEC_PER_USEC));
}

static void drive_check_points(const struct drive_spec *s, struct diag *d,
			       struct diag_place at)
{
	const struct seek_point *p = s->point;

	if (s->nr_points < 2)
		diag_error(d, at,
			   "drive: a seek table needs two points or more");
	for (unsigned i = 0; i < s->nr_points; i++) {
		if (p[i].time <= 0 || p[i].time > MAX_SEEK)
			diag_error(d, at,
				   "drive: the seek of %u cylinders takes an "
				   "impossible time",
				   p[i].cylinders);
		if (p[i].cylinders == 0 ||
		    (i > 0 && p[i].cylinders <= p[i - 1].cylinders))
			diag_error(d, at,
				   "drive: seek distances must rise from 1; "
				   "point %u is %u",
				   i, p[i].cylinders);
		if (i > 0 && i + 1 < s->nr_points)
			drive_check_kink(&p[i], d, at);
	}
}

/*
 * A square root that turns into a straight line has its mean between 1/3 and
 * 8/15 of the way from the shortest to the longest seek. Data sheets stray a
 * little beyond (the curve then takes the nearer end); far beyond, the three
 * figures do not belong to one drive.
 */
static void drive_check_curve(const struct drive_spec *s, struct diag *d,
			      struct diag_place at)
{
	simtime t1 = s->track_to_track, avg = s->average_seek;
	simtime full = s->full_stroke;

	if (t1 <= 0 || avg <= t1 || full <= avg) {
		diag_error(d, at,
			   "drive: seek times must rise: track_to_track, "
			   "average_seek, full_stroke");
		return;
	}
	if (s->seek == SEEK_LEE) {
		if (15 * avg < 10 * t1 + 5 * full ||
		    7 * t1 + 8 * full < 15 * avg)
			diag_error(d, at,
				   "drive: no three-point curve goes through "
				   "these seek times; use seek: sqrt");
		return;
	}
	if (100 * (avg - t1) < 25 * (full - t1) ||
	    100 * (avg - t1) > 62 * (full - t1))
		diag_error(d, at,
			   "drive: average_seek must lie 25 to 62 %% of the "
			   "way from track_to_track to full_stroke");
}

bool drive_check(struct drive_spec *spec, struct diag *d,
		 struct diag_place place)
{
	unsigned before = diag_errors(d);

	if (spec->seek == SEEK_TABLE)
		drive_check_points(spec, d, place);
	else
		drive_check_curve(spec, d, place);

	if (spec->nr_zones == 0) {
		if (spec->inner_sectors > spec->outer_sectors)
			diag_error(d, place,
				   "drive: inner_sectors is more than "
				   "outer_sectors");
		else if (spec->zone_count > spec->cylinders)
			diag_error(d, place,
				   "drive: more zones than cylinders");
		else
			drive_zones(spec);
	}
	if (spec->nr_zones > 0)
		drive_check_zones(spec, d, place);
	if (spec->order != ORDER_FCFS && spec->depth == 1)
		diag_warning(d, place,
			     "drive: order has no effect with a depth of 1");
	return diag_errors(d) == before;
}
