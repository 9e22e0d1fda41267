/*
 * The event queue against a plain list searched from end to end: the same
 * events in the same order, ties included, with cancels in between.
 */
#include "emu/bug.h"
#include "emu/event.h"
#include "emu/rng.h"
#include "tests/child.h"

#include <stdlib.h>

#define EVENTS	   300
#define OPERATIONS 300000

struct item {
	struct event ev;
	bool pending;
	simtime at;
	uint64_t sequence;
};

struct model {
	struct events queue;
	struct item item[EVENTS];
	uint64_t sequence;
	struct item *fired;
};

static struct model *model; /* where an item's callback finds its model */

static void item_fire(void *arg)
{
	BUG_ON(model->fired);
	model->fired = arg;
}

/* The pending item that must come next, NULL if none is pending. */
static struct item *model_first(void)
{
	struct item *first = NULL;

	for (int i = 0; i < EVENTS; i++) {
		struct item *item = &model->item[i];

		if (!item->pending)
			continue;
		if (!first || item->at < first->at ||
		    (item->at == first->at && item->sequence < first->sequence))
			first = item;
	}
	return first;
}

static void toggle(struct item *item, simtime delay)
{
	if (item->pending) {
		BUG_ON(!event_cancel(&model->queue, &item->ev));
		item->pending = false;
		return;
	}
	BUG_ON(event_cancel(&model->queue, &item->ev));
	item->at = model->queue.now + delay;
	item->sequence = model->sequence++;
	item->pending = true;
	event_post(&model->queue, &item->ev, item->at);
}

static void run_one(void)
{
	struct item *first = model_first();

	model->fired = NULL;
	BUG_ON(event_next(&model->queue) != (first ? first->at : SIMTIME_MAX));
	BUG_ON(event_run_one(&model->queue) != (first != NULL));
	BUG_ON(model->fired != first);
	if (!first)
		return;
	BUG_ON(first->ev.pending);
	BUG_ON(model->queue.now != first->at);
	first->pending = false;
}

/* range: how far ahead; 1 puts everything on one instant. */
static void test_random(uint64_t seed, uint64_t range)
{
	struct rng rng;

	model = xcalloc(1, sizeof(*model));
	events_init(&model->queue);
	rng_init(&rng, seed, "event test");
	for (int i = 0; i < EVENTS; i++)
		event_init(&model->item[i].ev, item_fire, &model->item[i]);
	for (int i = 0; i < OPERATIONS / 3; i++) {
		struct item *item = &model->item[rng_below(&rng, EVENTS)];

		if (rng_below(&rng, 3))
			toggle(item, (simtime)rng_below(&rng, range));
		else
			run_one();
	}
	while (model_first())
		run_one();
	run_one();
	BUG_ON(model->queue.posted != model->sequence);
	BUG_ON(model->queue.nr_slots > EVENTS);
	events_finish(&model->queue);
	free(model);
}

/* A chain of events that are born and die one after the other. */
struct link {
	struct event ev;
	struct events *queue;
	unsigned *left;
};

static void link_new(struct events *q, unsigned *left);

static void link_fire(void *arg)
{
	struct link *link = arg;
	struct events *q = link->queue;
	unsigned *left = link->left;

	free(link);
	if ((*left)--)
		link_new(q, left);
}

static void link_new(struct events *q, unsigned *left)
{
	struct link *link = xcalloc(1, sizeof(*link));

	link->queue = q;
	link->left = left;
	event_init(&link->ev, link_fire, link);
	event_post(q, &link->ev, q->now + 10);
}

static void test_short_lives(void)
{
	struct events q;
	unsigned left = 1000000;

	events_init(&q);
	link_new(&q, &left);
	while (event_run_one(&q))
		;
	BUG_ON(q.fired != 1000001);
	BUG_ON(q.now != 10000010);
	BUG_ON(q.nr_slots != 1);
	events_finish(&q);
}

/* A callback may post its own event again and take others back. */
struct pair {
	struct events *queue;
	struct event again;
	struct event victim;
	int times;
};

static void again_fire(void *arg)
{
	struct pair *pair = arg;

	if (++pair->times == 1)
		BUG_ON(!event_cancel(pair->queue, &pair->victim));
	if (pair->times < 5)
		event_post(pair->queue, &pair->again, pair->queue->now);
}

static void victim_fire(void *arg)
{
	(void)arg;
	BUG_ON(1);
}

static void test_callbacks(void)
{
	struct events q;
	struct pair pair = { .queue = &q };

	events_init(&q);
	event_init(&pair.again, again_fire, &pair);
	event_init(&pair.victim, victim_fire, &pair);
	event_post(&q, &pair.again, 7);
	event_post(&q, &pair.victim, 7);
	while (event_run_one(&q))
		;
	BUG_ON(pair.times != 5);
	BUG_ON(q.now != 7);
	events_finish(&q);
}

static void post_twice(void *arg)
{
	struct pair *pair = arg;

	event_post(pair->queue, &pair->again, 1);
	event_post(pair->queue, &pair->again, 2);
}

static void post_into_past(void *arg)
{
	struct pair *pair = arg;

	pair->queue->now = 5;
	event_post(pair->queue, &pair->again, 4);
}

static void test_misuse(void)
{
	struct events q;
	struct pair pair = { .queue = &q };

	events_init(&q);
	event_init(&pair.again, again_fire, &pair);
	BUG_ON(!child_aborts(post_twice, &pair));
	BUG_ON(!child_aborts(post_into_past, &pair));
}

int main(void)
{
	test_random(1, 1000);
	test_random(2, 20);
	test_random(3, 1);
	test_callbacks();
	test_short_lives();
	test_misuse();
	return 0;
}
