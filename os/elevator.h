/*
 * The order in which requests are served. The slot's competitors are in
 * os/elevator/; models block/elevator.c of 2.6.18.
 *
 * An elevator collects requests, finds those that a bio can be merged with,
 * and moves them to the dispatch list when the driver wants more.
 */
#pragma once

#include "os/queue.h"
#include "os/slot.h"

/*
 * What an elevator keeps of a task on one queue, embedded first in its own
 * struct of context_size bytes, zeroed. Counted: it outlives its task while
 * requests of it are in use. task.io leads to the first of a task.
 */
struct elevator_context {
	struct queue *q;
	struct elevator_context *next; /* of the same task */
	struct list all;	       /* of the same queue */
	unsigned refs;
	bool exited; /* the task is gone */
};

/*
 * No hook sleeps or spends time. NULL hooks do nothing; find then finds
 * nothing, neighbour knows none, and must is false.
 */
struct elevator_ops {
	struct slot slot;    /* slot.size: of q->state, options included */
	size_t request_size; /* of its requests: 0, or one that embeds one */
	size_t context_size; /* 0: it does not tell tasks apart */

	void (*init)(struct queue *q);
	void (*finish)(struct queue *q);
	/* take a request; it may be dispatched and started before return */
	void (*add)(struct queue *q, struct request *rq);
	/* move one or more to the dispatch list; false: nothing to move now */
	bool (*dispatch)(struct queue *q);
	bool (*empty)(const struct queue *q);
	/* the driver hands it to the device */
	void (*started)(struct queue *q, struct request *rq);
	/* the device is done with it */
	void (*completed)(struct queue *q, struct request *rq);
	void (*task_exit)(struct queue *q, struct elevator_context *context);

	/* a request begins, and ends, to be of rq->context's task */
	void (*attach)(struct queue *q, struct request *rq);
	void (*detach)(struct queue *q, struct request *rq);
	/* may the current task have a request though the queue is full? */
	bool (*must)(struct queue *q, const struct bio *bio);

	/* merging: the request that bio would touch, back or front */
	struct request *(*find)(struct queue *q, const struct bio *bio);
	/* start or end of rq has moved */
	void (*grown)(struct queue *q, struct request *rq);
	/* gone, the one after rq, is part of rq now: forget it */
	void (*absorbed)(struct queue *q, struct request *rq,
			 struct request *gone);
	/* the one after or before rq, or NULL */
	struct request *(*neighbour)(struct queue *q, struct request *rq,
				     bool after);
};

/* All elevators, NULL-terminated; the first is the default. */
extern const struct elevator_ops *const elevator_list[];

/* By name, or NULL. */
const struct elevator_ops *elevator_find(const char *name);

/* Make bio a part of a request that is queued. False: none touches it. */
bool elevator_merge(struct queue *q, struct bio *bio);

/* Queue a request; it may be started, even completed, after the return. */
void elevator_insert(struct queue *q, struct request *rq);

/* What the driver is to do next, or NULL. Stays on the dispatch list. */
struct request *elevator_next(struct queue *q);

/* May rq and bio be merged, apart from their place and size? */
bool elevator_mergeable(const struct request *rq, const struct bio *bio);

/*
 * For elevators: put a request on the dispatch list, sorted from the sector
 * that the device was sent to last, wrapping once (elv_dispatch_sort).
 */
void elevator_dispatch(struct queue *q, struct request *rq);

/* The same, at its end whatever is there (elv_dispatch_add_tail). */
void elevator_dispatch_last(struct queue *q, struct request *rq);

/* How an elevator goes: upwards, with short ways back at a price. */
struct elevator_way {
	sector head;
	uint64_t back_max;     /* sectors; one further back is for later */
	uint64_t back_penalty; /* cost of a way back to that of one forward */
};

/*
 * Is a the better next place than b? If both lie far back, the one further
 * back is: one seek reaches both.
 */
bool elevator_nearer(const struct elevator_way *way, sector a, sector b);

/* The current task's context on q: NULL if there is none yet. */
struct elevator_context *elevator_context_find(const struct queue *q);

/* The same, made if there was none, with one reference for the caller. */
struct elevator_context *elevator_context_get(struct queue *q);
void elevator_context_put(struct elevator_context *context);

/* The queue goes away: drop all contexts. */
void elevator_contexts_free(struct queue *q);
