/*
 * The script of a scenario, as it happens: programs start, knobs are
 * written, disks break, the run ends.
 *
 * Models      the experimenter at the console, who takes no time.
 * Leaves out  the shell: a program is a child of process 1 at once.
 * Seen in     run and background of a scenario.
 */
#include "emu/run/machine_private.h"

#include "emu/bug.h"
#include "emu/run/fields.h"

#include <string.h>

/* How often progress is told. */
#define BEAT NSEC_PER_SEC

/* Nobody starts a program at the same instant of the clock twice. */
#define START_JITTER (100 * NSEC_PER_MSEC)

/* The run has come to its end. */
static void stop(struct machine *m)
{
	m->ended = true;
	m->kernel->stop = true;
}

/* Post ev span after now, which is the CPU's time. */
static void post_in(struct machine *m, struct event *ev, simtime span)
{
	event_post(&m->events, ev, kernel_now(m->kernel) + span);
}

/*
 * Programs
 */

/* How late a line happens: a program's start is a little off, by chance. */
static simtime jitter(struct machine *m, const struct script_line *line)
{
	if (line->action != SCRIPT_TIME && line->action != SCRIPT_START)
		return 0;
	return (simtime)rng_below(&m->jitter, START_JITTER);
}

/* Lines that wait for this program are due from now on. */
static void release_followers(struct machine *m, const char *label)
{
	for (unsigned i = 0; i < m->scenario->script.count; i++) {
		struct started *s = &m->started[i];

		if (s->line->after && streq(s->line->after, label))
			post_in(m, &s->event, s->line->at + jitter(m, s->line));
	}
}

static bool killed_for_memory(const struct machine *m, int pid)
{
	for (const struct oom_record *o = m->kernel->oom_records; o;
	     o = o->next)
		if (o->pid == pid)
			return true;
	return false;
}

static enum outcome outcome_of(const struct machine *m, const struct task *task)
{
	if (!task->exit_signal)
		return EXITED;
	return killed_for_memory(m, task->pid) ? KILLED_FOR_MEMORY : KILLED;
}

/* A program of the script has exited. In a task, or while reaping. */
static void on_exit_task(struct task *task, void *arg)
{
	struct started *s = arg;
	struct machine *m = s->machine;
	struct command_result *c;

	s->alive = false;
	if (s->command < 0)
		return;
	c = &m->results.command[s->command];
	c->outcome = outcome_of(m, task);
	c->exit_status = task->exit_status;
	c->exit_signal = task->exit_signal;
	c->death = task->death;
	c->usage = task_usage(task);
	collect_phase_end(m, 0, s->command);
	collect_snapshot(m, &c->span.to);
	release_followers(m, s->line->label);
	BUG_ON(!m->timed_left);
	m->timed_left--;
	if (!m->timed_left && m->scenario->end == END_EXITED)
		stop(m);
}

static void start_program(struct machine *m, struct started *s)
{
	struct task *task = task_start(m->kernel, s->line->command,
				       s->line->nice, on_exit_task, s);

	s->pid = task->pid;
	s->alive = true;
	if (s->command >= 0) {
		struct command_result *c = &m->results.command[s->command];

		c->outcome = STILL_RUNNING;
		c->pid = s->pid;
		collect_snapshot(m, &c->span.from);
	}
}

/* By label of a line, or by name of a process. */
static void kill_victim(struct machine *m, const struct script_line *line)
{
	for (unsigned i = 0; i < m->scenario->script.count; i++) {
		struct started *s = &m->started[i];
		struct task *task;

		if (!s->alive || !s->line->label ||
		    !streq(s->line->label, line->victim))
			continue;
		task = task_find(m->kernel, s->pid);
		if (task)
			task_kill(task, (int)line->value);
	}
	list_each (node, &m->kernel->tasks) {
		struct task *task = container_of(node, struct task, all);

		if (streq(task->name, line->victim) &&
		    !(task->flags & TF_KTHREAD))
			task_kill(task, (int)line->value);
	}
}

/*
 * Sampling
 */

static void on_sample(void *arg)
{
	struct machine *m = arg;

	collect_vmstat_line(m);
	event_post(&m->events, &m->sample, m->events.now + m->interval);
}

static void set_sampling(struct machine *m, simtime interval)
{
	event_cancel(&m->events, &m->sample);
	m->interval = interval;
	if (interval)
		event_post(&m->events, &m->sample, m->events.now + interval);
}

