/*
 * For tests of token policies: a kernel with nothing but a clock, and address
 * spaces that fault in whatever order a test says.
 */
#pragma once

#include "os/kernel.h"

#include <stdlib.h>
#include <string.h>

#define S NSEC_PER_SEC

/* A kernel with nothing but a clock of one cycle per ns, and a token */
struct rig {
	struct events events;
	struct trace trace;
	struct ram ram;
	struct cpu cpu;
	struct kernel k;
	struct mm mm[6];
};

static inline const struct token_ops *policy(const char *name)
{
	const struct token_ops *const *p = token_policies;

	while (strcmp((*p)->slot.name, name) != 0)
		p++;
	return *p;
}

static inline void rig_init(struct rig *r, const char *name, simtime uptime)
{
	const struct tlb_geometry geometry = { 16, 4 };

	memset(r, 0, sizeof(*r));
	ram_init(&r->ram, 16);
	events_init(&r->events);
	trace_init(&r->trace, trace_variable, &r->events.now);
	cpu_init(&r->cpu, 0, 1000000, 0, &r->events, &r->ram, geometry,
		 geometry);
	r->k.cpu = &r->cpu;
	r->k.trace = &r->trace;
	r->k.config.hz = 250;
	r->k.config.uptime_at_start = uptime;
	r->k.config.token = policy(name);
	sysctl_defaults(&r->k.sysctl);
	for (int i = 0; i < 6; i++)
		r->mm[i].pid = 10 + i;
	token_init(&r->k);
}

static inline void rig_finish(struct rig *r)
{
	token_finish(&r->k);
	cpu_finish(&r->cpu);
	events_finish(&r->events);
	ram_finish(&r->ram);
}

static inline void pass_time(struct rig *r, simtime span)
{
	cpu_charge(&r->cpu, (uint64_t)span);
}

static inline int holder(const struct rig *r)
{
	return r->k.token.holder ? r->k.token.holder->pid - 10 : -1;
}

static inline void fault(struct rig *r, int i)
{
	token_grab(&r->k, &r->mm[i]);
}

/* The policy with options ("hold", "10s", ..., NULL) instead of its own. */
static inline void rig_options(struct rig *r, const char *name,
			       const char *const *options)
{
	const struct token_ops *ops = policy(name);
	const struct diag_place at = { 0 };
	void *state = xcalloc(1, ops->slot.size);
	struct diag *d = diag_new();

	rig_init(r, "none", 600 * S);
	token_finish(&r->k);
	param_defaults(ops->slot.params, state);
	for (; *options; options += 2)
		BUG_ON(!param_set(ops->slot.params, state, options[0],
				  options[1], "token", d, at));
	r->k.config.token = ops;
	r->k.config.token_options = state;
	token_init(&r->k);
	r->k.config.token_options = NULL;
	free(state);
	diag_free(d);
}
