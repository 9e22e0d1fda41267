/*
 * Options as data: a table says which key of a scenario fills which field of
 * a struct, in what unit, with which default. Policies, drives and machines
 * have such tables; parsing, errors, `faultline list` and the reference page
 * all come from them.
 */
#pragma once

#include "emu/diag.h"
#include "emu/types.h"

enum param_type {
	PARAM_END,    /* ends a table */
	PARAM_BOOL,   /* bool: true, false, yes, no, on, off */
	PARAM_INT,    /* int64_t: 12, -3, 0x40 */
	PARAM_TIME,   /* simtime: 5s, 2.5ms, 300us, 10ns, 5min, 2h, or 0 */
	PARAM_SIZE,   /* int64_t bytes: 64M, 4K, 1G, 512B, or 0; binary units */
	PARAM_FREQ,   /* int64_t Hz: 1.69GHz, 550MHz, 250Hz */
	PARAM_CYCLES, /* int64_t cycles of the CPU: 1200 or 1200cycles */
	PARAM_ENUM,   /* int: one of the names in names[] */
	PARAM_STRING, /* char *: owned by the struct, see param_finish */
};

struct param {
	const char *key;
	enum param_type type;
	size_t offset;	  /* of the field in the struct */
	const char *def;  /* default, as a scenario would write it */
	const char *help; /* one line */
	int64_t min, max; /* in the field's unit; both 0: the type's range */
	const char *const *names; /* PARAM_ENUM: NULL-terminated */
};

/*
 * Fill a whole struct with the defaults of its table. A string without one
 * becomes "", so that strings are never NULL.
 */
void param_defaults(const struct param *table, void *base);

/*
 * Set one key. An unknown key, a value that does not parse, a missing unit
 * or a value out of range adds an error at the place, with a suggestion.
 * context names the thing in messages ("token", "disk"). True if set.
 */
bool param_set(const struct param *table, void *base, const char *key,
	       const char *value, const char *context, struct diag *d,
	       struct diag_place at);

/* Parse one value without a table: the same rules and messages. */
bool param_parse(enum param_type type, const char *value, int64_t *out,
		 const char *context, struct diag *d, struct diag_place at);

/*
 * Write the field as a scenario would (an exact round trip). out gets at
 * most size bytes.
 */
void param_print(const struct param *p, const void *base, char *out,
		 size_t size);

/* Free the strings that param_set stored. */
void param_finish(const struct param *table, void *base);
