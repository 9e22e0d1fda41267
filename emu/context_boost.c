/*
 * Stack switches by Boost.Context's assembler, some 10 ns each.
 *
 * Leaves out  signal masks, which swapcontext saves by a system call.
 *
 * Boost ships a C ABI without a C header. These declarations state what
 * libboost_context 1.74 exports; later releases have kept it. Linking the
 * static archive pulls in the assembler only, not the C++ library.
 */
#include "emu/context.h"

#include "emu/bug.h"

struct transfer {
	void *from; /* the flow that switched here */
	void *data; /* what it passed on */
};

void *make_fcontext(void *top, size_t size, void (*entry)(struct transfer t));
struct transfer jump_fcontext(void *to, void *data);

/* Lives on the switching side's stack until the other side has read it. */
struct hop {
	struct context *from;
	struct context *to;
};

void context_init(struct context *c)
{
	*c = (struct context){ 0 };
}

void context_finish(struct context *c)
{
	*c = (struct context){ 0 };
}

/* Only the destination learns where the source stopped: it takes the note. */
static struct context *arrive(struct transfer t)
{
	const struct hop *hop = t.data;

	hop->from->at = t.from;
	return hop->to;
}

static void start(struct transfer t)
{
	struct context *self = arrive(t);

	self->entry(self->arg);
	BUG_ON(1);
}

void context_make(struct context *c, void *low, size_t size,
		  void (*entry)(void *arg), void *arg)
{
	c->at = make_fcontext((char *)low + size, size, start);
	c->entry = entry;
	c->arg = arg;
}

void context_switch(struct context *from, struct context *to)
{
	struct hop hop = { from, to };

	arrive(jump_fcontext(to->at, &hop));
}
