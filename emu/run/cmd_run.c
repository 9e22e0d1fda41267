/*
 * faultline run: one scenario, one variant, one seed.
 *
 * Models      nothing.
 * Leaves out  several variants or seeds at a time.
 * Seen in     the command line.
 */
#include "emu/run/command.h"
#include "emu/run/commands.h"
#include "emu/run/fields.h"
#include "emu/run/machine.h"
#include "emu/run/options.h"
#include "emu/run/report.h"
#include "emu/run/timeline.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TIMELINE_MIB_MAX (1 << 20)

struct run_options {
	const char *variant, *format, *vmstat, *timeline;
	uint64_t seed, timeline_mib;
	struct option_list set;
	bool check, quiet, print_config;
};

static const struct option_spec run_options[] = {
	{ "variant", 0, OPTION_TEXT, offsetof(struct run_options, variant),
	  "NAME", "which variant; the first one by default" },
	{ "seed", 0, OPTION_NUMBER, offsetof(struct run_options, seed), "N",
	  "what chance is drawn from; 1 by default" },
	{ "set", 0, OPTION_LIST, offsetof(struct run_options, set), "KEY=VALUE",
	  "change the scenario: kernel.token.policy=none" },
	{ "format", 0, OPTION_TEXT, offsetof(struct run_options, format),
	  "text|json", "how results are written" },
	{ "vmstat", 0, OPTION_TEXT, offsetof(struct run_options, vmstat), "N",
	  "a line like vmstat's every N simulated seconds" },
	{ "timeline", 0, OPTION_TEXT, offsetof(struct run_options, timeline),
	  "FILE.json", "a timeline for ui.perfetto.dev" },
	{ "timeline-limit", 0, OPTION_NUMBER,
	  offsetof(struct run_options, timeline_mib), "MIB",
	  "largest size of the timeline; 256 by default" },
	{ "check", 0, OPTION_FLAG, offsetof(struct run_options, check), NULL,
	  "check invariants, each simulated second and at the end, and "
	  "content" },
	{ "print-config", 0, OPTION_FLAG,
	  offsetof(struct run_options, print_config), NULL,
	  "print the scenario with all parts filled in, and stop" },
	{ "quiet", 'q', OPTION_FLAG, offsetof(struct run_options, quiet), NULL,
	  "no progress on a terminal" },
	{ 0 },
};

static const struct usage_text usage = {
	"run", "[OPTION]... SCENARIO",
	"Run one scenario and report. SCENARIO is a YAML file, or the name of\n"
	"one of ours ('faultline list scenarios').",
	run_options
};

/* The signal that came: its handler can reach nothing else. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	interrupted = number;
}

/* A second one of a kind ends us at once. */
static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, 0 };
	struct sigaction action = { .sa_handler = on_interrupt,
				    .sa_flags = SA_RESETHAND };
	struct sigaction old;

	for (unsigned i = 0; numbers[i]; i++) {
		/* nohup wants to go on when the terminal goes */
		if (numbers[i] == SIGHUP && !sigaction(SIGHUP, NULL, &old) &&
		    old.sa_handler == SIG_IGN)
			continue;
		sigaction(numbers[i], &action, NULL);
	}
}

/*
 * Progress: on a terminal only, and only there the host's clock is read
 */

struct progress {
	bool on;
	struct timespec started, shown;
};

static double since(const struct timespec *then, const struct timespec *now)
{
	return (double)(now->tv_sec - then->tv_sec) +
	       (double)(now->tv_nsec - then->tv_nsec) / 1e9;
}

static void show_progress(void *arg, simtime now, simtime limit)
{
	struct progress *p = arg;
	struct timespec t;
	double passed, simulated = (double)now / NSEC_PER_SEC;

	if (!p->on)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	passed = since(&p->started, &t);
	if (passed <= 0 || since(&p->shown, &t) < 0.2)
		return;
	p->shown = t;
	fprintf(stderr,
		"\r%.0f s simulated, %.0f times as fast as real, at "
		"most %.0f s to go   ",
		simulated, simulated / passed,
		(double)(limit - now) / NSEC_PER_SEC * passed / simulated);
}

static void clear_progress(const struct progress *p)
{
	if (p->on)
		fprintf(stderr, "\r%70s\r", "");
}

/* A span of time; a number alone is seconds. */
static void read_vmstat(const char *text, struct machine_options *mo,
			struct diag *d)
{
	struct diag_place at = { "--vmstat", 0, 0 };
	bool plain = *text && !text[strspn(text, "0123456789.")];
	char value[64];

	snprintf(value, sizeof(value), "%s%s", text, plain ? "s" : "");
	if (param_parse(PARAM_TIME, value, &mo->vmstat, "vmstat", d, at) &&
	    mo->vmstat < SAMPLE_MIN)
		diag_error(d, at, "vmstat: at least 1ms");
}

static void read_timeline(const struct run_options *o, const char *scenario,
			  struct diag *d)
{
	struct diag_place at = { "--timeline", 0, 0 };

