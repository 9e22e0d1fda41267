/*
 * The run script of a scenario.
 *
 * Models      the one who sat at the machine: what was started when.
 * Leaves out  loops and conditions: a script is a list of lines with times.
 * Seen in     run, background and init of every scenario.
 */
#include "emu/run/script.h"

#include "emu/bug.h"
#include "emu/run/measure.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_MAX      1000
#define SIGKILL_NUMBER 9

static const char *const action_keys[] = { "time",   "start",  "kill",
					   "sysctl", "sample", "fault",
					   "expect", NULL };

/* Reading in progress. */
struct reading {
	struct script *script;
	struct programs *programs;
	struct diag *d;
	bool full; /* too many lines, which was said */
};

/* Is there room for one more line? If not, that is said and reading ends. */
static bool has_room(struct reading *r, struct diag_place at)
{
	if (r->script->count < SCRIPT_LINES_MAX)
		return true;
	if (!r->full)
		diag_error(r->d, at, "run: more than %d lines",
			   SCRIPT_LINES_MAX);
	r->full = true;
	return false;
}

static struct script_line *add_line(struct script *s)
{
	BUG_ON(s->count >= SCRIPT_LINES_MAX);
	/* grows at powers of two */
	if (!(s->count & (s->count - 1)))
		s->line = xrealloc(s->line, (s->count ? 2 * s->count : 1) *
						    sizeof(*s->line));
	memset(&s->line[s->count], 0, sizeof(*s->line));
	return &s->line[s->count++];
}

const struct script_line *script_find(const struct script *script,
				      const char *label)
{
	const struct label *known = labels_find(&script->labels, label);

	return known && known->timed ? &script->line[known->timed - 1] : NULL;
}

/*
 * Programs
 */

/* A label no other timed program has: qsbench, qsbench#2, ... */
static const char *free_label(struct reading *r, const char *wish)
{
	unsigned n = labels_get(&r->script->labels, wish)->number;
	const char *label = wish;

	while (script_find(r->script, label)) {
		n = n ? n + 1 : 2;
		label = data_printf(r->programs->data, "%s#%u", wish, n);
	}
	labels_get(&r->script->labels, wish)->number = n;
	return label;
}

/* The first word of a command. */
static const char *first_word(struct reading *r, const char *command)
{
	return data_printf(r->programs->data, "%.*s",
			   (int)strcspn(command, " "), command);
}

static void read_program(struct reading *r, const struct fields *f,
			 struct script_line *line, const char *key)
{
	const char *text = fields_text(f, key);
	const char *label = fields_text(f, "as");
	int64_t nice = fields_number(f, "nice", PARAM_INT, 0);
	struct label *known;

	line->command = "";
	line->label = "";
	if (!text)
		return;
	line->command = programs_command(r->programs, text, r->d,
					 yaml_get(f->map, key)->place);
	if (label && !*label)
		fields_error(f, "as", "as: a label is expected");
	if (label && script_find(r->script, label))
		fields_error(f, "as", "as: '%s' is taken already", label);
	if (!label)
		label = first_word(r, line->command);
	line->label =
		line->action == SCRIPT_TIME ? free_label(r, label) : label;
	known = labels_get(&r->script->labels, line->label);
	/* the line is the next one to be added */
	if (line->action == SCRIPT_TIME && !known->timed)
		known->timed = r->script->count + 1;
	if (nice < -20 || nice > 19)
		fields_error(f, "nice", "nice: must be -20 to 19");
	else
		line->nice = (int)nice;
	r->script->timed += line->action == SCRIPT_TIME;
}

/*
 * Knobs, disk faults, expectations
 */

bool script_sysctl(const struct yaml *key, const struct yaml *value,
		   const struct sysctl **which, int64_t *out, struct diag *d)
{
	const struct sysctl *s = sysctl_find(key->text);
	char *end;

	if (!s) {
		const char *names[SYSCTLS_MAX + 1];
		unsigned n = 0;

		for (s = sysctl_table; s->name && n < SYSCTLS_MAX; s++)
			names[n++] = s->name;
		names[n] = NULL;
		fields_unknown(d, key->place, "sysctl", "name", key->text,
			       names);
		return false;
	}
	*which = s;
	if (value->kind != YAML_SCALAR || !*value->text) {
		diag_error(d, value->place, "sysctl: %s: a number is expected",
			   s->name);
		return false;
	}
	*out = strtoll(value->text, &end, 10);
	if (*end || *out < s->min || *out > s->max) {
		diag_error(d, value->place,
			   "sysctl: %s: '%s': a number from %lld to %lld is "
			   "expected, without a unit",
			   s->name, value->text, (long long)s->min,
			   (long long)s->max);
		return false;
	}
	return true;
}

