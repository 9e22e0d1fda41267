/*
 * What text and JSON reports have in common: figures made of others.
 *
 * Models      nothing.
 * Leaves out  layout.
 * Seen in     report_text.c, report_json.c.
 */
#include "emu/run/report.h"

#include "emu/run/fields.h"
#include "emu/run/measure.h"

#include <string.h>

static const struct command_result *find_command(const struct results *r,
						 const char *label)
{
	for (unsigned i = 0; i < r->nr_commands; i++)
		if (streq(r->command[i].line->label, label))
			return &r->command[i];
	return NULL;
}

bool report_ours(const struct results *r, const struct published *fact,
		 double *ours)
{
	const struct command_result *c = find_command(r, fact->label);

	if (!c || c->outcome == NOT_STARTED)
		return false;
	if (!fact->phase) {
		*ours = measure_command(c, fact->measure);
		return true;
	}
	for (unsigned i = 0; i < r->nr_phases; i++) {
		const struct phase *p = &r->phase[i];

		if (&r->command[p->command] != c ||
		    !streq(p->name, fact->phase) ||
		    !measure_known(fact->measure, false))
			continue;
		*ours = measure_span(&p->span, fact->measure);
		return true;
	}
	return false;
}

/* Signals by their numbers on i386: SIGKILL, SIGBUS, SIGSEGV. */
static const char *signal_meaning(int signal)
{
	switch (signal) {
	case 7:
		return "beyond the end of a file, or a bad sector";
	case 9:
		return "when there was no memory left";
	default:
		return "a bad address";
	}
}

void report_death(const struct task_death *death, int signal, char *out,
		  size_t size)
{
	*out = '\0';
	if (!death->why)
		return;
	if (death->at_address)
		snprintf(out, size, "at 0x%08x: %s 0x%08x, %s", death->pc,
			 death->why, death->address, signal_meaning(signal));
	else
		snprintf(out, size, "at 0x%08x: %s", death->pc, death->why);
}

struct disk_stats report_disks(const struct span *span)
{
	struct disk_stats sum = { 0 };

	for (unsigned i = 0; i < UNITS; i++) {
		const struct disk_stats *a = &span->from.disk[i];
		const struct disk_stats *b = &span->to.disk[i];

		sum.reads += b->reads - a->reads;
		sum.writes += b->writes - a->writes;
		sum.read_sectors += b->read_sectors - a->read_sectors;
		sum.written_sectors += b->written_sectors - a->written_sectors;
		sum.cache_hits += b->cache_hits - a->cache_hits;
		sum.seek += b->seek - a->seek;
		sum.rotation += b->rotation - a->rotation;
		sum.transfer += b->transfer - a->transfer;
		sum.overhead += b->overhead - a->overhead;
		sum.rate_wait += b->rate_wait - a->rate_wait;
		sum.busy += b->busy - a->busy;
		sum.queue_integral += b->queue_integral - a->queue_integral;
		sum.response += b->response - a->response;
	}
	return sum;
}

double report_jain(const struct results *r)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < r->nr_commands; i++) {
		double x = (double)(r->command[i].user + r->command[i].system);

		sum += x;
		squares += x * x;
	}
	return squares > 0 ? sum * sum / (r->nr_commands * squares) : 1.0;
}
