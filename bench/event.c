/*
 * How many events a second are popped, dispatched and posted again.
 *
 * Prints millions a second of CPU time, best and median of 5 rounds, with 16,
 * 256 and 4096 events pending at exponential distances.
 */
#include "emu/event.h"
#include "bench/rounds.h"
#include "emu/bug.h"
#include "emu/rng.h"

#include <stdlib.h>

#define EVENTS	  2000000
#define DISTANCES 4096 /* drawn beforehand: chance is not measured */

struct source {
	struct event ev;
	struct bench *bench;
};

struct bench {
	struct events queue;
	unsigned next;
	simtime distance[DISTANCES];
};

static void fire(void *arg)
{
	struct source *s = arg;
	struct bench *b = s->bench;
	simtime distance = b->distance[b->next++ % DISTANCES];

	event_post(&b->queue, &s->ev, b->queue.now + distance);
}

static void measure(unsigned pending, const char *name)
{
	struct bench *b = xcalloc(1, sizeof(*b));
	struct source *sources = xcalloc(pending, sizeof(*sources));
	struct rounds rounds = { 0 };
	struct rng rng;

	events_init(&b->queue);
	rng_init(&rng, 1, "bench");
	for (unsigned i = 0; i < DISTANCES; i++)
		b->distance[i] = (simtime)rng_exponential(&rng, 100000);
	for (unsigned i = 0; i < pending; i++) {
		sources[i].bench = b;
		event_init(&sources[i].ev, fire, &sources[i]);
		fire(&sources[i]);
	}
	while (rounds_left(&rounds)) {
		for (unsigned i = 0; i < EVENTS; i++)
			event_run_one(&b->queue);
		round_done(&rounds, EVENTS);
	}
	events_finish(&b->queue);
	free(sources);
	free(b);
	rounds_print(&rounds, name, (struct target){ 5000, 10000 });
}

int main(void)
{
	measure(16, "events, 16 pending");
	measure(256, "events, 256 pending");
	measure(4096, "events, 4096 pending");
	return 0;
}
