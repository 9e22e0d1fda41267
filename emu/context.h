/*
 * Switching host stacks: what coro.c needs of the platform. One of
 * context_boost.c and context_ucontext.c implements it; the build chooses.
 */
#pragma once

#include <stddef.h>

/* A suspended flow of control; meaningless while it runs. */
struct context {
	void *at;		  /* where its registers are */
	void (*entry)(void *arg); /* what it starts with */
	void *arg;
};

/* Prepare c to stand for the caller's own stack, the host's. */
void context_init(struct context *c);
void context_finish(struct context *c);

/*
 * Prepare c to run entry(arg) on the size bytes from low on, at the first
 * switch to it. entry must never return. Nothing to release but the memory.
 */
void context_make(struct context *c, void *low, size_t size,
		  void (*entry)(void *arg), void *arg);

/* Store the running flow in from and go on with to. */
void context_switch(struct context *from, struct context *to);
