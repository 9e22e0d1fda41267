/*
 * A machine from its scenario: RAM, CPU, disks, kernel, files, wires.
 *
 * Models      the workbench: parts, and what is connected to what.
 * Leaves out  what happens then: the kernel and director.c.
 * Seen in     every run.
 */
#include "emu/run/machine.h"

#include "emu/run/machine_private.h"

#include "emu/bug.h"
#include "emu/run/fields.h"

#include <stdio.h>
#include <stdlib.h>

struct trace *machine_trace(struct machine *m)
{
	return &m->trace;
}

struct kernel *machine_kernel(struct machine *m)
{
	return m->kernel;
}

/* What a failed check of our own prints: when, and what happened before. */
static void print_state(void *arg)
{
	const struct machine *m = arg;
	char text[256];

	fprintf(stderr, "  at %lld ns, seed %llu\n", (long long)m->events.now,
		(unsigned long long)m->options.seed);
	if (m->kernel && m->kernel->current)
		fprintf(stderr, "  in process %d (%s)\n",
			m->kernel->current->pid, m->kernel->current->name);
	for (unsigned i = 0; i < TRACE_RING; i++) {
		const struct trace_event *ev =
			&m->trace.ring[(m->trace.ring_next + i) % TRACE_RING];

		if (!ev->at && !ev->v[0])
			continue;
		trace_format(ev, text, sizeof(text));
		fprintf(stderr, "  %s\n", text);
	}
}

/* Where the platter is at power-on is chance: part of what runs differ in. */
static simtime platter_phase(const struct machine *m, const char *role,
			     const struct drive_spec *drive)
{
	struct rng rng;
	char name[32];

	snprintf(name, sizeof(name), "disk.%s.phase", role);
	rng_init(&rng, m->options.seed, name);
	return (simtime)rng_below(&rng,
				  (uint64_t)(60 * NSEC_PER_SEC / drive->rpm));
}

static void make_disk(struct machine *m, enum unit_role role)
{
	const struct unit *u = &m->scenario->hw.unit[role];

	if (!u->present)
		return;
	m->media[role] = media_new(u->blocks);
	if (u->fixed)
		m->disk[role] = fixed_new(&u->rate, role, m->options.seed,
					  &m->events, &m->trace);
	else
		m->disk[role] =
			ide_new(&u->drive, role,
				platter_phase(m, unit_names[role], &u->drive),
				&m->events, &m->trace);
}

static struct queue_config queue_config(const struct profile *p,
					enum unit_role role)
{
	const struct choice *elevator = &p->choice[SLOT_ELEVATOR];

	if (role == UNIT_SWAP && p->swap_elevator.slot)
		elevator = &p->swap_elevator;
	return (struct queue_config){
		.elevator = elevator_find(elevator->slot->name),
		.elevator_options = elevator->options,
		.nr_requests = (unsigned)p->nr_requests,
		.max_sectors = (unsigned)(p->max_request / SECTOR_SIZE),
	};
}

static void configure_disks(const struct machine *m, struct kernel_config *c)
{
	const struct hardware *hw = &m->scenario->hw;

	c->swap_queue = queue_config(&m->scenario->profile, UNIT_SWAP);
	c->file_queue = queue_config(&m->scenario->profile, UNIT_FILE);
	c->file_disk = m->disk[UNIT_FILE];
	c->file_media = m->media[UNIT_FILE];
	c->file_first = hw->file_first;
	c->file_blocks = hw->file_blocks;
	if (!m->scenario->swap_pages)
		return;
	c->swap_disk = m->disk[hw->swap_on];
	c->swap_media = m->media[hw->swap_on];
	c->swap_first = hw->swap_first;
	c->swap_pages = m->scenario->swap_pages;
}

/* The ops whose head is this slot: every ops struct begins with it. */
#define OPS_OF(type, choice) container_of((choice)->slot, const type, slot)

