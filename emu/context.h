/*
 * Switching host stacks: what coro.c needs of the platform, in two forms of
 * which the build chooses one. Both define struct context and
 *
 *   context_init(c)       prepare c to stand for the caller's own stack
 *   context_finish(c)     and release what that took
 *   context_make(c, low, size, entry, arg)
 *                         prepare c to run entry(arg) on the size bytes from
 *                         low on at the first switch to it; entry must never
 *                         return; nothing to release but that memory
 *   context_switch(from, to)
 *                         store the running flow in from, go on with to
 *
 * They are inline because a processor predicts returns by the calls it saw:
 * after a switch each return from a function is a surprise, so there should
 * be one, not three.
 */
#pragma once

#ifdef CORO_UCONTEXT
#include "emu/context_ucontext.h"
#else
#include "emu/context_boost.h"
#endif
