/*
 * Results as text, in the forms that people know: GNU time -v, vmstat of
 * procps 3 (2007), and a summary.
 *
 * Models      output layouts only.
 * Leaves out  colour: results are often piped.
 * Seen in     --format text.
 */
#include "emu/run/report.h"

#include "emu/run/config.h"
#include "emu/run/fields.h"
#include "emu/run/measure.h"
#include "os/jiffies.h"

#include <stdlib.h>
#include <string.h>

#define KIB_PER_PAGE  (PAGE_SIZE / 1024)
#define PAGES_PER_MIB 256

static double seconds(simtime ns)
{
	return (double)ns / NSEC_PER_SEC;
}

static unsigned long long ull(uint64_t n)
{
	return n;
}

/*
 * The effective configuration
 */

static void put_disk_line(const struct scenario *s, unsigned i, FILE *to)
{
	const struct unit *u = &s->hw.unit[i];

	if (!u->present)
		return;
	if (u->fixed)
		fprintf(to, "  %-9s %lld requests/s, %lld MiB/s, %llu MiB\n",
			unit_names[i], (long long)u->rate.requests_per_second,
			(long long)u->rate.bytes_per_second >> 20,
			ull(u->blocks / PAGES_PER_MIB));
	else
		fprintf(to, "  %-9s %s, %llu MiB, %lld rpm\n", unit_names[i],
			u->drive.name, ull(u->blocks / PAGES_PER_MIB),
			(long long)u->drive.rpm);
}

static void put_kernel_line(const struct scenario *s, FILE *to)
{
	const struct profile *p = &s->profile;

	fprintf(to, "  kernel    %s:", p->defaults->name);
	for (unsigned i = 0; i < SLOTS; i++) {
		fprintf(to, "%s %s %s", i ? "," : "", profile_slot_names[i],
			p->choice[i].slot->name);
		if (i == SLOT_ELEVATOR && p->swap_elevator.slot)
			fprintf(to, " (%s), %s (%s)", unit_names[UNIT_FILE],
				p->swap_elevator.slot->name,
				unit_names[UNIT_SWAP]);
		if (i == SLOT_TOKEN)
			fprintf(to, " (%s)", grab_names[p->grab]);
		if (p->choice[i].slot->reconstruction)
			fputs(" [reconstruction]", to);
	}
	fputc('\n', to);
}

/* Knobs that differ from the kernel's own defaults. */
static void put_sysctl_line(const struct scenario *s, FILE *to)
{
	struct sysctls def;
	bool any = false;

	sysctl_defaults(&def);
	for (const struct sysctl *k = sysctl_table; k->name; k++) {
		int64_t value, normal;

		memcpy(&value, (const char *)&s->profile.sysctls + k->offset,
		       sizeof(value));
		memcpy(&normal, (const char *)&def + k->offset, sizeof(normal));
		if (value == normal)
			continue;
		fprintf(to, "%s%s = %lld", any ? ", " : "  sysctl    ", k->name,
			(long long)value);
		any = true;
	}
	if (any)
		fputc('\n', to);
}

static void put_configuration(const struct results *r, FILE *to)
{
	const struct scenario *s = r->scenario;
	const struct hardware *hw = &s->hw;
	int64_t hz = s->profile.hz ? s->profile.hz : hw->hz;

	fprintf(to, "%s, variant %s", s->name, s->variant);
	if (s->about)
		fprintf(to, ": %s", s->about);
	fprintf(to,
		"\n  machine   %s: %lld MHz, %.1f MiB (%u pages), HZ %lld\n",
		hw->name ? hw->name : "(unnamed)",
		(long long)hw->clock / 1000000,
		(double)hw->frames / PAGES_PER_MIB, hw->frames, (long long)hz);
	put_disk_line(s, UNIT_FILE, to);
	put_disk_line(s, UNIT_SWAP, to);
	put_kernel_line(s, to);
	put_sysctl_line(s, to);
	if (s->swap_pages)
		fprintf(to, "  swap area %llu MiB on the %s disk\n",
			ull(s->swap_pages / PAGES_PER_MIB),
			unit_names[hw->swap_on]);
	if (s->uptime_at_start)
		fprintf(to, "  uptime    %.0f s at power-on\n",
			seconds(s->uptime_at_start));
}

