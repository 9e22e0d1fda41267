/*
 * Numbers with units.
 *
 * Models      how people write times, sizes and frequencies.
 * Leaves out  locales, exponents, sums ("1h30min") and floating point: a
 *             value that is no whole number of the base unit is an error,
 *             never rounded.
 */
#include "emu/quantity.h"

#include "emu/bug.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;

static const struct unit no_units[] = {
	{ "", 1, false },
	{ 0 },
};

static const struct unit time_units[] = {
	{ "ns", 1, true },
	{ "us", NSEC_PER_USEC, true },
	{ "ms", NSEC_PER_MSEC, true },
	{ "s", NSEC_PER_SEC, true },
	{ "min", 60 * NSEC_PER_SEC, false },
	{ "h", 3600 * NSEC_PER_SEC, false },
	{ 0 },
};

static const struct unit size_units[] = {
	{ "B", 1, false },	   { "K", 1LL << 10, false },
	{ "M", 1LL << 20, false }, { "G", 1LL << 30, false },
	{ "T", 1LL << 40, false }, { 0 },
};

static const struct unit freq_units[] = {
	{ "Hz", 1, true },
	{ "kHz", 1000, true },
	{ "MHz", 1000000, true },
	{ "GHz", 1000000000, true },
	{ 0 },
};

static const struct unit cycle_units[] = {
	{ "", 1, false },
	{ "cycles", 1, false },
	{ 0 },
};

const struct quantity quantity_int = {
	"a whole number",
	"units",
	"12 or 0x40",
	no_units,
};
const struct quantity quantity_time = {
	"a time",
	"nanoseconds",
	"5s or 300ms",
	time_units,
};
const struct quantity quantity_size = {
	"a size",
	"bytes",
	"64M or 4K",
	size_units,
};
const struct quantity quantity_freq = {
	"a frequency",
	"hertz",
	"1.69GHz or 250Hz",
	freq_units,
};
const struct quantity quantity_cycles = {
	"a number of cycles",
	"cycles",
	"1200 or 1200cycles",
	cycle_units,
};

/* A number as it was written: digits / scale, scale a power of ten. */
struct number {
	bool negative;
	bool huge; /* does not fit */
	uint64_t digits;
	uint64_t scale;
	const char *text;
	const char *end; /* behind it; the start if there is no number */
};

#define SCALE_MAX 1000000000000000000ULL

static void add_digit(struct number *n, unsigned digit, unsigned base)
{
	n->huge |= __builtin_mul_overflow(n->digits, base, &n->digits);
	n->huge |= __builtin_add_overflow(n->digits, digit, &n->digits);
}

/* The value of a hexadecimal digit; -1: it is none. */
static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static const char *read_hex(struct number *n, const char *at)
{
	for (; hex_digit(*at) >= 0; at++)
		add_digit(n, (unsigned)hex_digit(*at), 16);
	return at;
}

static const char *read_fraction(struct number *n, const char *at)
{
	for (; isdigit((unsigned char)*at); at++) {
		if (n->scale == SCALE_MAX)
			n->huge = true;
		else
			n->scale *= 10;
		add_digit(n, (unsigned)(*at - '0'), 10);
	}
	return at;
}

static struct number read_number(const char *text)
{
	struct number n = { .scale = 1, .text = text, .end = text };
	const char *at = text;

	n.negative = *at == '-';
	if (*at == '-' || *at == '+')
		at++;
	if (!isdigit((unsigned char)*at))
		return n;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
	    hex_digit(at[2]) >= 0) {
		n.end = read_hex(&n, at + 2);
		return n;
	}
	for (; isdigit((unsigned char)*at); at++)
		add_digit(&n, (unsigned)(*at - '0'), 10);
	if (at[0] == '.' && isdigit((unsigned char)at[1]))
		at = read_fraction(&n, at + 1);
	n.end = at;
	return n;
}

