/*
 * Numbers with units, as scenarios write them.
 */
#pragma once

#include "emu/types.h"

/* One unit: what a number before this name is multiplied with. */
struct unit {
	const char *name; /* NULL ends a table; "" allows no unit */
	int64_t factor;
	bool decimal; /* printing may use a decimal point with it */
};

/* A kind of quantity; its values are whole numbers of the base unit. */
struct quantity {
	const char *what;	  /* "a time" */
	const char *base;	  /* "nanoseconds" */
	const char *examples;	  /* "5s or 300ms" */
	const struct unit *units; /* from small to large */
};

extern const struct quantity quantity_int;  /* 12, -3, 0x40 */
extern const struct quantity quantity_time; /* ns */
extern const struct quantity quantity_size; /* bytes */
extern const struct quantity quantity_freq; /* Hz */
extern const struct quantity quantity_cycles;

/*
 * Read text. False if it is none, with one line in why (of size bytes) that
 * says what is wrong and what to write instead.
 */
bool quantity_parse(const struct quantity *q, const char *text, int64_t *out,
		    char *why, size_t size);

/* Write a value so that quantity_parse gives it back. */
void quantity_print(const struct quantity *q, int64_t value, char *out,
		    size_t size);