/*
 * time -v
 */

/* h:mm:ss from an hour on, m:ss.cc below, as GNU time does. */
static void put_elapsed(simtime ns, FILE *to)
{
	long long cs = ns / (NSEC_PER_SEC / 100);
	long long s = cs / 100;

	if (s >= 3600)
		fprintf(to, "%lld:%02lld:%02lld\n", s / 3600, s % 3600 / 60,
			s % 60);
	else
		fprintf(to, "%lld:%02lld.%02lld\n", s / 60, s % 60, cs % 100);
}

static void put_label(const char *label, uint64_t value, FILE *to)
{
	fprintf(to, "\t%s: %llu\n", label, ull(value));
}

static void put_cpu_lines(const struct command_result *c, FILE *to)
{
	simtime real = c->span.to.at - c->span.from.at;

	fprintf(to, "\tUser time (seconds): %.2f\n", seconds(c->user));
	fprintf(to, "\tSystem time (seconds): %.2f\n", seconds(c->system));
	fprintf(to, "\tPercent of CPU this job got: %lld%%\n",
		(long long)(real ? 100 * (c->user + c->system) / real : 0));
	fputs("\tElapsed (wall clock) time (h:mm:ss or m:ss): ", to);
	put_elapsed(real, to);
}

/* The 23 lines of /usr/bin/time -v, GNU time 1.9. */
static void put_time(const struct command_result *c, FILE *to)
{
	const struct usage *u = &c->usage;

	fprintf(to, "\tCommand being timed: \"%s\"\n", c->line->command);
	put_cpu_lines(c, to);
	put_label("Average shared text size (kbytes)", 0, to);
	put_label("Average unshared data size (kbytes)", 0, to);
	put_label("Average stack size (kbytes)", 0, to);
	put_label("Average total size (kbytes)", 0, to);
	put_label("Maximum resident set size (kbytes)",
		  u->max_rss * KIB_PER_PAGE, to);
	put_label("Average resident set size (kbytes)", 0, to);
	put_label("Major (requiring I/O) page faults", u->major_faults, to);
	put_label("Minor (reclaiming a frame) page faults", u->minor_faults,
		  to);
	put_label("Voluntary context switches", u->voluntary_switches, to);
	put_label("Involuntary context switches", u->involuntary_switches, to);
	put_label("Swaps", 0, to);
	put_label("File system inputs", u->blocks_in, to);
	put_label("File system outputs", u->blocks_out, to);
	put_label("Socket messages sent", 0, to);
	put_label("Socket messages received", 0, to);
	put_label("Signals delivered", 0, to);
	put_label("Page size (bytes)", PAGE_SIZE, to);
	fprintf(to, "\tExit status: %d\n", c->exit_status);
}

static void put_command(const struct command_result *c, FILE *to)
{
	if (c->outcome == NOT_STARTED) {
		fprintf(to, "\n%s did not start: the run ended before.\n",
			c->line->label);
		return;
	}
	fprintf(to, "\n%s (%d), from %.3f s to %.3f s%s\n", c->line->label,
		c->pid, seconds(c->span.from.at), seconds(c->span.to.at),
		c->outcome == STILL_RUNNING ? ", still running at the end"
					    : "");
	if (c->outcome == KILLED) {
		char why[160];

		report_death(&c->death, c->exit_signal, why, sizeof(why));
		fprintf(to, "Command terminated by signal %d%s%s\n",
			c->exit_signal, *why ? " " : "", why);
	}
	if (c->outcome == KILLED_FOR_MEMORY)
		fprintf(to,
			"Command terminated by signal %d: killed for memory\n",
			c->exit_signal);
	put_time(c, to);
}

/*
 * vmstat
 */