/* A line writes one knob; several in one map become lines of their own. */
static void read_sysctl(struct reading *r, const struct fields *f,
			struct script_line line)
{
	const struct yaml *map = yaml_get(f->map, "sysctl");

	if (map->kind != YAML_MAP) {
		fields_error(f, "sysctl",
			     "sysctl: a mapping is expected: "
			     "{vm.swappiness: 10}");
		return;
	}
	for (unsigned i = 0; i < map->count && has_room(r, line.place); i++)
		if (script_sysctl(map->key[i], map->item[i], &line.sysctl,
				  &line.value, r->d))
			*add_line(r->script) = line;
}

static void read_fault(struct reading *r, const struct fields *f,
		       struct script_line *line)
{
	static const char *const others[] = { "disk", NULL };
	const struct yaml *y = yaml_get(f->map, "fault");
	struct fields own = { y->kind == YAML_MAP ? y : NULL, "fault", r->d };

	param_defaults(ide_fault_params, &line->fault);
	fields_table(y, "fault", ide_fault_params, &line->fault, others, r->d);
	line->unit = (enum unit_role)fields_choice(&own, "disk", unit_names,
						   UNIT_FILE);
}

/* "qsbench.major_faults >= 100" into its parts. */
static bool parse_expectation(struct reading *r, const char *text,
			      struct script_line *line)
{
	static const char *const ops[] = { "<",	 "<=", "==", "!=",
					   ">=", ">",  NULL };
	char what[64], op[4], dot;
	int end = 0;
	long long value;
	char *point;

	if (sscanf(text, "%63[^ <=>!] %3[<=>!] %lld%n%c", what, op, &value,
		   &end, &dot) != 3)
		return false;
	for (unsigned i = 0; ops[i]; i++)
		if (streq(op, ops[i]))
			line->op = (enum expect_op)i;
	if (!streq(op, ops[line->op]))
		return false;
	line->value = value;
	point = strrchr(what, '.');
	if (point) {
		*point = '\0';
		line->of = data_keep(r->programs->data, what);
		line->what = data_keep(r->programs->data, point + 1);
	} else {
		line->what = data_keep(r->programs->data, what);
	}
	return true;
}

static void read_expectation(struct reading *r, const struct fields *f,
			     struct script_line *line)
{
	const char *text = fields_text(f, "expect");

	if (!yaml_get(f->map, "at"))
		line->at = -1;
	line->what = "pgfault";
	if (!text)
		return;
	if (!parse_expectation(r, text, line)) {
		fields_error(f, "expect",
			     "expect: 'WHAT >= NUMBER' is expected, such as "
			     "'oom_kill == 0'");
		return;
	}
	if (!measure_known(line->what, line->of != NULL))
		fields_unknown(r->d, yaml_get(f->map, "expect")->place,
			       "expect", "figure", line->what,
			       measure_names(line->of != NULL));
}

/*
 * Lines
 */

/* Keys that mean nothing to this action. */
static void check_keys(const struct fields *f, enum script_action action)
{
	static const char *const starting[] = { "as", "nice", "count", NULL };

	if (action == SCRIPT_TIME || action == SCRIPT_START)
		return;
	for (unsigned i = 0; starting[i]; i++)
		if (yaml_get(f->map, starting[i]))
			fields_error(f, starting[i],
				     "%s: only for lines that start programs",
				     starting[i]);
}

/* The one key of a line that says what it does; -1 after an error. */
static int action_of(const struct fields *f)
{
	int action = -1;

	for (int i = 0; action_keys[i]; i++) {
		if (!f->map || !yaml_get(f->map, action_keys[i]))
			continue;
		if (action >= 0) {
			fields_error(f, action_keys[i],
				     "a line does one thing, not both '%s' "
				     "and '%s'",
				     action_keys[action], action_keys[i]);
			return -1;
		}
		action = i;
	}
	if (action < 0 && f->map)
		fields_error(f, "at",
			     "a line needs one of time, start, kill, sysctl, "
			     "sample, fault, expect");
	return action;
}

static void read_one_more(struct reading *r, const struct fields *f,
			  struct script_line line)
{
	const char *word;