	if (o->timeline && (!*o->timeline || streq(o->timeline, "-")))
		diag_error(d, at,
			   "a file is needed: results go to standard output "
			   "('./-' is a file called '-')");
	else if (o->timeline && data_same_file(o->timeline, scenario))
		diag_error(d, at, "'%s' is the scenario itself", o->timeline);
	at.file = "--timeline-limit";
	if (o->timeline_mib < 1 || o->timeline_mib > TIMELINE_MIB_MAX)
		diag_error(d, at, "1 to %d (MiB)", TIMELINE_MIB_MAX);
}

/* Options whose values are not free text. */
static bool read_options(struct run_options *o, const char *path,
			 struct machine_options *mo, struct diag *d)
{
	static const char *const formats[] = { "text", "json", NULL };
	struct diag_place at = { "--format", 0, 0 };

	if (o->format && !streq(o->format, "text") && !streq(o->format, "json"))
		fields_unknown(d, at, "run", "format", o->format, formats);
	mo->seed = o->seed;
	mo->check = o->check;
	read_timeline(o, path, d);
	if (o->vmstat)
		read_vmstat(o->vmstat, mo, d);
	return !diag_errors(d);
}

static int write_results(const struct run_options *o, const struct results *r)
{
	if (o->format && streq(o->format, "json"))
		report_json(r, stdout);
	else
		report_text(r, stdout);
	if (r->partial)
		return EXIT_SIGNAL + interrupted;
	return results_good(r) ? EXIT_DONE : EXIT_FAILED;
}

static int run_machine(const struct run_options *o, struct machine *m,
		       const struct progress *progress)
{
	struct timeline *timeline = NULL;
	struct results results;
	simtime cut;
	int status;

	if (o->timeline) {
		timeline = timeline_new(m, o->timeline,
					(int64_t)o->timeline_mib << 20);
		if (!timeline) {
			fprintf(stderr, "faultline: %s: %s\n", o->timeline,
				strerror(errno));
			return EXIT_USAGE;
		}
	}
	machine_run(m, &results);
	clear_progress(progress);
	status = write_results(o, &results);
	if (timeline && timeline_cut(timeline, &cut))
		fprintf(stderr,
			"faultline: warning: %s: incomplete: it reached %llu "
			"MiB at %.3f simulated seconds (--timeline-limit)\n",
			o->timeline, (unsigned long long)o->timeline_mib,
			(double)cut / NSEC_PER_SEC);
	if (!timeline_free(timeline)) {
		fprintf(stderr, "faultline: %s: cannot be written\n",
			o->timeline);
		status = EXIT_FAILED;
	}
	results_finish(&results);
	return status;
}

static int run_scenario(const struct run_options *o, const struct scenario *s,
			struct machine_options *mo, struct diag *d)
{
	struct progress progress = { .on = !o->quiet && isatty(2) };
	struct machine *m;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &progress.started);
	mo->progress = show_progress;
	mo->interrupt = &interrupted;
	mo->arg = &progress;
	m = machine_new(s, mo, d);
	if (!m)
		return EXIT_USAGE;
	catch_signals();
	status = run_machine(o, m, &progress);
	machine_free(m);
	return status;
}

/* The scenario as a scenario again, which runs the same from anywhere. */
static void print_config(const struct scenario *s, struct diag *d)
{
	struct yaml *tree = yaml_copy(s->tree);

	commands_absolute(tree, s->path, d);
	resolve_escape(tree);
	yaml_print(tree, stdout, false);
	yaml_discard(tree);
}

static int load_and_run(struct run_options *o, struct data *data,
			const char *word, struct diag *d)
{
	struct wishes wishes = { o->variant, o->set.text };
	struct machine_options mo = { 0 };
	const char *path = scenario_path(data, word, d);
	struct scenario *s = NULL;
	int status = EXIT_USAGE;

	if (path && read_options(o, path, &mo, d))
		s = scenario_load(data, path, &wishes, d);
	/* a slip in another variant is one, too; settings are for this one */
	if (s && !o->set.count && !scenario_validate(data, path, d)) {
		scenario_free(s);
		s = NULL;
	}
	if (!s)
		return status;
	diag_print(d, stderr);
	if (o->print_config) {
		print_config(s, d);
		status = EXIT_DONE;
	} else {
		status = run_scenario(o, s, &mo, d);
	}
	scenario_free(s);
	return status;
}

int command_run(int argc, char **argv)
{
	struct run_options o = { .seed = 1,
				 .timeline_mib = TIMELINE_LIMIT >> 20 };
	int words = options_parse(&usage, &o, argc, argv);
	struct data *data;
	struct diag *d;
	int status;

	if (words < 0)
		return words == -1 ? EXIT_DONE : EXIT_USAGE;
	if (words != 1) {
		fprintf(stderr,
			"faultline: run: %s; see 'faultline run "
			"--help'\n",
			words ? "one scenario at a time" : "which scenario?");
		return EXIT_USAGE;
	}
	data = data_open();
	if (!data)
		return EXIT_USAGE;
	d = diag_new();
	status = load_and_run(&o, data, argv[1], d);
	diag_print(d, stderr);
	diag_free(d);
	data_free(data);
	return status;
}