static void put_vmstat(const struct results *r, FILE *to)
{
	if (!r->nr_vmstat)
		return;
	fputs("\nprocs -----------memory---------- ---swap-- -----io---- "
	      "--system-- -----cpu------\n"
	      " r  b   swpd   free   buff  cache   si   so    bi    bo   in   "
	      "cs us sy id wa st\n",
	      to);
	for (unsigned i = 0; i < r->nr_vmstat; i++) {
		const struct vmstat_line *l = &r->vmstat[i];

		fprintf(to, "%2u %2u %6llu %6llu %6d %6llu %4llu %4llu ",
			l->running, l->blocked, ull(l->swpd), ull(l->free), 0,
			ull(l->cache), ull(l->swap_in), ull(l->swap_out));
		fprintf(to, "%5llu %5llu %4llu %4llu %2u %2u %2u %2u %2d\n",
			ull(l->blocks_in), ull(l->blocks_out),
			ull(l->interrupts), ull(l->switches), l->user,
			l->system, l->idle, l->iowait, 0);
	}
}

/*
 * Phases
 */

static void put_phases(const struct results *r, FILE *to)
{
	if (!r->nr_phases)
		return;
	fprintf(to, "\nphase                       pid   seconds  majfault    "
		    "fault   swapin  swapout    reads   writes\n");
	for (unsigned i = 0; i < r->nr_phases; i++) {
		const struct phase *p = &r->phase[i];
		const struct vmstat *a = &p->span.from.vm;
		const struct vmstat *b = &p->span.to.vm;
		struct disk_stats d = report_disks(&p->span);
		char name[64];

		snprintf(name, sizeof(name), "%s/%s",
			 r->command[p->command].line->label, p->name);
		fprintf(to, "%-24s %6d %9.3f %9llu %8llu %8llu %8llu ", name,
			p->pid, seconds(p->span.to.at - p->span.from.at),
			ull(b->pgmajfault - a->pgmajfault),
			ull(b->pgfault - a->pgfault),
			ull(b->pswpin - a->pswpin),
			ull(b->pswpout - a->pswpout));
		fprintf(to, "%8llu %8llu\n", ull(d.reads), ull(d.writes));
	}
	if (r->phases_left_out)
		fprintf(to,
			"and %llu phases more: the first %d of a run are "
			"kept\n",
			ull(r->phases_left_out), PHASES_MAX);
}

/*
 * Summary
 */

static void put_faults(const struct results *r, FILE *to)
{
	const struct vmstat *v = &r->whole.to.vm;

	fprintf(to,
		"  faults    %llu, of them %llu with I/O; %llu zeroed, %llu "
		"copied, %llu file, %llu swap\n",
		ull(v->pgfault), ull(v->pgmajfault), ull(v->pgfault_anon),
		ull(v->pgfault_cow), ull(v->pgfault_file),
		ull(v->pgfault_swap));
	fprintf(to,
		"  swap      %llu pages in (%llu read ahead), %llu out; %llu "
		"used at the end, %llu at most\n",
		ull(v->pswpin), ull(v->swap_ra), ull(v->pswpout),
		ull(r->swap_used), ull(r->swap_used_most));
	fprintf(to,
		"  reclaim   %llu scanned by kswapd, %llu directly; %llu "
		"freed; %llu stalls, %llu naps\n",
		ull(v->pgscan_kswapd), ull(v->pgscan_direct),
		ull(v->pgsteal_true), ull(v->allocstall),
		ull(v->congestion_waits));
}

static void put_token(const struct results *r, FILE *to)
{
	fprintf(to,
		"  token     %s%s: %llu asked, %llu granted, %llu timed out, "
		"%llu "
		"preempted; %llu references kept\n",
		r->token->name,
		r->token->reconstruction ? " [reconstruction]" : "",
		ull(r->token_asks), ull(r->token_grants),
		ull(r->token_timeouts), ull(r->token_preemptions),
		ull(r->whole.to.vm.token_protected));
	if (r->token_early)
		fprintf(to,
			"            asked %llu times%s before %d s of uptime: "
			"until then this 32-bit kernel's tick clock is below "
			"zero, and nobody can have it\n",
			ull(r->token_early),
			r->token_early == r->token_asks ? ", always" : "",
			JIFFIES_BELOW_ZERO);
	for (unsigned i = 0; i < r->nr_holders; i++)
		fprintf(to, "            %s (%d) held it %llu times, %.3f s\n",
			r->holder[i].name, r->holder[i].pid,
			ull(r->holder[i].grants), seconds(r->holder[i].held));
}

