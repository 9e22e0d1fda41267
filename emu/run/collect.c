/*
 * From a machine's counters to results.
 *
 * Models      reading /proc at the right moments, at no cost.
 * Leaves out  what nobody asked to sample.
 * Seen in     every report.
 */
#include "emu/run/machine_private.h"

#include "emu/bug.h"
#include "emu/run/fields.h"
#include "emu/run/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB_PER_PAGE (PAGE_SIZE / 1024)

/* ns of a number of cycles, in parts so that a day of them fits. */
static simtime cycles_ns(const struct machine *m, uint64_t cycles)
{
	uint64_t khz = (uint64_t)m->cpu.khz;

	return (simtime)(cycles / khz * 1000000 + cycles % khz * 1000000 / khz);
}

void collect_snapshot(struct machine *m, struct snapshot *s)
{
	s->at = kernel_now(m->kernel);
	s->vm = m->kernel->vmstat;
	for (unsigned i = 0; i < NR_ZONES; i++)
		s->free[i] = m->kernel->zones.zone[i].free;
	for (unsigned i = 0; i < UNITS; i++) {
		const struct disk *disk = m->disk[i];

		if (!disk)
			continue;
		s->disk[i] = disk->stats;
		/* the device brings these up to date only when it changes */
		if (disk->inside && s->at > disk->last_change) {
			simtime open = s->at - disk->last_change;

			s->disk[i].busy += open;
			s->disk[i].queue_integral += open * disk->inside;
		}
	}
}

/*
 * vmstat
 */

static uint64_t swap_used(const struct kernel *k)
{
	return k->swap ? k->swap->total - k->swap->free : 0;
}

/* As /proc/stat counts them: the clock's included. */
static uint64_t interrupts(const struct kernel *k)
{
	return k->interrupts + k->timer.ticks;
}

/* count is at most some 10^9 KiB: no overflow. */
static uint64_t per_second(uint64_t count, simtime span)
{
	return count * NSEC_PER_SEC / (uint64_t)span;
}

/* Per cent of span, rounded to nearest as procps does. */
static unsigned percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)((part * 200 + whole) / (2 * whole)) : 0;
}

static void fill_rates(const struct machine *m, struct vmstat_line *l)
{
	const struct kernel *k = m->kernel;
	const struct vmstat_mark *mark = &m->mark;
	simtime span = l->at - mark->at;

	l->swap_in = per_second(
		(k->vmstat.pswpin - mark->vm.pswpin) * KIB_PER_PAGE, span);
	l->swap_out = per_second(
		(k->vmstat.pswpout - mark->vm.pswpout) * KIB_PER_PAGE, span);
	l->blocks_in = per_second(k->vmstat.pgpgin - mark->vm.pgpgin, span);
	l->blocks_out = per_second(k->vmstat.pgpgout - mark->vm.pgpgout, span);
	l->interrupts = per_second(interrupts(k) - mark->interrupts, span);
	l->switches = per_second(k->context_switches - mark->switches, span);
}

static void fill_cpu(const struct machine *m, struct vmstat_line *l)
{
	const struct cpu_account *now = &m->cpu.account;
	const struct cpu_account *then = &m->mark.cpu;
	uint64_t user = now->user - then->user;
	uint64_t system = now->system - then->system + now->irq - then->irq;
	uint64_t idle = now->idle - then->idle;
	uint64_t iowait = now->iowait - then->iowait;
	uint64_t all = user + system + idle + iowait;

	l->user = percent(user, all);
	l->system = percent(system, all);
	l->idle = percent(idle, all);
	l->iowait = percent(iowait, all);
}

void collect_vmstat_line(struct machine *m)
{
	const struct kernel *k = m->kernel;
	struct results *r = &m->results;
	struct vmstat_line l = { .at = kernel_now(k) };

	if (l.at <= m->mark.at)
		return;
	l.running = sched_nr_running(k);
	l.blocked = k->nr_iowait;
	l.swpd = swap_used(k) * KIB_PER_PAGE;
	l.free = nr_free_pages(k) * KIB_PER_PAGE;
	l.cache = (k->nr_file_cached + (k->swap ? k->swap->cached : 0)) *
		  KIB_PER_PAGE;
	fill_rates(m, &l);
	fill_cpu(m, &l);
	if (!(r->nr_vmstat & (r->nr_vmstat - 1)))
		r->vmstat = xrealloc(r->vmstat,
				     (r->nr_vmstat ? 2 * r->nr_vmstat : 1) *
					     sizeof(l));
	r->vmstat[r->nr_vmstat++] = l;
	m->mark = (struct vmstat_mark){ l.at, k->vmstat, m->cpu.account,
					interrupts(k), k->context_switches };
}

/*
 * Phases
 */

