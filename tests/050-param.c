/*
 * Option tables: every type is read, every mistake gets its message, and what
 * is printed reads back as the same value.
 */
#include "emu/bug.h"
#include "emu/param.h"
#include "emu/rng.h"

#include <stdlib.h>
#include <string.h>

struct options {
	bool shared;
	int64_t batch;
	simtime hold;
	int64_t size;
	int64_t clock;
	int64_t cost;
	int policy;
	char *image;
	int64_t percent;
	int64_t any;
	simtime span;
};

static const char *const policies[] = { "none", "timeout", "priority", NULL };

#define FIELD(name) offsetof(struct options, name)

static const struct param table[] = {
	{ "shared", PARAM_BOOL, FIELD(shared), "yes", "", 0, 0, NULL },
	{ "batch", PARAM_INT, FIELD(batch), "0x20", "", 1, INT64_MAX, NULL },
	{ "hold", PARAM_TIME, FIELD(hold), "300s", "", NSEC_PER_MSEC,
	  7200 * NSEC_PER_SEC, NULL },
	{ "size", PARAM_SIZE, FIELD(size), "64M", "", 0, 0, NULL },
	{ "clock", PARAM_FREQ, FIELD(clock), "1.69GHz", "", 0, 0, NULL },
	{ "cost", PARAM_CYCLES, FIELD(cost), "1200cycles", "", 0, 0, NULL },
	{ "policy", PARAM_ENUM, FIELD(policy), "timeout", "", 0, 0, policies },
	{ "image", PARAM_STRING, FIELD(image), "qsbench", "", 0, 0, NULL },
	{ "percent", PARAM_INT, FIELD(percent), "60", "", 0, 100, NULL },
	{ "any", PARAM_INT, FIELD(any), "-3", "", 0, 0, NULL },
	{ "span", PARAM_TIME, FIELD(span), "0", "", 0, 0, NULL },
	{ 0 },
};

static void test_defaults(void)
{
	struct options o;

	param_defaults(table, &o);
	BUG_ON(!o.shared);
	BUG_ON(o.batch != 32);
	BUG_ON(o.hold != 300 * NSEC_PER_SEC);
	BUG_ON(o.size != 64 << 20);
	BUG_ON(o.clock != 1690000000);
	BUG_ON(o.cost != 1200);
	BUG_ON(o.policy != 1);
	BUG_ON(strcmp(o.image, "qsbench") != 0);
	BUG_ON(o.any != -3);
	BUG_ON(o.span != 0);
	param_finish(table, &o);
	BUG_ON(o.image);
}

/* Good values and what they are as text again. */
static const struct {
	const char *key;
	const char *value;
	const char *printed;
} good[] = {
	{ "shared", "off", "false" },
	{ "shared", "on", "true" },
	{ "shared", "no", "false" },
	{ "batch", "+12", "12" },
	{ "batch", "007", "7" },
	{ "hold", "2.5ms", "2.5ms" },
	{ "hold", "2500 us", "2.5ms" },
	{ "hold", "90min", "90min" },
	{ "hold", "7200s", "2h" },
	{ "hold", "61s", "61s" },
	{ "hold", "1.000000001s", "1.000000001s" },
	{ "span", "0", "0" },
	{ "span", "0.0s", "0" },
	{ "span", "10ns", "10ns" },
	{ "span", "9223372036854775807ns", "9223372036.854775807s" },
	{ "size", "1.5K", "1536B" },
	{ "size", "512B", "512B" },
	{ "size", "1024M", "1G" },
	{ "size", "3T", "3T" },
	{ "clock", "250Hz", "250Hz" },
	{ "clock", "550MHz", "550MHz" },
	{ "clock", "0.5kHz", "500Hz" },
	{ "cost", "0", "0" },
	{ "cost", "77", "77" },
	{ "cost", "77 cycles", "77" },
	{ "any", "-0x40", "-64" },
	{ "any", "-9223372036854775808", "-9223372036854775808" },
	{ "any", "9223372036854775807", "9223372036854775807" },
	{ "policy", "priority", "priority" },
	{ "image", "", "" },
	{ "image", "two words", "two words" },
};

static const struct param *row(const char *key)
{
	const struct param *p = table;

	while (strcmp(p->key, key) != 0)
		p++;
	return p;
}

static void test_good(void)
{
	struct diag *d = diag_new();
	struct options o;
	char text[64];

	param_defaults(table, &o);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		BUG_ON(!param_set(table, &o, good[i].key, good[i].value, "test",
				  d, (struct diag_place){ 0 }));
		param_print(row(good[i].key), &o, text, sizeof(text));
		BUG_ON(strcmp(text, good[i].printed) != 0);
	}
	BUG_ON(diag_errors(d));
	param_finish(table, &o);
	diag_free(d);
}