static void put_disk(const struct results *r, unsigned i, FILE *to)
{
	const struct disk_stats *d = &r->whole.to.disk[i];
	simtime span = r->whole.to.at;

	if (!r->scenario->hw.unit[i].present)
		return;
	fprintf(to,
		"  %s disk %llu reads (%llu KiB), %llu writes (%llu KiB), %llu "
		"requests merged\n",
		unit_names[i], ull(d->reads), ull(d->read_sectors / 2),
		ull(d->writes), ull(d->written_sectors / 2),
		ull(r->queue[i].back_merges + r->queue[i].front_merges));
	fprintf(to, "            busy %.3f s (%.0f %%): ", seconds(d->busy),
		span ? 100.0 * (double)d->busy / (double)span : 0.0);
	if (r->scenario->hw.unit[i].fixed)
		fprintf(to,
			"waiting for its rate %.3f, transfer %.3f, late "
			"%.3f\n",
			seconds(d->rate_wait), seconds(d->transfer),
			seconds(d->overhead));
	else
		fprintf(to, "seek %.3f, rotation %.3f, transfer %.3f\n",
			seconds(d->seek), seconds(d->rotation),
			seconds(d->transfer));
}

static void put_rest(const struct results *r, FILE *to)
{
	uint64_t looks = r->tlb_hits + r->tlb_misses;

	fprintf(to,
		"  TLB       %llu hits, %llu misses (%.3f %%), %llu "
		"flushes\n",
		ull(r->tlb_hits), ull(r->tlb_misses),
		looks ? 100.0 * (double)r->tlb_misses / (double)looks : 0.0,
		ull(r->tlb_flushes));
	fprintf(to,
		"  CPU       user %.3f s, system %.3f, irq %.3f, idle %.3f, "
		"iowait %.3f; %llu switches\n",
		seconds(r->cpu.user), seconds(r->cpu.system),
		seconds(r->cpu.irq), seconds(r->cpu.idle),
		seconds(r->cpu.iowait), ull(r->context_switches));
	if (r->integrity.checked)
		fprintf(to, "  integrity %llu pages checked, %llu mismatches\n",
			ull(r->integrity.checked),
			ull(r->integrity.mismatches));
}

/* Between a label and a process' name; nothing without a label. */
static const char *of_label(const char *label)
{
	return *label ? ": " : "";
}

static void put_kills(const struct results *r, FILE *to)
{
	for (unsigned i = 0; i < r->nr_kills; i++) {
		const struct kill_record *k = &r->kill[i];

		fprintf(to,
			"  killed    %s%s%s (%d) at %.3f s for memory, with "
			"%llu "
			"points, when process %d found %llu pages and %llu "
			"swap slots free\n",
			k->label, of_label(k->label), k->name, k->pid,
			seconds(k->at), ull(k->points), k->by,
			ull(k->free_pages), ull(k->swap_free));
	}
}

static void put_deaths(const struct results *r, FILE *to)
{
	for (unsigned i = 0; i < r->nr_deaths; i++) {
		const struct death_record *d = &r->death[i];
		char why[160];

		report_death(&d->death, d->signal, why, sizeof(why));
		fprintf(to,
			"  died      %s%s%s (%d) at %.3f s of signal %d %s\n",
			d->label, of_label(d->label), d->name, d->pid,
			seconds(d->at), d->signal, why);
	}
	if (r->deaths_left_out)
		fprintf(to, "            and %u more\n", r->deaths_left_out);
}

