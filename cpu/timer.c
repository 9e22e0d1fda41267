/*
 * The periodic timer.
 *
 * Models      a programmable interval timer in its periodic mode, HZ times a
 *             second.
 * Leaves out  its own crystal: the real one's divisor makes HZ=1000 a little
 *             slow (1000.15 Hz on a PC), which Linux corrects in software.
 * Seen in     every kernel's accounting, time slices and timeouts.
 */
#include "cpu/timer.h"

#include "emu/bug.h"

/* Time of tick n, floor: the remainder is never added up. */
static simtime tick_time(const struct timer *t, uint64_t n)
{
	simtime seconds = (simtime)(n / t->hz);
	simtime part = (simtime)(n % t->hz);

	return t->start + seconds * NSEC_PER_SEC + part * NSEC_PER_SEC / t->hz;
}

/* The next tick is posted first, so that the handler may stop the timer. */
static void timer_tick(void *arg)
{
	struct timer *t = arg;

	t->ticks++;
	event_post(t->events, &t->event, tick_time(t, t->ticks + 1));
	irq_raise(t->line);
}

void timer_init(struct timer *t, struct events *events, unsigned hz,
		simtime start, struct irq_line line)
{
	BUG_ON(hz == 0 || hz > NSEC_PER_SEC);
	*t = (struct timer){
		.events = events, .line = line, .hz = hz, .start = start
	};
	event_init(&t->event, timer_tick, t);
	event_post(events, &t->event, tick_time(t, 1));
}

void timer_stop(struct timer *t)
{
	event_cancel(t->events, &t->event);
}