static const struct unit *find_unit(const struct quantity *q, const char *name)
{
	for (const struct unit *u = q->units; u->name; u++) {
		if (strcmp(u->name, name) == 0)
			return u;
	}
	return NULL;
}

static void list_units(const struct quantity *q, char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (const struct unit *u = q->units; u->name; u++) {
		int n = snprintf(out + used, size - used, "%s%s",
				 u == q->units ? "" : ", ", u->name);

		BUG_ON(n < 0 || (size_t)n >= size - used);
		used += (size_t)n;
	}
}

/* There was a number, but what follows it is no unit of q. */
static void explain_unit(const struct quantity *q, const struct number *n,
			 char *why, size_t size)
{
	char units[64];

	if (!*q->units->name) {
		snprintf(why, size, "'%s' is not %s; write %s", n->text,
			 q->what, q->examples);
		return;
	}
	list_units(q, units, sizeof(units));
	if (*n->end)
		snprintf(why, size, "unknown unit in '%s' (%s); write %s",
			 n->text, units, q->examples);
	else
		snprintf(why, size, "'%s' has no unit (%s); write %s", n->text,
			 units, q->examples);
}

/* The number times the unit, if it is whole and fits. */
static bool scale_number(const struct quantity *q, const struct number *n,
			 const struct unit *u, int64_t *out, char *why,
			 size_t size)
{
	wide value = (wide)n->digits * u->factor;
	wide most = (wide)INT64_MAX + n->negative;

	if (n->huge || value / n->scale > most) {
		snprintf(why, size, "'%s' is too large", n->text);
		return false;
	}
	if (value % n->scale) {
		snprintf(why, size, "'%s' is not a whole number of %s", n->text,
			 q->base);
		return false;
	}
	value /= n->scale;
	*out = (int64_t)(n->negative ? -value : value);
	return true;
}

bool quantity_parse(const struct quantity *q, const char *text, int64_t *out,
		    char *why, size_t size)
{
	struct number n = read_number(text);
	const struct unit *u;

	BUG_ON(!q->units);
	if (n.end == text) {
		snprintf(why, size, "'%s' is not %s; write %s", text, q->what,
			 q->examples);
		return false;
	}
	while (*n.end == ' ')
		n.end++;
	/* Nothing is nothing in every unit. */
	if (!*n.end && !n.digits && !n.huge)
		u = q->units;
	else
		u = find_unit(q, n.end);
	if (!u) {
		explain_unit(q, &n, why, size);
		return false;
	}
	return scale_number(q, &n, u, out, why, size);
}

/* The largest unit that writes this value without an endless fraction. */
static const struct unit *best_unit(const struct quantity *q, uint64_t value)
{
	const struct unit *best = q->units;

	for (const struct unit *u = q->units; u->name; u++) {
		uint64_t factor = (uint64_t)u->factor;

		/* Of two names for one unit the first, which is shorter. */
		if (factor == (uint64_t)best->factor || value < factor)
			continue;
		if (u->decimal || value % factor == 0)
			best = u;
	}
	return best;
}

void quantity_print(const struct quantity *q, int64_t value, char *out,
		    size_t size)
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	const struct unit *u = best_unit(q, magnitude);
	uint64_t factor = (uint64_t)u->factor;
	uint64_t rest = magnitude % factor;
	char fraction[24] = "";

	if (!value) {
		snprintf(out, size, "0");
		return;
	}
	if (rest) {
		int end;

		/* Decimal units: the factor is a power of ten. */
		end = snprintf(fraction, sizeof(fraction), ".%" PRIu64,
			       factor + rest);
		fraction[1] = '.'; /* over the leading 1 of the padding */
		while (fraction[end - 1] == '0')
			fraction[--end] = '\0';
	}
	snprintf(out, size, "%s%" PRIu64 "%s%s", value < 0 ? "-" : "",
		 magnitude / factor, rest ? fraction + 1 : "", u->name);
}