static struct kernel_config configure(const struct machine *m)
{
	const struct scenario *s = m->scenario;
	const struct profile *p = &s->profile;
	struct kernel_config c = {
		.profile = p->defaults->name,
		.seed = m->options.seed,
		.hz = (unsigned)(p->hz ? p->hz : s->hw.hz),
		.check = m->options.check,
		.uptime_at_start = s->uptime_at_start,
		.end = s->limit,
		.cost = s->hw.cost,
		.sysctls = p->sysctls,
		.reserve = s->hw.reserve,
		.sched = OPS_OF(struct sched_ops, &p->choice[SLOT_SCHED]),
		.sched_options = p->choice[SLOT_SCHED].options,
		.token = OPS_OF(struct token_ops, &p->choice[SLOT_TOKEN]),
		.token_options = p->choice[SLOT_TOKEN].options,
		.grab_point = p->grab,
		.oom = OPS_OF(struct oom_ops, &p->choice[SLOT_OOM]),
		.oom_options = p->choice[SLOT_OOM].options,
	};

	configure_disks(m, &c);
	return c;
}

static void no_room(const char *name, struct diag_place at, struct diag *d)
{
	diag_error(d, at,
		   "files: no room in one piece for '%s': the file disk must "
		   "be larger",
		   name);
}

static void install_files(struct machine *m, struct diag *d)
{
	const struct scenario *s = m->scenario;
	struct fs *fs = m->kernel->fs;

	for (unsigned i = 0; i < s->programs.count; i++) {
		const struct program *p = &s->programs.list[i];

		if (!fs_install(fs, p->name, p->image->bytes, p->image->size,
				p->image->size))
			no_room(p->name,
				p->place.file ? p->place
					      : scenario_file_disk(s),
				d);
	}
	for (unsigned i = 0; i < s->nr_files; i++) {
		const struct plain_file *f = &s->file[i];

		if (!fs_install(fs, f->name, NULL, 0, f->size))
			no_room(f->name, f->place, d);
	}
}

/* Faults can only be judged against the drive they are for. */
static void check_faults(struct machine *m, struct diag *d)
{
	for (unsigned i = 0; i < m->scenario->script.count; i++) {
		const struct script_line *l = &m->scenario->script.line[i];

		if (l->action == SCRIPT_FAULT)
			ide_fault_check(m->disk[l->unit], &l->fault, d,
					l->place);
	}
}

/*
 * Kernel and programs run ahead of the event queue, so an event's time is the
 * CPU's; before there is one, it is the queue's.
 */
static simtime time_of_event(const void *arg)
{
	const struct machine *m = arg;

	return m->kernel ? kernel_now(m->kernel) : m->events.now;
}

struct machine *machine_new(const struct scenario *scenario,
			    const struct machine_options *options,
			    struct diag *d)
{
	const struct hardware *hw = &scenario->hw;
	struct machine *m = xcalloc(1, sizeof(*m));
	unsigned before = diag_errors(d);
	struct kernel_config config;

	m->scenario = scenario;
	m->options = *options;
	events_init(&m->events);
	trace_init(&m->trace, time_of_event, m);
	ram_init(&m->ram, hw->frames);
	cpu_init(&m->cpu, 0, hw->clock / 1000, (uint32_t)hw->walk, &m->events,
		 &m->ram, hw->itlb, hw->dtlb);
	make_disk(m, UNIT_FILE);
	make_disk(m, UNIT_SWAP);
	check_faults(m, d);
	config = configure(m);
	m->kernel =
		kernel_boot(&config, &m->events, &m->trace, &m->ram, &m->cpu);
	m->kernel->interrupt = options->interrupt;
	install_files(m, d);
	if (diag_errors(d) != before) {
		machine_free(m);
		return NULL;
	}
	director_init(m);
	return m;
}

void machine_run(struct machine *m, struct results *results)
{
	bug_set_hook(print_state, m);
	/* the timer ticks for ever, so there is always something to happen */
	BUG_ON(!sched_run(m->kernel) && !m->kernel->stop);
	m->results.partial = !m->ended && !m->kernel->panicked;
	collect_final(m);
	bug_set_hook(NULL, NULL);
	*results = m->results;
	m->results = (struct results){ 0 };
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	for (unsigned i = 0; m->started && i < m->scenario->script.count; i++)
		event_cancel(&m->events, &m->started[i].event);
	if (m->started) {
		event_cancel(&m->events, &m->beat);
		event_cancel(&m->events, &m->end);
		event_cancel(&m->events, &m->sample);
	}
	kernel_free(m->kernel);
	for (unsigned i = 0; i < UNITS; i++) {
		disk_free(m->disk[i]);
		media_free(m->media[i]);
	}
	cpu_finish(&m->cpu);
	ram_finish(&m->ram);
	events_finish(&m->events);
	results_finish(&m->results);
	free(m->started);
	free(m);
}
