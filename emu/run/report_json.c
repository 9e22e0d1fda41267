/*
 * Results as JSON. docs/scenarios.md lists the keys; they stay.
 *
 * Models      nothing.
 * Leaves out  the raw record.
 * Seen in     --format json.
 */
#include "emu/run/report.h"

#include "emu/run/config.h"
#include "emu/run/fields.h"
#include "emu/run/json.h"
#include "emu/run/measure.h"

#define KIB_PER_PAGE (PAGE_SIZE / 1024)
#define SCHEMA	     1

static const char *const outcomes[] = { "not_started", "running", "exited",
					"killed", "killed_for_memory" };

static void put_vmstat(struct json *j, const char *key, const struct vmstat *a,
		       const struct vmstat *b)
{
	json_open(j, key, '{');
	for (const struct stat_name *s = vmstat_names; s->name; s++)
		json_number(j, s->name,
			    (int64_t)(stat_get(s, b) - stat_get(s, a)));
	json_close(j, '}');
}

static void put_requests(struct json *j, const struct disk_stats *a,
			 const struct disk_stats *b)
{
	json_number(j, "reads", (int64_t)(b->reads - a->reads));
	json_number(j, "writes", (int64_t)(b->writes - a->writes));
	json_number(j, "read_kib",
		    (int64_t)(b->read_sectors - a->read_sectors) / 2);
	json_number(j, "written_kib",
		    (int64_t)(b->written_sectors - a->written_sectors) / 2);
}

/* One number, or what is known of a spread. */
static void put_fact(struct json *j, const struct published *fact)
{
	const char *key = measure_key(fact->measure);

	if (!fact->spread) {
		json_real(j, key, fact->mean);
		return;
	}
	json_open(j, key, '[');
	json_real(j, NULL, fact->mean);
	json_real(j, NULL, fact->min);
	json_real(j, NULL, fact->max);
	json_close(j, ']');
}

static bool same_phase(const struct published *fact, const char *phase)
{
	if (!phase || !fact->phase)
		return !phase && !fact->phase;
	return streq(phase, fact->phase);
}

static void put_published(struct json *j, const struct results *r,
			  const char *label, const char *phase)
{
	const struct publications *p = &r->scenario->published;

	json_open(j, "published", '{');
	for (unsigned i = 0; i < p->count; i++)
		if (streq(p->list[i].label, label) &&
		    same_phase(&p->list[i], phase))
			put_fact(j, &p->list[i]);
	json_close(j, '}');
}

static void put_disk(struct json *j, const struct results *r,
		     const struct span *span)
{
	const struct disk_stats none = { 0 };
	struct disk_stats sum = report_disks(span);

	json_open(j, "disk", '{');
	put_requests(j, &none, &sum);
	json_close(j, '}');
	json_open(j, "disks", '{');
	for (unsigned i = 0; i < UNITS; i++) {
		if (!r->scenario->hw.unit[i].present)
			continue;
		json_open(j, unit_names[i], '{');
		put_requests(j, &span->from.disk[i], &span->to.disk[i]);
		json_close(j, '}');
	}
	json_close(j, '}');
}

/* Free pages by zone, now. */
static void put_free(struct json *j, const char *key, const struct snapshot *s)
{
	static const char *const zones[] = { "dma", "normal", "highmem" };

	json_open(j, key, '{');
	for (unsigned i = 0; i < NR_ZONES; i++)
		json_number(j, zones[i], s->free[i]);
	json_close(j, '}');
}