static const struct {
	const char *key;
	const char *value;
	const char *message;
} bad[] = {
	{ "hold", "5",
	  "hold: '5' has no unit (ns, us, ms, s, min, h); "
	  "write 5s or 300ms" },
	{ "hold", "5 sec",
	  "hold: unknown unit in '5 sec' (ns, us, ms, s, min, h); "
	  "write 5s or 300ms" },
	{ "hold", "soon", "hold: 'soon' is not a time; write 5s or 300ms" },
	{ "hold", "", "hold: '' is not a time; write 5s or 300ms" },
	{ "hold", "3h", "hold: 3h is out of range: 1ms to 2h" },
	{ "hold", "10us", "hold: 10us is out of range: 1ms to 2h" },
	{ "hold", "1.5ns",
	  "hold: '1.5ns' is not a whole number of nanoseconds" },
	{ "hold", "9999999999999999999h",
	  "hold: '9999999999999999999h' is too large" },
	{ "hold", "99999999999999999999999s",
	  "hold: '99999999999999999999999s' is too large" },
	{ "span", "-1s", "span: -1s is too small: at least 0" },
	{ "size", "64MB",
	  "size: unknown unit in '64MB' (B, K, M, G, T); write 64M or 4K" },
	{ "size", "100",
	  "size: '100' has no unit (B, K, M, G, T); write 64M or 4K" },
	{ "size", "0.1K", "size: '0.1K' is not a whole number of bytes" },
	{ "clock", "1.69",
	  "clock: '1.69' has no unit (Hz, kHz, MHz, GHz); "
	  "write 1.69GHz or 250Hz" },
	{ "cost", "5ns",
	  "cost: '5ns' is not a number of cycles; "
	  "write 1200 or 1200cycles" },
	{ "batch", "0", "batch: 0 is too small: at least 1" },
	{ "batch", "12x",
	  "batch: '12x' is not a whole number; write 12 or 0x40" },
	{ "batch", "1.5", "batch: '1.5' is not a whole number of units" },
	{ "percent", "101", "percent: 101 is out of range: 0 to 100" },
	{ "shared", "maybe", "shared: 'maybe' is neither true nor false" },
	{ "policy", "prio",
	  "unknown policy 'prio' (none, timeout, priority); "
	  "did you mean 'priority'?" },
	{ "policy", "lottery",
	  "unknown policy 'lottery' (none, timeout, priority)" },
	{ "hodl", "5s",
	  "unknown key 'hodl' (shared, batch, hold, size, clock, cost, "
	  "policy, image, percent, any, span); did you mean 'hold'?" },
};

static void test_bad(void)
{
	struct options o;

	param_defaults(table, &o);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct diag *d = diag_new();
		char expected[256];
		char text[256] = "";
		FILE *to = fmemopen(text, sizeof(text), "w");

		BUG_ON(!to);
		BUG_ON(param_set(table, &o, bad[i].key, bad[i].value, "token",
				 d, (struct diag_place){ "x.yaml", 3, 5 }));
		BUG_ON(diag_errors(d) != 1);
		diag_print(d, to);
		fclose(to);
		snprintf(expected, sizeof(expected),
			 "x.yaml:3:5: error: token: %s\n", bad[i].message);
		if (strcmp(text, expected) != 0)
			fprintf(stderr, "got      %swanted   %s", text,
				expected);
		BUG_ON(strcmp(text, expected) != 0);
		diag_free(d);
	}
	/* An error leaves the field as it was. */
	BUG_ON(o.hold != 300 * NSEC_PER_SEC);
	param_finish(table, &o);
}

/* Any value of any type with a unit survives printing and reading. */
static void test_round_trip(void)
{
	static const char *const keys[] = { "any",   "span", "size",
					    "clock", "cost", NULL };
	struct diag *d = diag_new();
	struct options o;
	struct rng rng;
	char text[64];

	param_defaults(table, &o);
	rng_init(&rng, 1, "round trip");
	for (int i = 0; i < 200000; i++) {
		const struct param *p = row(keys[rng_below(&rng, 5)]);
		int64_t *field = (int64_t *)(void *)((char *)&o + p->offset);
		int64_t value =
			(int64_t)(rng_next(&rng) >> 1 >> rng_below(&rng, 63));

		/* Round numbers choose larger units. */
		if (rng_below(&rng, 2) && value < INT64_MAX / 3600000000000)
			value *= 3600000000000;
		*field = value;
		param_print(p, &o, text, sizeof(text));
		*field = 0;
		BUG_ON(!param_set(table, &o, p->key, text, "test", d,
				  (struct diag_place){ 0 }));
		BUG_ON(*field != value);
	}
	param_finish(table, &o);
	diag_free(d);
}

static void test_parse(void)
{
	struct diag *d = diag_new();
	struct diag_place nowhere = { 0 };
	int64_t value = 7;

	BUG_ON(!param_parse(PARAM_SIZE, "4K", &value, "memory", d, nowhere));
	BUG_ON(value != 4096);
	BUG_ON(param_parse(PARAM_SIZE, "-4K", &value, "memory", d, nowhere));
	BUG_ON(param_parse(PARAM_TIME, "4", &value, "end", d, nowhere));
	BUG_ON(value != 4096);
	BUG_ON(!param_parse(PARAM_BOOL, "yes", &value, "end", d, nowhere));
	BUG_ON(value != 1);
	BUG_ON(diag_errors(d) != 2);
	diag_free(d);
}

int main(void)
{
	test_defaults();
	test_good();
	test_bad();
	test_round_trip();
	test_parse();
	return 0;
}
