/*
 * The queue of what happens next: a 4-ary heap of 16-byte entries.
 *
 * Models      nothing; it keeps simulated time in order.
 * Leaves out  buckets by time (a calendar queue). Timer ticks put many events
 *             on one instant, which is where those collapse; a 4-ary heap is
 *             as fast at the few hundred events we hold.
 *
 * An entry's key is its sequence number above its slot: events of one instant
 * leave in order of posting, and the slot leads to the event and back to its
 * place in the heap, so that cancelling needs no search. An event has a slot
 * only while it is pending; owners may vanish afterwards without a word.
 */
#include "emu/event.h"

#include "emu/bug.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_BITS 24
#define SLOT_MAX  (1U << SLOT_BITS)
#define SLOT_MASK ((uint64_t)SLOT_MAX - 1)
/* 2^40 events: a day of the host's time at ten million a second. */
#define SEQUENCE_MAX ((uint64_t)1 << (64 - SLOT_BITS))
#define NO_SLOT	     UINT32_MAX
#define CHILDREN     4

__extension__ typedef unsigned __int128 event_order;

/* One comparison for both, without a branch: times are never negative. */
static inline event_order order(const struct event_entry *e)
{
	return ((event_order)(uint64_t)e->at << 64) | e->key;
}

static inline uint32_t slot_of(const struct event_entry *e)
{
	return (uint32_t)(e->key & SLOT_MASK);
}

void events_init(struct events *q)
{
	memset(q, 0, sizeof(*q));
	q->free_slot = NO_SLOT;
}

void events_finish(struct events *q)
{
	free(q->heap);
	free(q->slots);
	free(q->heap_index);
	events_init(q);
}

void event_init(struct event *ev, void (*fn)(void *arg), void *arg)
{
	*ev = (struct event){ .fn = fn, .arg = arg };
}

/* Put an entry at a place and remember where it is. */
static inline void place(struct events *q, uint32_t at, struct event_entry e)
{
	q->heap[at] = e;
	q->heap_index[slot_of(&e)] = at;
}

/* Move the hole at this place up to where e belongs; fill it. */
static void sift_up(struct events *q, uint32_t at, struct event_entry e)
{
	event_order mine = order(&e);

	while (at) {
		uint32_t parent = (at - 1) / CHILDREN;

		if (order(&q->heap[parent]) < mine)
			break;
		place(q, at, q->heap[parent]);
		at = parent;
	}
	place(q, at, e);
}

/* The earliest of the up to four children from first on. */
static inline uint32_t earliest(const struct events *q, uint32_t first)
{
	uint32_t end = first + CHILDREN;
	uint32_t best = first;
	event_order best_order = order(&q->heap[first]);

	if (end > q->count)
		end = q->count;
	for (uint32_t i = first + 1; i < end; i++) {
		event_order other = order(&q->heap[i]);

		if (other < best_order) {
			best = i;
			best_order = other;
		}
	}
	return best;
}

/* Move the hole at this place down to where e belongs; fill it. */
static void sift_down(struct events *q, uint32_t at, struct event_entry e)
{
	event_order mine = order(&e);
	uint32_t child;

	while ((child = at * CHILDREN + 1) < q->count) {
		child = earliest(q, child);
		if (mine < order(&q->heap[child]))
			break;
		place(q, at, q->heap[child]);
		at = child;
	}
	place(q, at, e);
}

/* Take the entry at this place out; the last one fills the hole. */
static void heap_remove(struct events *q, uint32_t at)
{
	struct event_entry last;

	BUG_ON(at >= q->count);
	last = q->heap[--q->count];
	if (at == q->count)
		return;
	/* From the middle, the last entry may have to go either way. */
	if (at && order(&last) < order(&q->heap[(at - 1) / CHILDREN]))
		sift_up(q, at, last);
	else
		sift_down(q, at, last);
}

/* Slots and heap grow together: an event has one place in each. */
static void grow(struct events *q)
{
	uint32_t room = q->room ? q->room * 2 : 64;

	BUG_ON(room > SLOT_MAX);
	q->heap = xrealloc(q->heap, room * sizeof(*q->heap));
	q->slots = xrealloc(q->slots, room * sizeof(struct event *));
	q->heap_index = xrealloc(q->heap_index, room * sizeof(*q->heap_index));
	q->room = room;
	q->slots_room = room;
}

/* The list of unused slots goes through heap_index. */
static uint32_t slot_take(struct events *q)
{
	uint32_t slot = q->free_slot;

	if (slot != NO_SLOT) {
		q->free_slot = q->heap_index[slot];
		return slot;
	}
	if (q->nr_slots == q->slots_room)
		grow(q);
	return q->nr_slots++;
}

/* The event is pending no longer. */
static void slot_give(struct events *q, struct event *ev)
{
	uint32_t slot = ev->slot - 1;

	BUG_ON(q->slots[slot] != ev);
	q->slots[slot] = NULL;
	q->heap_index[slot] = q->free_slot;
	q->free_slot = slot;
	ev->slot = 0;
	ev->pending = false;
}

void event_post(struct events *q, struct event *ev, simtime at)
{
	struct event_entry e = { .at = at };
	uint32_t slot;

	BUG_ON(ev->pending);
	BUG_ON(at < q->now);
	BUG_ON(q->posted == SEQUENCE_MAX);

	slot = slot_take(q);
	q->slots[slot] = ev;
	ev->slot = slot + 1;
	ev->pending = true;
	e.key = q->posted++ << SLOT_BITS | slot;
	sift_up(q, q->count++, e);
}

bool event_cancel(struct events *q, struct event *ev)
{
	if (!ev->pending)
		return false;
	heap_remove(q, q->heap_index[ev->slot - 1]);
	slot_give(q, ev);
	return true;
}

bool event_run_one(struct events *q)
{
	struct event_entry first;
	struct event *ev;

	if (!q->count)
		return false;
	first = q->heap[0];
	BUG_ON(first.at < q->now);
	ev = q->slots[slot_of(&first)];
	heap_remove(q, 0);
	slot_give(q, ev);

	q->now = first.at;
	q->fired++;
	/* Last: the callback may post ev again, or free it. */
	ev->fn(ev->arg);
	return true;
}
