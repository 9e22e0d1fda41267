/*
 * The periodic timer: HZ interrupts a second, at exact multiples of 1/HZ
 * from power-on (the ns remainder is carried, so second n*HZ is second n).
 */
#pragma once

#include "cpu/irq.h"
#include "emu/event.h"

struct timer {
	struct events *events;
	struct event event;
	struct irq_line line;
	unsigned hz;
	simtime start;
	uint64_t ticks; /* so far */
};

/* Start ticking: the first tick comes 1/hz after time start. */
void timer_init(struct timer *t, struct events *events, unsigned hz,
		simtime start, struct irq_line line);
void timer_stop(struct timer *t);