/* One line of the script happens. */
static void on_line(void *arg)
{
	struct started *s = arg;
	struct machine *m = s->machine;
	const struct script_line *line = s->line;

	switch (line->action) {
	case SCRIPT_TIME:
	case SCRIPT_START:
		start_program(m, s);
		break;
	case SCRIPT_KILL:
		kill_victim(m, line);
		break;
	case SCRIPT_SYSCTL:
		sysctl_write(m->kernel, line->sysctl, line->value);
		break;
	case SCRIPT_SAMPLE:
		set_sampling(m, line->sample);
		break;
	case SCRIPT_FAULT:
		ide_inject(m->disk[line->unit], &line->fault);
		break;
	default:
		collect_expectation(m, &m->results.expectation[s->expectation]);
		break;
	}
}

/*
 * Phases
 */

/*
 * Which program of the script is this process or one of its ancestors? Of
 * the timed ones only, if so asked.
 */
static const struct started *program_of(const struct machine *m,
					const struct task *task, bool timed)
{
	for (; task; task = task->parent)
		for (unsigned i = 0; i < m->scenario->script.count; i++) {
			const struct started *s = &m->started[i];

			if (s->alive && s->pid == task->pid &&
			    (s->command >= 0 || !timed))
				return s;
		}
	return NULL;
}

/* The label of its line in the script, or "". */
static const char *label_of(const struct machine *m, int pid)
{
	const struct started *s =
		program_of(m, task_find(m->kernel, pid), false);

	return s ? s->line->label : "";
}

static void on_mark(struct task *task, const char *name, void *arg)
{
	struct machine *m = arg;
	const struct started *s = program_of(m, task, true);

	if (s)
		collect_phase(m, s, task, name);
}

static void on_exit_event(void *arg, const struct trace_event *ev)
{
	int pid = (int)ev->v[0];

	collect_phase_end(arg, pid, -1);
	if (ev->v[2])
		collect_death(arg, pid, label_of(arg, pid));
}

static void on_oom_kill(void *arg, const struct trace_event *ev)
{
	collect_kill(arg, label_of(arg, (int)ev->v[0]));
}

/*
 * The clock on the wall
 */

static void on_beat(void *arg)
{
	struct machine *m = arg;
	const struct machine_options *o = &m->options;

	if (o->progress)
		o->progress(o->arg, m->events.now, m->scenario->limit);
	if (o->check)
		kernel_check(m->kernel);
	event_post(&m->events, &m->beat, m->events.now + BEAT);
}

static void on_end(void *arg)
{
	stop(arg);
}

/* Count what the script will produce and give every line its place. */
static void prepare_lines(struct machine *m)
{
	const struct script *script = &m->scenario->script;
	struct results *r = &m->results;

	m->started = xcalloc(script->count + 1, sizeof(*m->started));
	r->command = xcalloc(script->count + 1, sizeof(*r->command));
	r->expectation = xcalloc(script->count + 1, sizeof(*r->expectation));
	for (unsigned i = 0; i < script->count; i++) {
		struct started *s = &m->started[i];

		s->machine = m;
		s->line = &script->line[i];
		s->command = -1;
		s->expectation = -1;
		if (s->line->action == SCRIPT_TIME) {
			s->command = (int)r->nr_commands++;
			r->command[s->command].line = s->line;
		}
		if (s->line->action == SCRIPT_EXPECT) {
			s->expectation = (int)r->nr_expectations++;
			r->expectation[s->expectation].line = s->line;
		}
		event_init(&s->event, on_line, s);
	}
	m->timed_left = r->nr_commands;
}

void director_init(struct machine *m)
{
	const struct scenario *s = m->scenario;
	simtime interval = m->options.vmstat ? m->options.vmstat : s->vmstat;

	rng_init(&m->jitter, m->options.seed, "start jitter");
	prepare_lines(m);
	event_init(&m->beat, on_beat, m);
	event_init(&m->end, on_end, m);
	event_init(&m->sample, on_sample, m);
	m->kernel->on_mark = on_mark;
	m->kernel->on_mark_arg = m;
	trace_subscribe(&m->trace, on_exit_event, m, 1ULL << TR_EXIT);
	trace_subscribe(&m->trace, on_oom_kill, m, 1ULL << TR_OOM_KILL);
	if (s->script.init)
		task_start(m->kernel, s->script.init, 0, NULL, NULL);
	for (unsigned i = 0; i < s->script.count; i++) {
		const struct script_line *line = &s->script.line[i];

		if (!line->after && line->at >= 0)
			event_post(&m->events, &m->started[i].event,
				   line->at + jitter(m, line));
	}
	event_post(&m->events, &m->beat, BEAT);
	event_post(&m->events, &m->end, s->limit);
	set_sampling(m, interval);
}
