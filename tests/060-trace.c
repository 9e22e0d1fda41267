/*
 * The record: who hears which event, what the digest is made of, the ring of
 * the last events, and an event as text. Digests have known answers, computed
 * with another program.
 */
#include "emu/bug.h"
#include "emu/stat.h"
#include "emu/trace.h"
#include "tests/child.h"

#include <string.h>

#define BIT(kind) ((uint64_t)1 << (kind))

static uint64_t digest_of(const void *bytes, size_t size)
{
	struct digest d;

	digest_init(&d);
	digest_bytes(&d, bytes, size);
	return digest_value(&d);
}

static void test_digest(void)
{
	struct digest d;

	digest_init(&d);
	BUG_ON(digest_value(&d) != 0xBD0ED0D08A42A70CULL);
	digest_word(&d, 1);
	digest_word(&d, 2);
	digest_word(&d, 3);
	BUG_ON(digest_value(&d) != 0x1B90B5FB7D84FCF4ULL);
	/* Reading does not end it. */
	BUG_ON(digest_value(&d) != 0x1B90B5FB7D84FCF4ULL);

	BUG_ON(digest_of("", 0) != 0xD2EFF63778E02689ULL);
	BUG_ON(digest_of("faultline", 9) != 0x570F34C83D4626F9ULL);
	BUG_ON(digest_of("12345678", 8) != 0x3DE662D5EE6DEEB6ULL);
	/* A byte of padding is not a byte of data. */
	BUG_ON(digest_of("ab", 2) == digest_of("ab", 3));
}

struct listener {
	unsigned heard;
	struct trace_event last;
};

static void listen(void *arg, const struct trace_event *ev)
{
	struct listener *l = arg;

	l->heard++;
	l->last = *ev;
}

static void test_listeners(void)
{
	struct listener faults = { 0 };
	struct listener all = { 0 };
	struct trace t;
	simtime now = 5;

	trace_init(&t, trace_variable, &now);
	trace_emit(&t, TR_FAULT, 1, 2, 3, 4);
	BUG_ON(t.ring_next);
	trace_subscribe(&t, listen, &faults, BIT(TR_FAULT));
	trace_subscribe(&t, listen, &all, UINT64_MAX);
	trace_emit(&t, TR_FAULT, 1, 2, 3, 4);
	now = 6;
	trace_emit(&t, TR_EVICT, 5, 6, 7, 8);

	BUG_ON(faults.heard != 1 || all.heard != 2);
	BUG_ON(faults.last.at != 5 || faults.last.kind != TR_FAULT);
	BUG_ON(faults.last.v[0] != 1 || faults.last.v[3] != 4);
	BUG_ON(all.last.at != 6 || all.last.kind != TR_EVICT);
	BUG_ON(t.ring_next != 2 || t.ring[1].v[2] != 7);
	for (int i = 0; i < TRACE_RING; i++)
		trace_emit(&t, TR_SWITCH, (uint64_t)i, 0, 0, 0);
	BUG_ON(t.ring_next != 2 || t.ring[1].v[0] != TRACE_RING - 1);
}

static uint64_t run(uint64_t frame, bool watched)
{
	struct listener l = { 0 };
	struct trace t;
	simtime now = 0;

	trace_init(&t, trace_variable, &now);
	if (watched)
		trace_subscribe(&t, listen, &l, UINT64_MAX);
	for (uint64_t i = 0; i < 100; i++) {
		now += 10;
		trace_emit(&t, TR_FAULT, i, 0, 0, 0);
		trace_emit(&t, TR_EVICT, frame + i, 0, 0, 0);
	}
	return digest_value(&t.digest);
}

/* The digest sees decisive events only, and is the same when watched. */
static void test_undisturbed(void)
{
	BUG_ON(run(1, false) != run(1, true));
	BUG_ON(run(1, false) == run(2, false));
}

static const char *text_of(struct trace_event ev)
{
	static char text[128];

	trace_format(&ev, text, sizeof(text));
	return text;
}

static void test_text(void)
{
	struct trace_event fault = {
		12 * NSEC_PER_SEC + 345678901,
		TR_FAULT,
		{ 3, 77, 1, 0 },
	};
	struct trace_event exec = {
		1000,
		TR_EXEC,
		{ 2, trace_pack("quicksorter", 0), trace_pack("quicksorter", 8),
		  0 },
	};
	struct trace_event grant = { 0, TR_TOKEN_GRANT, { 2, UINT64_MAX, 1 } };
	char small[12];

	BUG_ON(strcmp(text_of(fault), "12.345678 fault process=3 page=77 "
				      "write=1 kind=0") != 0);
	BUG_ON(strcmp(text_of(exec), "0.000001 exec process=2 "
				     "image=quicksorter") != 0);
	BUG_ON(strcmp(text_of(grant), "0.000000 token_grant process=2 "
				      "from=-1 reason=1") != 0);
	trace_format(&fault, small, sizeof(small));
	BUG_ON(strcmp(small, "12.345678 f") != 0);
}

static void subscribe_too_often(void *arg)
{
	for (int i = 0; i <= TRACE_SUBSCRIBERS; i++)
		trace_subscribe(arg, listen, NULL, 0);
}

static void test_stat(void)
{
	struct {
		uint64_t reads;
		uint64_t writes;
	} counters = { 3, 4 };
	static const struct stat_name names[] = {
		{ "reads", 0, "" },
		{ "writes", sizeof(uint64_t), "" },
		{ 0 },
	};

	BUG_ON(stat_get(stat_find(names, "reads"), &counters) != 3);
	BUG_ON(stat_get(stat_find(names, "writes"), &counters) != 4);
	BUG_ON(stat_find(names, "write"));
}

int main(void)
{
	struct trace t;
	simtime now = 0;

	test_digest();
	test_listeners();
	test_undisturbed();
	test_text();
	test_stat();
	trace_init(&t, trace_variable, &now);
	BUG_ON(!child_aborts(subscribe_too_often, &t));
	return 0;
}