/* The place that leads to the open phase of a process; 0 there: it has none. */
static unsigned *open_phase(struct machine *m, int pid)
{
	struct phase *phase = m->results.phase;
	unsigned *at = &m->open_phase[(unsigned)pid % PHASE_LISTS];

	while (*at && phase[*at - 1].pid != pid)
		at = &phase[*at - 1].next;
	return at;
}

static void end_phase_of(struct machine *m, int pid)
{
	unsigned *at = open_phase(m, pid);
	struct phase *p;

	if (!*at)
		return;
	p = &m->results.phase[*at - 1];
	*at = p->next;
	BUG_ON(p->ended);
	p->ended = true;
	collect_snapshot(m, &p->span.to);
}

void collect_phase_end(struct machine *m, int pid, int command)
{
	struct results *r = &m->results;

	if (pid) {
		end_phase_of(m, pid);
		return;
	}
	for (unsigned i = 0; i < r->nr_phases; i++)
		if (!r->phase[i].ended &&
		    r->phase[i].command == (unsigned)command)
			end_phase_of(m, r->phase[i].pid);
}

/* One more phase, empty; NULL: too many. */
static struct phase *add_phase(struct results *r)
{
	unsigned n = r->nr_phases;

	if (n == PHASES_MAX) {
		r->phases_left_out++;
		return NULL;
	}
	if (!(n & (n - 1)))
		r->phase =
			xrealloc(r->phase, (n ? 2 * n : 1) * sizeof(*r->phase));
	memset(&r->phase[n], 0, sizeof(*r->phase));
	return &r->phase[r->nr_phases++];
}

void collect_phase(struct machine *m, const struct started *started,
		   const struct task *task, const char *name)
{
	struct phase *p;
	unsigned *list;

	end_phase_of(m, task->pid);
	p = add_phase(&m->results);
	if (!p)
		return;
	p->command = (unsigned)started->command;
	p->pid = task->pid;
	snprintf(p->name, sizeof(p->name), "%s", name);
	collect_snapshot(m, &p->span.from);
	list = &m->open_phase[(unsigned)p->pid % PHASE_LISTS];
	p->next = *list;
	*list = m->results.nr_phases;
}

/*
 * Deaths
 */

void collect_kill(struct machine *m, const char *label)
{
	struct results *r = &m->results;
	const struct oom_record *o = m->kernel->oom_records;
	struct kill_record *k;

	BUG_ON(!o);
	r->kill = xrealloc(r->kill, (r->nr_kills + 1) * sizeof(*k));
	k = &r->kill[r->nr_kills++];
	*k = (struct kill_record){ .at = o->at,
				   .label = label,
				   .pid = o->pid,
				   .by = o->by,
				   .points = o->points,
				   .free_pages = o->free_pages,
				   .swap_free = o->swap_free };
	snprintf(k->name, sizeof(k->name), "%s", o->name);
}

void collect_death(struct machine *m, int pid, const char *label)
{
	struct results *r = &m->results;
	const struct task *task = task_find(m->kernel, pid);
	struct death_record *d;

	if (!task || !task->death.why)
		return;
	if (r->nr_deaths == DEATHS_MAX) {
		r->deaths_left_out++;
		return;
	}
	r->death = xrealloc(r->death, (r->nr_deaths + 1) * sizeof(*d));
	d = &r->death[r->nr_deaths++];
	*d = (struct death_record){ .at = kernel_now(m->kernel),
				    .label = label,
				    .pid = pid,
				    .signal = task->exit_signal,
				    .death = task->death };
	snprintf(d->name, sizeof(d->name), "%s", task->name);
}

/*
 * Expectations
 */

static bool compare(int64_t found, enum expect_op op, int64_t wanted)
{
	switch (op) {
	case EXPECT_LT:
		return found < wanted;
	case EXPECT_LE:
		return found <= wanted;
	case EXPECT_EQ:
		return found == wanted;
	case EXPECT_NE:
		return found != wanted;
	case EXPECT_GE:
		return found >= wanted;
	default:
		return found > wanted;
	}
}

static const struct command_result *command_named(const struct results *r,
						  const char *label)
{
	for (unsigned i = 0; i < r->nr_commands; i++)
		if (streq(r->command[i].line->label, label))
			return &r->command[i];
	BUG_ON(true); /* the scenario was checked for it */
	return NULL;
}

void collect_expectation(struct machine *m, struct expectation *e)
{
	const struct script_line *line = e->line;
	struct span so_far = { 0 };

	collect_snapshot(m, &so_far.to);
	if (line->of)
		e->value = (int64_t)measure_command(
			command_named(&m->results, line->of), line->what);
	else
		e->value = (int64_t)measure_span(&so_far, line->what);
	e->checked = true;
	e->held = compare(e->value, line->op, line->value);
}

/*
 * The end
 */