	switch (line.action) {
	case SCRIPT_TIME:
	case SCRIPT_START:
		read_program(r, f, &line, action_keys[line.action]);
		break;
	case SCRIPT_KILL:
		line.victim = fields_text(f, "kill");
		line.place = yaml_get(f->map, "kill")->place;
		line.value = SIGKILL_NUMBER;
		break;
	case SCRIPT_SYSCTL:
		read_sysctl(r, f, line);
		return;
	case SCRIPT_SAMPLE:
		word = fields_text(f, "sample");
		if (word && !streq(word, "off"))
			line.sample = fields_number(f, "sample", PARAM_TIME,
						    NSEC_PER_SEC);
		if (word && !streq(word, "off") && line.sample < SAMPLE_MIN)
			fields_error(f, "sample",
				     "sample: an interval of at least 1ms, or "
				     "'off'");
		break;
	case SCRIPT_FAULT:
		read_fault(r, f, &line);
		break;
	default:
		read_expectation(r, f, &line);
		break;
	}
	*add_line(r->script) = line;
}

static void read_line(struct reading *r, const struct yaml *y)
{
	static const char *const keys[] = {
		"at",	"after",  "as",	    "nice",  "count",  "time", "start",
		"kill", "sysctl", "sample", "fault", "expect", NULL
	};
	struct fields f = fields_of(y, "run", keys, r->d);
	int action = action_of(&f);
	int64_t count = fields_number(&f, "count", PARAM_INT, 1);
	struct script_line line = { 0 };

	if (action < 0)
		return;
	line.action = (enum script_action)action;
	check_keys(&f, line.action);
	line.place = y->place;
	line.at = fields_number(&f, "at", PARAM_TIME, 0);
	line.after = fields_text(&f, "after");
	if (line.after && !script_find(r->script, line.after))
		fields_error(&f, "after",
			     "after: no timed program '%s' stands before "
			     "this line",
			     line.after);
	if (count < 1 || count > COUNT_MAX) {
		fields_error(&f, "count", "count: must be 1 to %d", COUNT_MAX);
		count = 1;
	}
	while (count-- > 0 && has_room(r, line.place))
		read_one_more(r, &f, line);
}

static void read_lines(struct reading *r, const struct yaml *list,
		       const char *what)
{
	if (!list)
		return;
	if (list->kind != YAML_LIST) {
		diag_error(r->d, list->place,
			   "%s: a list is expected: '- {at: 5s, time: ...}'",
			   what);
		return;
	}
	for (unsigned i = 0; i < list->count && !r->full; i++)
		read_line(r, list->item[i]);
}

/* Images that programs exec by themselves. */
static void read_programs(struct reading *r, const struct yaml *list)
{
	for (unsigned i = 0; list && i < list->count; i++) {
		const struct yaml *y = list->item[i];

		if (i == SCRIPT_PROGRAMS_MAX) {
			diag_error(r->d, y->place, "programs: more than %d",
				   SCRIPT_PROGRAMS_MAX);
			break;
		}

		if (list->kind == YAML_LIST && y->kind == YAML_SCALAR)
			programs_add(r->programs, y->text, r->d, y->place);
		else
			diag_error(r->d, y->place,
				   "programs: a list of names is expected");
	}
}

static void read_init(struct reading *r, const struct yaml *y)
{
	if (!y)
		return;
	if (y->kind != YAML_SCALAR)
		diag_error(r->d, y->place, "init: a command is expected");
	else
		r->script->init =
			programs_command(r->programs, y->text, r->d, y->place);
	if (r->script->init && strncmp(r->script->init, "init", 4) != 0)
		diag_error(r->d, y->place,
			   "init: process 1 must be a program whose name "
			   "begins with 'init'");
}

void script_read(struct script *script, struct programs *programs,
		 const struct yaml *scenario, struct diag *d)
{
	static const char *const keys[] = { "name", "about",	"source",
					    "init", "programs", NULL };
	struct reading r = { script, programs, d, false };
	struct fields background = fields_of(yaml_get(scenario, "background"),
					     "background", keys, d);
	const struct yaml *init = yaml_get(scenario, "init");

	if (!init && background.map)
		init = yaml_get(background.map, "init");
	read_init(&r, init);
	if (background.map)
		read_lines(&r, yaml_get(background.map, "programs"),
			   "background: programs");
	read_programs(&r, yaml_get(scenario, "programs"));
	read_lines(&r, yaml_get(scenario, "run"), "run");
	programs_libraries(programs, d);
}

void script_finish(struct script *script)
{
	free(script->line);
	labels_finish(&script->labels);
	memset(script, 0, sizeof(*script));
}
