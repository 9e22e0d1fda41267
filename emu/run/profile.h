/*
 * The kernel of a scenario: its profile, and what was chosen for its slots.
 */
#pragma once

#include "emu/run/yaml.h"
#include "os/elevator.h"
#include "os/kernel.h"

/* A competitor that was chosen for a slot, with its options. */
struct choice {
	const struct slot *slot;
	void *options; /* slot->size bytes, filled from its params; owned */
	bool explicit; /* named in the scenario, not the profile's default */
};

/* What a profile chooses where the scenario says nothing. */
struct profile_defaults {
	const char *name, *about;
	const char *sched, *token, *oom, *elevator;
	enum token_grab_point grab;
};

/* All profiles; name NULL ends them. */
extern const struct profile_defaults profiles[];

enum profile_slot { SLOT_SCHED, SLOT_TOKEN, SLOT_OOM, SLOT_ELEVATOR, SLOTS };

struct profile {
	const struct profile_defaults *defaults;
	struct sysctls sysctls;
	struct choice choice[SLOTS];
	struct choice swap_elevator; /* slot NULL: that of the file disk */
	enum token_grab_point grab;
	int64_t nr_requests; /* per queue and direction */
	int64_t max_request; /* bytes */
	int64_t hz;	     /* 0: the machine's */
};

/* Read `kernel` of a resolved scenario. */
void profile_read(struct profile *p, const struct yaml *scenario,
		  struct diag *d);
void profile_finish(struct profile *p);

/*
 * The competitors for a slot, in the order of their table; NULL-terminated.
 * The array is the caller's to free.
 */
const struct slot **profile_slots(enum profile_slot which);

extern const char *const profile_slot_names[]; /* "sched", "token", ... */
extern const char *const grab_names[];	       /* by enum token_grab_point */
