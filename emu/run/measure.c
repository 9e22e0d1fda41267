/*
 * Figures of a run, by name.
 *
 * Models      nothing: a table of what can be asked for.
 * Leaves out  figures per process: programs and phases are what reports have.
 * Seen in     published, expect, and the comparison in the report.
 */
#include "emu/run/measure.h"

#include "emu/bug.h"
#include "emu/run/fields.h"
#include "emu/run/results.h"

#define PROGRAM_NAMES 9 /* that only a program has, at the table's start */

#define X(name, help) #name,
static const char *const names[] = { "user",
				     "sys",
				     "major_faults",
				     "minor_faults",
				     "voluntary_switches",
				     "involuntary_switches",
				     "max_rss_kib",
				     "exit_status",
				     "exit_signal",
				     "real",
				     "file_reads",
				     "file_writes",
				     "file_read_kib",
				     "file_written_kib",
				     "swap_reads",
				     "swap_writes",
				     "swap_read_kib",
				     "swap_written_kib",
				     VMSTAT_COUNTERS(X) NULL };
#undef X

const char *const *measure_names(bool of_program)
{
	return of_program ? names : names + PROGRAM_NAMES;
}

bool measure_known(const char *name, bool of_program)
{
	const char *const *known = measure_names(of_program);

	for (unsigned i = 0; known[i]; i++)
		if (streq(known[i], name))
			return true;
	return false;
}

bool measure_is_time(const char *name)
{
	return streq(name, "real") || streq(name, "user") || streq(name, "sys");
}

const char *measure_key(const char *name)
{
	if (streq(name, "real"))
		return "real_s";
	if (streq(name, "user"))
		return "user_s";
	return streq(name, "sys") ? "system_s" : name;
}

static double seconds(simtime ns)
{
	return (double)ns / NSEC_PER_SEC;
}

/* "reads" of a disk, or another figure of it; false if it has none such. */
static bool measure_disk(const struct disk_stats *from,
			 const struct disk_stats *to, const char *name,
			 double *out)
{
	if (streq(name, "reads"))
		*out = (double)(to->reads - from->reads);
	else if (streq(name, "writes"))
		*out = (double)(to->writes - from->writes);
	else if (streq(name, "read_kib"))
		*out = (double)(to->read_sectors - from->read_sectors) / 2;
	else if (streq(name, "written_kib"))
		*out = (double)(to->written_sectors - from->written_sectors) /
		       2;
	else
		return false;
	return true;
}

double measure_span(const struct span *span, const char *name)
{
	const struct stat_name *counter;
	double value;

	if (streq(name, "real"))
		return seconds(span->to.at - span->from.at);
	for (unsigned i = 0; i < UNITS; i++) {
		size_t n = __builtin_strlen(unit_names[i]);

		if (__builtin_strncmp(name, unit_names[i], n) == 0 &&
		    name[n] == '_' &&
		    measure_disk(&span->from.disk[i], &span->to.disk[i],
				 name + n + 1, &value))
			return value;
	}
	counter = stat_find(vmstat_names, name);
	BUG_ON(!counter);
	return (double)(stat_get(counter, &span->to.vm) -
			stat_get(counter, &span->from.vm));
}

double measure_command(const struct command_result *c, const char *name)
{
	const struct usage *u = &c->usage;
	uint64_t rss_kib = u->max_rss * (PAGE_SIZE / 1024);

	if (streq(name, "user"))
		return seconds(c->user);
	if (streq(name, "sys"))
		return seconds(c->system);
	if (streq(name, "major_faults"))
		return (double)u->major_faults;
	if (streq(name, "minor_faults"))
		return (double)u->minor_faults;
	if (streq(name, "voluntary_switches"))
		return (double)u->voluntary_switches;
	if (streq(name, "involuntary_switches"))
		return (double)u->involuntary_switches;
	if (streq(name, "max_rss_kib"))
		return (double)rss_kib;
	if (streq(name, "exit_status"))
		return c->exit_status;
	if (streq(name, "exit_signal"))
		return c->exit_signal;
	return measure_span(&c->span, name);
}
