/*
 * The periodic timer: tick n at start + n/HZ, to the nanosecond, for ever.
 */
#include "cpu/timer.h"
#include "emu/bug.h"

struct listener {
	struct events events;
	struct timer timer;
	simtime last;
	uint64_t heard;
	uint64_t stop_at;
};

static void hear(void *arg)
{
	struct listener *l = arg;

	l->heard++;
	l->last = l->events.now;
	if (l->heard == l->stop_at)
		timer_stop(&l->timer);
}

static void check_rate(unsigned hz, simtime start, uint64_t seconds)
{
	struct listener l = { .stop_at = hz * seconds };

	events_init(&l.events);
	timer_init(&l.timer, &l.events, hz, start,
		   (struct irq_line){ hear, &l });
	for (uint64_t n = 1; event_run_one(&l.events); n++) {
		simtime exact = start + (simtime)(n * NSEC_PER_SEC / hz);

		BUG_ON(l.heard != n || l.timer.ticks != n);
		BUG_ON(l.last != exact);
	}
	BUG_ON(l.heard != l.stop_at);
	BUG_ON(l.last != start + (simtime)seconds * NSEC_PER_SEC);
	events_finish(&l.events);
}

int main(void)
{
	check_rate(100, 0, 1000);
	check_rate(250, 0, 1000);
	check_rate(1000, 12345, 1000);
	check_rate(1024, 0, 1000); /* 976562.5 ns: no whole number */
	check_rate(3, 7, 3000);
	return 0;
}
