/*
 * The `kernel` part of a scenario: profile, knobs, and a competitor for each
 * slot with its options.
 *
 * Models      the configuration of a kernel, not its build: every profile is
 *             in the same program.
 * Leaves out  slots that have only one competitor so far.
 * Seen in     kernel: of every scenario; `faultline list policies`.
 */
#include "emu/run/profile.h"

#include "emu/bug.h"
#include "emu/run/fields.h"
#include "emu/run/hardware.h"
#include "emu/run/script.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_MAX 32 /* competitors of one slot */

const struct profile_defaults profiles[] = {
	{ "linux-2.6.18",
	  "2.6.18, September 2006: O(1) scheduler, two-list reclaim, CFQ, "
	  "swap token by timeout",
	  "o1", "timeout", "v2.6", "cfq", GRAB_AFTER_IO },
	{ 0 },
};

const char *const profile_slot_names[] = { "sched", "token", "oom", "elevator",
					   NULL };
const char *const grab_names[] = { "after-io", "before-io", "swap-before-io",
				   NULL };

/*
 * Each slot's ops begin with a struct slot, but the tables are of different
 * types: gather the heads.
 */
const struct slot **profile_slots(enum profile_slot which)
{
	const struct slot **slots =
		xcalloc(SLOT_MAX + 1, sizeof(struct slot *));
	unsigned n = 0;

	switch (which) {
	case SLOT_SCHED:
		for (; sched_policies[n] && n < SLOT_MAX; n++)
			slots[n] = &sched_policies[n]->slot;
		break;
	case SLOT_TOKEN:
		for (; token_policies[n] && n < SLOT_MAX; n++)
			slots[n] = &token_policies[n]->slot;
		break;
	case SLOT_OOM:
		for (; oom_killers[n] && n < SLOT_MAX; n++)
			slots[n] = &oom_killers[n]->slot;
		break;
	default:
		for (; elevator_list[n] && n < SLOT_MAX; n++)
			slots[n] = &elevator_list[n]->slot;
		break;
	}
	BUG_ON(n == SLOT_MAX);
	return slots;
}

static const struct slot *find_slot(const struct slot *const *slots,
				    const char *name)
{
	for (unsigned i = 0; slots[i]; i++)
		if (streq(slots[i]->name, name))
			return slots[i];
	return NULL;
}

static void unknown_policy(const struct slot *const *slots, const char *context,
			   const struct yaml *word, struct diag *d)
{
	const char *names[SLOT_MAX + 1];
	unsigned n = 0;

	for (; slots[n]; n++)
		names[n] = slots[n]->name;
	names[n] = NULL;
	fields_unknown(d, word->place, context, "policy", word->text, names);
}

static const struct param no_params[] = { { 0 } };

static void set_choice(struct choice *c, const struct slot *slot)
{
	c->slot = slot;
	c->options = xcalloc(1, slot->size ? slot->size : 1);
	if (slot->params)
		param_defaults(slot->params, c->options);
}

/*
 * y is `name` or `{policy: name, option: ...}`, or NULL. others are keys of
 * the map that are not options of the policy.
 */
static void read_choice(struct choice *c, enum profile_slot which,
			const struct yaml *y, const char *def, struct diag *d)
{
	static const char *const others[] = { "policy", "grab", NULL };
	static const char *const only[] = { "policy", NULL };
	const char *context = profile_slot_names[which];
	const struct yaml *word =
		y && y->kind == YAML_MAP ? yaml_get(y, "policy") : y;
	const struct slot **slots = profile_slots(which);
	const struct slot *slot = find_slot(slots, def);

	BUG_ON(!slot);
	if (word && word->kind == YAML_SCALAR) {
		slot = find_slot(slots, word->text);
		c->explicit = slot;
		if (!slot) {
			unknown_policy(slots, context, word, d);
			slot = find_slot(slots, def);
			y = NULL;
		}
	} else if (word) {
		diag_error(d, word->place, "%s: a policy's name is expected",
			   context);
	}
	set_choice(c, slot);
	if (y && y->kind == YAML_MAP)
		fields_table(
			y, context, slot->params ? slot->params : no_params,
			c->options, which == SLOT_TOKEN ? others : only, d);
	free(slots);
}

static void read_slot(struct profile *p, enum profile_slot which,
		      const struct yaml *kernel, const char *def,
		      struct diag *d)
{
	read_choice(&p->choice[which], which,
		    yaml_get(kernel, profile_slot_names[which]), def, d);
}

/* As any slot, or one for each disk: `{file: ..., swap: ...}`. */
static void read_elevator(struct profile *p, const struct yaml *kernel,
			  struct diag *d)
{
	const char *def = p->defaults->elevator;
	const struct yaml *y = yaml_get(kernel, "elevator");
	struct fields f;

