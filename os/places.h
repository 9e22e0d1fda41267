/*
 * Requests by place and by age, for elevators that know all of them: sorted by
 * where they start, hashed by where they end, queued in order of arrival.
 *
 * There are two kinds of requests, kept apart: reads and writes, or what is
 * waited for and what is not. The state of such an elevator begins with a
 * struct places, its requests with a struct placed.
 */
#pragma once

#include "os/queue.h"

#define PLACES_BUCKETS 64

struct placed {
	struct request rq;  /* its link is in the fifo */
	struct list sorted; /* of the same kind */
	sector key;	    /* rq.disk.start when it was sorted in */
	struct placed *hash_next;
	sector hash_key; /* request_end when it was hashed */
	bool hashed;
	bool kind;
	int64_t expires; /* jiffies: then it should go first */
};

struct places {
	struct list sorted[2], fifo[2];	     /* [kind] */
	struct placed *hash[PLACES_BUCKETS]; /* both kinds, by end */
};

static inline struct placed *placed_of(struct request *rq)
{
	return container_of(rq, struct placed, rq);
}

void places_init(struct places *p);

/*
 * Sort r in, or again; kind and start are set. The request of its kind that
 * starts at the very same place, if there is one: then r is not sorted in.
 */
struct placed *places_sort_in(struct places *p, struct placed *r);

/* Queue and hash one that was sorted in. */
void places_enter(struct places *p, struct placed *r, int64_t expires);

/* It has another end: hash it anew. */
void places_rehash(struct places *p, struct placed *r);

/* Forget it: to be dispatched, or part of another one now. */
void places_remove(struct places *p, struct placed *r);

/* Neighbours in sector order, the first, and the oldest; NULL: none. */
struct placed *places_after(const struct places *p, const struct placed *r);
struct placed *places_before(const struct places *p, const struct placed *r);
struct placed *places_first(const struct places *p, bool kind);
struct placed *places_oldest(const struct places *p, bool kind);

/* r absorbs gone, and stands in its place in the fifo if that is sooner. */
bool places_inherit(struct placed *r, struct placed *gone);

/* The request that bio follows, of any kind; that it precedes, of this one. */
struct request *places_find_back(struct places *p, const struct bio *bio);
struct request *places_find_front(struct places *p, const struct bio *bio,
				  bool kind);

/* Hooks of struct elevator_ops. */
bool places_empty(const struct queue *q);
struct request *places_neighbour(struct queue *q, struct request *rq,
				 bool after);

static inline bool places_has(const struct places *p, bool kind)
{
	return !list_empty(&p->fifo[kind]);
}