static void collect_cpu(struct machine *m, struct results *r)
{
	const struct cpu_account *a = &m->cpu.account;

	/* the accounting identity: every cycle is in exactly one account */
	BUG_ON(a->user + a->system + a->irq + a->idle + a->iowait !=
	       m->cpu.cycles);
	r->cpu = (struct cpu_times){
		.user = cycles_ns(m, a->user),
		.system = cycles_ns(m, a->system),
		.irq = cycles_ns(m, a->irq),
		.idle = cycles_ns(m, a->idle),
		.iowait = cycles_ns(m, a->iowait),
	};
	r->context_switches = m->kernel->context_switches;
	r->interrupts = interrupts(m->kernel);
	r->instructions = m->cpu.instructions;
}

static void collect_tlb(struct machine *m, struct results *r)
{
	const struct mmu *mmu = &m->cpu.mmu;

	r->tlb_hits = mmu->itlb.hits + mmu->dtlb.hits;
	r->tlb_misses = mmu->itlb.misses + mmu->dtlb.misses;
	r->tlb_flushes = mmu->itlb.flushes + mmu->dtlb.flushes;
	r->tlb_walks = mmu->walks;
}

static void collect_token(struct machine *m, struct results *r)
{
	const struct token *t = &m->kernel->token;

	token_settle(m->kernel);
	r->token = &t->ops->slot;
	r->token_asks = t->asks;
	r->token_grants = t->grants;
	r->token_preemptions = t->preemptions;
	r->token_timeouts = t->timeouts;
	r->token_disables = t->disables;
	r->token_early = t->early;
	r->holder = xcalloc(t->nr_tenures + 1, sizeof(*r->holder));
	for (unsigned i = 0; i < t->nr_tenures; i++)
		r->holder[r->nr_holders++] =
			(struct holder){ xstrdup(t->tenure[i].name),
					 t->tenure[i].pid, t->tenure[i].held,
					 t->tenure[i].grants };
}

static void collect_commands(struct machine *m, struct results *r)
{
	for (unsigned i = 0; i < m->scenario->script.count; i++) {
		struct started *s = &m->started[i];
		struct command_result *c;
		struct task *task;

		if (s->command < 0 || !s->alive)
			continue;
		c = &r->command[s->command];
		task = task_find(m->kernel, s->pid);
		if (task)
			c->usage = task_usage(task);
		collect_phase_end(m, 0, s->command);
		collect_snapshot(m, &c->span.to);
	}
	for (unsigned i = 0; i < r->nr_commands; i++) {
		struct command_result *c = &r->command[i];

		c->user = cycles_ns(m, c->usage.user_cycles);
		c->system = cycles_ns(m, c->usage.system_cycles);
	}
}

static void collect_queues(struct machine *m, struct results *r)
{
	const struct kernel *k = m->kernel;

	r->queue[UNIT_FILE] = *queue_stats(k->file_queue);
	if (k->swap_queue && k->swap_queue != k->file_queue)
		r->queue[UNIT_SWAP] = *queue_stats(k->swap_queue);
}

/* The run's fingerprint: its decisive events, then its final state. */
static uint64_t final_digest(struct machine *m)
{
	struct digest digest = m->trace.digest;

	kernel_digest(m->kernel, &digest);
	return digest_value(&digest);
}

void collect_final(struct machine *m)
{
	struct results *r = &m->results;
	struct kernel *k = m->kernel;

	r->scenario = m->scenario;
	r->seed = m->options.seed;
	r->digest = final_digest(m);
	if (m->options.check)
		kernel_check(k);
	snprintf(r->panic, sizeof(r->panic), "%s",
		 k->panicked ? k->panicked : "");
	collect_commands(m, r);
	collect_snapshot(m, &r->whole.to);
	collect_cpu(m, r);
	collect_tlb(m, r);
	collect_token(m, r);
	collect_queues(m, r);
	r->integrity = k->integrity;
	r->free_pages = nr_free_pages(k);
	r->swap_used = swap_used(k);
	r->swap_used_most = k->swap ? k->swap->used_most : 0;
	for (unsigned i = 0; i < r->nr_expectations; i++)
		if (!r->expectation[i].checked)
			collect_expectation(m, &r->expectation[i]);
}

void results_finish(struct results *r)
{
	for (unsigned i = 0; i < r->nr_holders; i++)
		free(r->holder[i].name);
	free(r->holder);
	free(r->command);
	free(r->phase);
	free(r->vmstat);
	free(r->expectation);
	free(r->kill);
	free(r->death);
	memset(r, 0, sizeof(*r));
}

bool results_good(const struct results *r)
{
	for (unsigned i = 0; i < r->nr_expectations; i++)
		if (!r->expectation[i].held)
			return false;
	return !*r->panic && !r->integrity.mismatches;
}