	if (!yaml_get(y, unit_names[UNIT_FILE]) &&
	    !yaml_get(y, unit_names[UNIT_SWAP])) {
		read_slot(p, SLOT_ELEVATOR, kernel, def, d);
		return;
	}
	f = fields_of(y, "elevator", unit_names, d);
	read_choice(&p->choice[SLOT_ELEVATOR], SLOT_ELEVATOR,
		    yaml_get(f.map, unit_names[UNIT_FILE]), def, d);
	read_choice(&p->swap_elevator, SLOT_ELEVATOR,
		    yaml_get(f.map, unit_names[UNIT_SWAP]), def, d);
}

static void read_grab(struct profile *p, const struct yaml *kernel,
		      struct diag *d)
{
	const struct yaml *token = yaml_get(kernel, "token");
	struct fields f = { token && token->kind == YAML_MAP ? token : NULL,
			    "token", d };

	p->grab = (enum token_grab_point)fields_choice(&f, "grab", grab_names,
						       (int)p->defaults->grab);
}

static void read_sysctls(struct profile *p, const struct yaml *map,
			 struct diag *d)
{
	const struct sysctl *which = NULL;
	int64_t value;

	sysctl_defaults(&p->sysctls);
	if (!map)
		return;
	if (map->kind != YAML_MAP) {
		diag_error(d, map->place, "sysctl: a mapping is expected");
		return;
	}
	for (unsigned i = 0; i < map->count; i++)
		if (script_sysctl(map->key[i], map->item[i], &which, &value, d))
			*(int64_t *)(void *)((char *)&p->sysctls +
					     which->offset) = value;
}

static const struct profile_defaults *read_name(const struct fields *f)
{
	const char *name = fields_text(f, "profile");
	const char *names[SLOT_MAX + 1] = { NULL };

	if (!name)
		return &profiles[0];
	for (unsigned i = 0; profiles[i].name; i++) {
		if (streq(profiles[i].name, name))
			return &profiles[i];
		names[i] = profiles[i].name;
	}
	fields_unknown(f->d, yaml_get(f->map, "profile")->place, "kernel",
		       "profile", name, names);
	return &profiles[0];
}

static int64_t read_bounded(const struct fields *f, const char *key,
			    enum param_type type, const int64_t bounds[3])
{
	int64_t value = fields_number(f, key, type, bounds[0]);

	if (value >= bounds[1] && value <= bounds[2])
		return value;
	fields_error(f, key, "%s: must be %lld to %lld", key,
		     (long long)bounds[1], (long long)bounds[2]);
	return bounds[0];
}

void profile_read(struct profile *p, const struct yaml *scenario,
		  struct diag *d)
{
	static const char *const keys[] = {
		"profile",  "sysctl",	   "sched", "token",	   "oom",
		"elevator", "nr_requests", "hz",    "max_request", NULL
	};
	/* default, smallest, largest; BLKDEV_MAX_RQ, 512 KiB of 2.6.18 */
	static const int64_t requests[] = { 128, 4, 8192 };
	static const int64_t largest[] = { 512 << 10, 4 << 10, 4 << 20 };
	static const int64_t hz[] = { 250, 50, 10000 };
	const struct yaml *y = yaml_get(scenario, "kernel");
	struct fields f = fields_of(y, "kernel", keys, d);

	memset(p, 0, sizeof(*p));
	p->defaults = read_name(&f);
	read_sysctls(p, yaml_get(f.map, "sysctl"), d);
	read_slot(p, SLOT_SCHED, f.map, p->defaults->sched, d);
	read_slot(p, SLOT_TOKEN, f.map, p->defaults->token, d);
	read_slot(p, SLOT_OOM, f.map, p->defaults->oom, d);
	read_elevator(p, f.map, d);
	read_grab(p, f.map, d);
	p->nr_requests = read_bounded(&f, "nr_requests", PARAM_INT, requests);
	p->max_request = read_bounded(&f, "max_request", PARAM_SIZE, largest);
	if (f.map && yaml_get(f.map, "hz"))
		p->hz = read_bounded(&f, "hz", PARAM_INT, hz);
}

static void drop_choice(struct choice *c)
{
	if (c->slot && c->slot->params)
		param_finish(c->slot->params, c->options);
	free(c->options);
}

void profile_finish(struct profile *p)
{
	for (unsigned i = 0; i < SLOTS; i++)
		drop_choice(&p->choice[i]);
	drop_choice(&p->swap_elevator);
	memset(p, 0, sizeof(*p));
}
