/*
 * The published record: who gets which event.
 *
 * Models      nothing. It is the only way by which facts leave the machine.
 * Leaves out  storage: a recorder, a timeline or a test is a subscriber. The
 *             ring keeps the last events that were published for a failure's
 *             report; kinds that nobody wants do not reach it, so that an
 *             event without listeners costs one branch.
 */
#include "emu/trace.h"

#include "emu/bug.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

_Static_assert(TR_KINDS <= 64, "a mask has one bit per kind");

const struct trace_kind_info trace_kinds[TR_KINDS] = {
#define X(kind, in_digest, text, a, b, c, d) \
	[TR_##kind] = { text, { a, b, c, d }, in_digest },
	TRACE_KINDS(X)
#undef X
};

/* The kinds that decide what a run is: bits 1 << TR_KIND. */
#define X(kind, in_digest, ...) | ((uint64_t)(in_digest) << TR_##kind)
static const uint64_t decisive = 0 TRACE_KINDS(X);
#undef X

simtime trace_variable(const void *arg)
{
	return *(const simtime *)arg;
}

void trace_init(struct trace *t, simtime (*now)(const void *arg),
		const void *arg)
{
	memset(t, 0, sizeof(*t));
	t->now = now;
	t->now_arg = arg;
	t->mask = decisive;
	digest_init(&t->digest);
}

void trace_subscribe(struct trace *t, trace_fn fn, void *arg, uint64_t mask)
{
	BUG_ON(t->nr_subscribers == TRACE_SUBSCRIBERS);
	BUG_ON(!fn);

	t->subscriber[t->nr_subscribers].fn = fn;
	t->subscriber[t->nr_subscribers].arg = arg;
	t->subscriber[t->nr_subscribers].mask = mask;
	t->nr_subscribers++;
	t->mask |= mask;
}

static void trace_to_digest(struct digest *d, const struct trace_event *ev)
{
	digest_word(d, (uint64_t)ev->at);
	digest_word(d, ev->kind);
	for (unsigned i = 0; i < 4; i++)
		digest_word(d, ev->v[i]);
}

void trace_publish(struct trace *t, enum trace_kind kind, uint64_t a,
		   uint64_t b, uint64_t c, uint64_t d)
{
	struct trace_event *ev = &t->ring[t->ring_next];
	uint64_t bit;

	BUG_ON((unsigned)kind >= TR_KINDS);
	bit = (uint64_t)1 << kind;
	t->ring_next = (t->ring_next + 1) % TRACE_RING;
	*ev = (struct trace_event){ t->now(t->now_arg), kind, { a, b, c, d } };

	if (decisive & bit)
		trace_to_digest(&t->digest, ev);
	for (unsigned i = 0; i < t->nr_subscribers; i++) {
		if (t->subscriber[i].mask & bit)
			t->subscriber[i].fn(t->subscriber[i].arg, ev);
	}
}

/* Does this field hold eight bytes of a name, or eight further ones? */
static bool is_text(const char *field)
{
	static const char *const names[] = { "image", "image2", "name",
					     "name2", "what",	NULL };

	for (const char *const *name = names; *name; name++) {
		if (strcmp(field, *name) == 0)
			return true;
	}
	return false;
}

static bool continues(const char *field)
{
	size_t length = strlen(field);

	return length && field[length - 1] == '2' && is_text(field);
}

/* " field=value"; what continues a name comes without a field of its own. */
static int format_field(const char *field, uint64_t value, char *out,
			size_t size)
{
	char text[sizeof(value) + 1] = "";

	if (!*field)
		return 0;
	if (!is_text(field)) /* signed, so that a "none" of -1 reads as -1 */
		return snprintf(out, size, " %s=%" PRId64, field,
				(int64_t)value);
	for (unsigned i = 0; i < sizeof(value); i++)
		text[i] = (char)(value >> (8 * i) & 0xFF);
	if (continues(field))
		return snprintf(out, size, "%s", text);
	return snprintf(out, size, " %s=%s", field, text);
}

void trace_format(const struct trace_event *ev, char *out, size_t size)
{
	const struct trace_kind_info *info = &trace_kinds[ev->kind];
	size_t used = 0;
	int n;

	BUG_ON(!size);
	n = snprintf(out, size, "%lld.%06lld %s", ev->at / NSEC_PER_SEC,
		     ev->at % NSEC_PER_SEC / NSEC_PER_USEC, info->name);
	for (unsigned i = 0; i < 4; i++) {
		BUG_ON(n < 0);
		used += (size_t)n;
		if (used >= size)
			return;
		n = format_field(info->field[i], ev->v[i], out + used,
				 size - used);
	}
}
