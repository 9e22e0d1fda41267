/*
 * What happens next: a heap of events ordered by (time, order of posting).
 *
 * Device models, timers and script lines are events. A callback runs to its
 * end: it marks, wakes and returns; it must not switch stacks.
 */
#pragma once

#include "emu/types.h"

/* A place of the heap, for event.c and event_next. */
struct event_entry {
	simtime at;
	uint64_t key; /* sequence, and the event's slot */
};

/*
 * One thing that can be pending once. Embedded in its owner, who keeps it
 * alive while it is pending. fn and arg are set by event_init.
 */
struct event {
	void (*fn)(void *arg);
	void *arg;
	uint32_t slot; /* index in events.slots + 1; 0 unless pending */
	bool pending;
};

struct events {
	simtime now;	 /* time of the last event that was started */
	uint64_t posted; /* sequence: ties leave in order of posting */
	uint64_t fired;

	struct event_entry *heap;
	uint32_t count;
	uint32_t room;

	struct event **slots;
	uint32_t *heap_index; /* slot to place in the heap */
	uint32_t nr_slots;
	uint32_t slots_room;
	uint32_t free_slot; /* head of the list of unused slots */
};

void events_init(struct events *q);
void events_finish(struct events *q);

void event_init(struct event *ev, void (*fn)(void *arg), void *arg);

/*
 * Make ev happen at time at, which must not lie before q->now; ev must not be
 * pending. O(log n), no allocation once the heap has grown to its size.
 */
void event_post(struct events *q, struct event *ev, simtime at);

/* Take ev back. False if it was not pending. O(log n). */
bool event_cancel(struct events *q, struct event *ev);

/* Time of the earliest pending event; SIMTIME_MAX if there is none. */
static inline simtime event_next(const struct events *q)
{
	return q->count ? q->heap[0].at : SIMTIME_MAX;
}

/*
 * Start the earliest event: advance q->now to its time and call it. False if
 * the queue is empty. The callback may post, cancel and repost.
 */
bool event_run_one(struct events *q);