static void put_summary(const struct results *r, FILE *to)
{
	fprintf(to, "\nsummary of %.3f simulated seconds\n",
		seconds(r->whole.to.at));
	put_faults(r, to);
	put_token(r, to);
	put_disk(r, UNIT_FILE, to);
	put_disk(r, UNIT_SWAP, to);
	put_rest(r, to);
	put_kills(r, to);
	put_deaths(r, to);
}

/*
 * Published beside ours
 */

static void put_figure(char *out, size_t size, const char *measure,
		       double value)
{
	if (measure_is_time(measure))
		snprintf(out, size, "%.3f", value);
	else
		snprintf(out, size, "%.0f", value);
}

/* Where ours lies: inside the spread of what was measured, or outside. */
static const char *verdict(const struct published *fact, double ours)
{
	if (!fact->spread)
		return "";
	return ours >= fact->min && ours <= fact->max ? "inside" : "outside";
}

static void put_fact(const struct results *r, const struct published *fact,
		     FILE *to)
{
	char name[64], mean[32], mine[32] = "-", spread[96] = "", low[32];
	double ours = 0;
	bool known = report_ours(r, fact, &ours);

	snprintf(name, sizeof(name), "%s%s%s", fact->label,
		 fact->phase ? "/" : "", fact->phase ? fact->phase : "");
	put_figure(mean, sizeof(mean), fact->measure, fact->mean);
	if (known)
		put_figure(mine, sizeof(mine), fact->measure, ours);
	if (fact->spread) {
		char high[32];

		put_figure(low, sizeof(low), fact->measure, fact->min);
		put_figure(high, sizeof(high), fact->measure, fact->max);
		snprintf(spread, sizeof(spread), " (%s..%s) %s", low, high,
			 known ? verdict(fact, ours) : "");
	}
	fprintf(to, "%-20s %-14s %12s %12s ", name, fact->measure, mine, mean);
	if (known && fact->mean > 0)
		fprintf(to, "%8.3f%s\n", ours / fact->mean, spread);
	else
		fprintf(to, "%8s%s\n", "-", spread);
}

static void put_published(const struct results *r, FILE *to)
{
	const struct publications *p = &r->scenario->published;

	if (!p->count)
		return;
	fprintf(to, "\n%-20s %-14s %12s %12s %8s\n", "published", "figure",
		"ours", "published", "ratio");
	for (unsigned i = 0; i < p->count; i++)
		put_fact(r, &p->list[i], to);
	if (r->scenario->source)
		fprintf(to, "source: %s\n", r->scenario->source);
}

static void put_expectations(const struct results *r, FILE *to)
{
	static const char *const ops[] = { "<", "<=", "==", "!=", ">=", ">" };

	if (r->nr_expectations)
		fputc('\n', to);
	for (unsigned i = 0; i < r->nr_expectations; i++) {
		const struct expectation *e = &r->expectation[i];
		const struct script_line *l = e->line;

		fprintf(to, "expected %s%s%s %s %lld: %s (%lld)\n",
			l->of ? l->of : "", l->of ? "." : "", l->what,
			ops[l->op], (long long)l->value,
			e->held ? "held" : "DID NOT HOLD", (long long)e->value);
	}
}

void report_text(const struct results *r, FILE *to)
{
	put_configuration(r, to);
	if (r->partial)
		fprintf(to,
			"\nPARTIAL: interrupted at %.3f simulated "
			"seconds\n",
			seconds(r->whole.to.at));
	if (*r->panic)
		fprintf(to,
			"\nPANIC: the emulated kernel stopped at %.3f "
			"simulated seconds: %s\n",
			seconds(r->whole.to.at), r->panic);
	for (unsigned i = 0; i < r->nr_commands; i++)
		put_command(&r->command[i], to);
	put_vmstat(r, to);
	put_phases(r, to);
	put_summary(r, to);
	put_published(r, to);
	put_expectations(r, to);
	fprintf(to,
		"\nfaultline %s scenario %016llx variant %s seed %llu digest "
		"%016llx\n",
		FAULTLINE_VERSION, ull(r->scenario->hash), r->scenario->variant,
		ull(r->seed), ull(r->digest));
}
