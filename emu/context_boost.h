/*
 * Stack switches by Boost.Context's assembler, some 10 ns each.
 *
 * Leaves out  signal masks, which swapcontext saves by a system call.
 *
 * Boost ships a C ABI without a C header. These declarations state what
 * libboost_context 1.74 exports; later releases have kept it. Linking the
 * static archive pulls in the assembler only, not the C++ library.
 */
#pragma once

#include "emu/bug.h"
#include "emu/types.h"

/* A suspended flow of control; meaningless while it runs. */
struct context {
	void *at;		  /* where its registers are */
	void (*entry)(void *arg); /* what it starts with */
	void *arg;
};

struct context_transfer {
	void *from; /* the flow that switched here */
	void *data; /* what it passed on */
};

void *make_fcontext(void *top, size_t size,
		    void (*entry)(struct context_transfer t));
struct context_transfer jump_fcontext(void *to, void *data);

/* Lives on the switching side's stack until the other side has read it. */
struct context_hop {
	struct context *from;
	struct context *to;
};

static inline void context_init(struct context *c)
{
	*c = (struct context){ 0 };
}

static inline void context_finish(struct context *c)
{
	*c = (struct context){ 0 };
}

/* Only the destination learns where the source stopped: it takes the note. */
static inline struct context *context_arrive(struct context_transfer t)
{
	const struct context_hop *hop = t.data;

	hop->from->at = t.from;
	return hop->to;
}

static inline void context_start(struct context_transfer t)
{
	struct context *self = context_arrive(t);

	self->entry(self->arg);
	BUG_ON(1);
}

static inline void context_make(struct context *c, void *low, size_t size,
				void (*entry)(void *arg), void *arg)
{
	c->at = make_fcontext((char *)low + size, size, context_start);
	c->entry = entry;
	c->arg = arg;
}

static inline void context_switch(struct context *from, struct context *to)
{
	struct context_hop hop = { from, to };

	context_arrive(jump_fcontext(to->at, &hop));
}
