/*
 * Stack switches by POSIX ucontext: for hosts without Boost.Context.
 *
 * Leaves out  speed: each switch is a system call for the signal mask, some
 *             200 ns.
 */
#pragma once

#include "emu/bug.h"
#include "emu/types.h"

#include <stdlib.h>
#include <ucontext.h>

/* A suspended flow of control; meaningless while it runs. */
struct context {
	void *at;		  /* where its registers are */
	void (*entry)(void *arg); /* what it starts with */
	void *arg;
};

static inline void context_init(struct context *c)
{
	*c = (struct context){ .at = xcalloc(1, sizeof(ucontext_t)) };
}

static inline void context_finish(struct context *c)
{
	free(c->at);
	*c = (struct context){ 0 };
}

/* makecontext passes ints: the pointer comes in two halves. */
static inline void context_start(unsigned high, unsigned low)
{
	uintptr_t bits = (uintptr_t)((uint64_t)high << 32 | low);
	struct context *self;

	self = (struct context *)bits; /* NOLINT(performance-no-int-to-ptr) */
	self->entry(self->arg);
	BUG_ON(1);
}

/* The registers are kept at the low end of the stack, above its guard. */
static inline void context_make(struct context *c, void *low, size_t size,
				void (*entry)(void *arg), void *arg)
{
	uint64_t self = (uintptr_t)c;
	ucontext_t *uc = low;

	BUG_ON(size < 2 * sizeof(*uc));
	BUG_ON(getcontext(uc));
	uc->uc_link = NULL;
	uc->uc_stack.ss_sp = (char *)low + sizeof(*uc);
	uc->uc_stack.ss_size = size - sizeof(*uc);
	makecontext(uc, (void (*)(void))context_start, 2,
		    (unsigned)(self >> 32), (unsigned)self);
	c->at = uc;
	c->entry = entry;
	c->arg = arg;
}

static inline void context_switch(struct context *from, struct context *to)
{
	BUG_ON(swapcontext(from->at, to->at));
}
