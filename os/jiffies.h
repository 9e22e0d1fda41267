/*
 * Ticks of 1/HZ as the kernel counts them. Tick n comes n/HZ s after
 * power-on, rounded down to the ns (cpu/timer.h).
 */
#pragma once

#include "emu/types.h"

/*
 * Seconds by which a 32-bit kernel's counter begins below zero, so that its
 * wrap is met early: INITIAL_JIFFIES, include/linux/jiffies.h.
 */
#define JIFFIES_BELOW_ZERO 300

/* The tick that came last: the largest whose time is not after now. */
static inline int64_t jiffies_at(unsigned hz, simtime now)
{
	return ((now + 1) * hz - 1) / NSEC_PER_SEC;
}

/* The time of a tick. */
static inline simtime jiffies_time(unsigned hz, int64_t tick)
{
	return tick / hz * NSEC_PER_SEC + tick % hz * NSEC_PER_SEC / hz;
}

/* Whole ticks in a span, rounded down. */
static inline int64_t jiffies_in(unsigned hz, simtime span)
{
	return span / NSEC_PER_SEC * hz +
	       span % NSEC_PER_SEC * hz / NSEC_PER_SEC;
}

/* The same, but what is not 0 is at least one tick. */
static inline int64_t jiffies_some(unsigned hz, simtime span)
{
	int64_t ticks = jiffies_in(hz, span);

	return span > 0 && ticks == 0 ? 1 : ticks;
}