static void put_phases(struct json *j, const struct results *r, unsigned n)
{
	json_open(j, "phases", '[');
	for (unsigned i = 0; i < r->nr_phases; i++) {
		const struct phase *p = &r->phase[i];

		if (p->command != n)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "name", p->name);
		json_number(j, "pid", p->pid);
		json_seconds(j, "start_s", p->span.from.at);
		json_seconds(j, "real_s", p->span.to.at - p->span.from.at);
		put_free(j, "free_pages_before", &p->span.from);
		put_free(j, "free_pages_after", &p->span.to);
		put_vmstat(j, "vmstat", &p->span.from.vm, &p->span.to.vm);
		put_disk(j, r, &p->span);
		put_published(j, r, r->command[n].line->label, p->name);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static int64_t cpu_percent(const struct command_result *c)
{
	simtime real = c->span.to.at - c->span.from.at;

	return real ? 100 * (c->user + c->system) / real : 0;
}

static void put_command(struct json *j, const struct results *r, unsigned n)
{
	const struct command_result *c = &r->command[n];
	const struct usage *u = &c->usage;
	char why[160];

	json_open(j, NULL, '{');
	json_string(j, "name", c->line->label);
	json_string(j, "command", c->line->command);
	json_number(j, "pid", c->pid);
	json_seconds(j, "start_s", c->span.from.at);
	json_seconds(j, "real_s", c->span.to.at - c->span.from.at);
	json_seconds(j, "user_s", c->user);
	json_seconds(j, "system_s", c->system);
	json_number(j, "cpu_percent", cpu_percent(c));
	json_number(j, "major_faults", (int64_t)u->major_faults);
	json_number(j, "minor_faults", (int64_t)u->minor_faults);
	json_number(j, "voluntary_switches", (int64_t)u->voluntary_switches);
	json_number(j, "involuntary_switches",
		    (int64_t)u->involuntary_switches);
	json_number(j, "max_rss_kib", (int64_t)u->max_rss * KIB_PER_PAGE);
	json_number(j, "blocks_in", (int64_t)u->blocks_in);
	json_number(j, "blocks_out", (int64_t)u->blocks_out);
	json_string(j, "outcome", outcomes[c->outcome]);
	json_number(j, "exit_status", c->exit_status);
	json_number(j, "exit_signal", c->exit_signal);
	report_death(&c->death, c->exit_signal, why, sizeof(why));
	json_string(j, "exit_reason", why);
	put_vmstat(j, "vmstat", &c->span.from.vm, &c->span.to.vm);
	put_disk(j, r, &c->span);
	put_published(j, r, c->line->label, NULL);
	put_phases(j, r, n);
	json_close(j, '}');
}

/* Megabytes a second over the whole run. */
static double rate(uint64_t sectors, simtime span)
{
	return span ? (double)sectors * SECTOR_SIZE * 1000 / (double)span : 0;
}

static void put_figures(struct json *j, const struct results *r)
{
	struct disk_stats sum = report_disks(&r->whole);
	simtime span = r->whole.to.at;

	json_open(j, "figures", '{');
	json_real(j, "read_mb_per_s", rate(sum.read_sectors, span));
	json_real(j, "write_mb_per_s", rate(sum.written_sectors, span));
	json_real(j, "jain_index", report_jain(r));
	json_close(j, '}');
}

static void put_cpu(struct json *j, const struct results *r)
{
	json_open(j, "cpu", '{');
	json_seconds(j, "user_s", r->cpu.user);
	json_seconds(j, "system_s", r->cpu.system);
	json_seconds(j, "irq_s", r->cpu.irq);
	json_seconds(j, "idle_s", r->cpu.idle);
	json_seconds(j, "iowait_s", r->cpu.iowait);
	json_number(j, "context_switches", (int64_t)r->context_switches);
	json_number(j, "interrupts", (int64_t)r->interrupts);
	json_number(j, "instructions", (int64_t)r->instructions);
	json_close(j, '}');
}

static void put_token(struct json *j, const struct results *r)
{
	json_open(j, "token", '{');
	json_string(j, "policy", r->token->name);
	json_bool(j, "reconstruction", r->token->reconstruction);
	json_string(j, "grab", grab_names[r->scenario->profile.grab]);
	json_number(j, "asks", (int64_t)r->token_asks);
	json_number(j, "asks_too_early", (int64_t)r->token_early);
	json_number(j, "grants", (int64_t)r->token_grants);
	json_number(j, "preemptions", (int64_t)r->token_preemptions);
	json_number(j, "timeouts", (int64_t)r->token_timeouts);
	json_number(j, "disables", (int64_t)r->token_disables);
	json_open(j, "holders", '[');
	for (unsigned i = 0; i < r->nr_holders; i++) {
		json_open(j, NULL, '{');
		json_string(j, "process", r->holder[i].name);
		json_number(j, "pid", r->holder[i].pid);
		json_seconds(j, "held_s", r->holder[i].held);
		json_number(j, "grants", (int64_t)r->holder[i].grants);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void put_times(struct json *j, const struct disk_stats *d, simtime span)
{
	json_number(j, "cache_hits", (int64_t)d->cache_hits);
	json_seconds(j, "seek_s", d->seek);
	json_seconds(j, "rotation_s", d->rotation);
	json_seconds(j, "transfer_s", d->transfer);
	json_seconds(j, "overhead_s", d->overhead);
	json_seconds(j, "rate_wait_s", d->rate_wait);
	json_seconds(j, "busy_s", d->busy);
	json_real(j, "queue_depth_mean",
		  span ? (double)d->queue_integral / (double)span : 0);
}

static void put_queue(struct json *j, const struct block_stats *q)
{
	json_number(j, "bios", (int64_t)(q->bios[0] + q->bios[1]));
	json_number(j, "merges", (int64_t)(q->back_merges + q->front_merges));
	json_number(j, "request_waits", (int64_t)q->request_waits);
}

static void put_disks(struct json *j, const struct results *r)
{
	const struct disk_stats none = { 0 };
	struct disk_stats sum = report_disks(&r->whole);
	simtime span = r->whole.to.at;

	json_open(j, "disk", '{');
	put_requests(j, &none, &sum);
	put_times(j, &sum, span);
	json_close(j, '}');
	json_open(j, "disks", '{');
	for (unsigned i = 0; i < UNITS; i++) {
		if (!r->scenario->hw.unit[i].present)
			continue;
		json_open(j, unit_names[i], '{');
		put_requests(j, &none, &r->whole.to.disk[i]);
		put_times(j, &r->whole.to.disk[i], span);
		put_queue(j, &r->queue[i]);
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void put_kills(struct json *j, const struct results *r)
{
	json_open(j, "oom", '[');
	for (unsigned i = 0; i < r->nr_kills; i++) {
		const struct kill_record *k = &r->kill[i];

		json_open(j, NULL, '{');
		json_seconds(j, "at_s", k->at);
		json_string(j, "process", k->name);
		json_string(j, "label", k->label);
		json_number(j, "pid", k->pid);
		json_number(j, "points", (int64_t)k->points);
		json_number(j, "by_pid", k->by);
		json_number(j, "free_pages", (int64_t)k->free_pages);
		json_number(j, "swap_free_pages", (int64_t)k->swap_free);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_deaths(struct json *j, const struct results *r)
{
	json_open(j, "deaths", '[');
	for (unsigned i = 0; i < r->nr_deaths; i++) {
		const struct death_record *d = &r->death[i];
		char why[160];

		report_death(&d->death, d->signal, why, sizeof(why));
		json_open(j, NULL, '{');
		json_seconds(j, "at_s", d->at);
		json_string(j, "process", d->name);
		json_string(j, "label", d->label);
		json_number(j, "pid", d->pid);
		json_number(j, "signal", d->signal);
		json_string(j, "reason", why);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_expectations(struct json *j, const struct results *r)
{
	json_open(j, "expectations", '[');
	for (unsigned i = 0; i < r->nr_expectations; i++) {
		const struct expectation *e = &r->expectation[i];

		json_open(j, NULL, '{');
		json_string(j, "figure", e->line->what);
		json_string(j, "of", e->line->of ? e->line->of : "");
		json_number(j, "found", e->value);
		json_number(j, "wanted", e->line->value);
		json_bool(j, "held", e->held);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_samples(struct json *j, const struct results *r)
{
	json_open(j, "samples", '[');
	for (unsigned i = 0; i < r->nr_vmstat; i++) {
		const struct vmstat_line *l = &r->vmstat[i];

		json_open(j, NULL, '{');
		json_seconds(j, "at_s", l->at);
		json_number(j, "runnable", l->running);
		json_number(j, "blocked", l->blocked);
		json_number(j, "swpd_kib", (int64_t)l->swpd);
		json_number(j, "free_kib", (int64_t)l->free);
		json_number(j, "cache_kib", (int64_t)l->cache);
		json_number(j, "si_kib_per_s", (int64_t)l->swap_in);
		json_number(j, "so_kib_per_s", (int64_t)l->swap_out);
		json_number(j, "bi_kib_per_s", (int64_t)l->blocks_in);
		json_number(j, "bo_kib_per_s", (int64_t)l->blocks_out);
		json_number(j, "in_per_s", (int64_t)l->interrupts);
		json_number(j, "cs_per_s", (int64_t)l->switches);
		json_number(j, "us_percent", l->user);
		json_number(j, "sy_percent", l->system);
		json_number(j, "id_percent", l->idle);
		json_number(j, "wa_percent", l->iowait);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_head(struct json *j, const struct results *r)
{
	const struct scenario *s = r->scenario;
	char text[32];

	json_number(j, "schema", SCHEMA);
	json_string(j, "faultline", FAULTLINE_VERSION);
	json_string(j, "scenario", s->name);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)s->hash);
	json_string(j, "scenario_hash", text);
	json_string(j, "variant", s->variant);
	json_unsigned(j, "seed", r->seed);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)r->digest);
	json_string(j, "digest", text);
	json_bool(j, "partial", r->partial);
	json_string(j, "panic", r->panic);
	json_seconds(j, "simulated_s", r->whole.to.at);
}

static void put_memory(struct json *j, const struct results *r)
{
	json_open(j, "memory", '{');
	json_number(j, "pages", r->scenario->hw.frames);
	json_number(j, "free_pages", (int64_t)r->free_pages);
	json_number(j, "swap_pages", (int64_t)r->scenario->swap_pages);
	json_number(j, "swap_used_pages", (int64_t)r->swap_used);
	json_number(j, "swap_used_most_pages", (int64_t)r->swap_used_most);
	json_close(j, '}');
}

void report_json(const struct results *r, FILE *to)
{
	struct json j;

	json_init(&j, to);
	json_open(&j, NULL, '{');
	put_head(&j, r);
	put_figures(&j, r);
	json_open(&j, "commands", '[');
	for (unsigned i = 0; i < r->nr_commands; i++)
		put_command(&j, r, i);
	json_close(&j, ']');
	json_number(&j, "phases_left_out", (int64_t)r->phases_left_out);
	put_cpu(&j, r);
	put_memory(&j, r);
	put_vmstat(&j, "vmstat", &r->whole.from.vm, &r->whole.to.vm);
	put_token(&j, r);
	put_disks(&j, r);
	json_open(&j, "tlb", '{');
	json_number(&j, "hits", (int64_t)r->tlb_hits);
	json_number(&j, "misses", (int64_t)r->tlb_misses);
	json_number(&j, "flushes", (int64_t)r->tlb_flushes);
	json_number(&j, "walks", (int64_t)r->tlb_walks);
	json_close(&j, '}');
	json_open(&j, "integrity", '{');
	json_number(&j, "checked", (int64_t)r->integrity.checked);
	json_number(&j, "mismatches", (int64_t)r->integrity.mismatches);
	json_close(&j, '}');
	put_kills(&j, r);
	put_deaths(&j, r);
	put_expectations(&j, r);
	put_samples(&j, r);
	json_close(&j, '}');
}
