/*
 * What the files of CFQ share: cfq.c serves, cfq_queue.c sorts and merges.
 */
#pragma once

#include "emu/event.h"
#include "os/elevator.h"

#define CFQ_PRIORITIES	 8 /* IOPRIO_BE_NR */
#define CFQ_HASH_BUCKETS 64

/*
 * Requests of one process, or all asynchronous ones. Owned by struct cfq;
 * counted by clients and requests. Times are in jiffies.
 */
struct cfq_queue {
	struct list link;	  /* on a round-robin list if on_rr */
	struct list sorted;	  /* cfq_request.sorted, by start */
	struct list fifo;	  /* request.link, oldest first */
	struct cfq_request *next; /* to serve, NULL if empty */
	struct cfq_queue *next_free;
	struct cfq_queue *next_all;
	unsigned refs;
	unsigned in_use;     /* requests allocated */
	unsigned queued;     /* of these, in sorted */
	unsigned dispatched; /* and on the dispatch list or at the device */
	bool sync;
	int priority; /* 0 highest .. 7 */

	int64_t slice_end;     /* 0: not set yet */
	int64_t service_last;  /* 0: never */
	bool on_rr;	       /* has requests */
	bool wait_request;     /* the disk idles for it */
	bool must_dispatch;    /* not to be expired just now */
	bool must_alloc_slice; /* has had its extra request */
	bool fifo_expired;     /* has had its look at the oldest */
	bool idle_window;      /* worth idling for */
};

/* A process (cfq_io_context). */
struct cfq_client {
	struct elevator_context context;
	bool known;		    /* the rest is set up */
	struct cfq_queue *queue[2]; /* [sync], each counted; or NULL */
	int64_t last_end_request;   /* jiffies, of a sync one */
	sector last_position;	    /* end of its last sync request */
	/* means decay by 1/8 per sample; samples approach 256 */
	uint64_t think_samples, think_total, think_mean; /* jiffies */
	uint64_t seek_samples, seek_total, seek_mean;	 /* sectors */
};

struct cfq_request {
	struct request rq;
	struct cfq_queue *queue;
	struct list sorted;
	sector key; /* rq.disk.start when it was sorted in */
	struct cfq_request *hash_next;
	sector hash_key; /* request_end when it was hashed */
	bool hashed;
};

struct cfq {
	/* options, as in /sys/block/X/queue/iosched */
	int64_t quantum;
	int64_t back_seek_max; /* bytes */
	int64_t back_seek_penalty;
	int64_t slice_async_rq;
	simtime fifo_expire_async, fifo_expire_sync;
	simtime slice_async, slice_sync;
	simtime slice_idle;

	/* the same in jiffies, [sync] */
	int64_t fifo_expire[2], slice[2], idle;

	struct queue *q;
	struct list rr[CFQ_PRIORITIES]; /* waiting for their turn */
	struct list current;		/* this round */
	struct list busy;		/* with requests at the device */
	unsigned busy_queues;		/* queues with requests */
	int level, end_level;		/* find_level */
	struct cfq_queue *active;
	struct cfq_client *active_client; /* counted */
	struct cfq_queue *async;	  /* NULL if nobody has one */
	unsigned slice_dispatched; /* requests dispatched in this slice */
	sector position;	   /* end of the last on the dispatch list */
	struct event idle_timer;
	bool tagged; /* the device takes more than four at once */
	struct cfq_request *hash[CFQ_HASH_BUCKETS]; /* by end */
	struct cfq_queue *free;
	struct cfq_queue *all; /* made so far, through next_all */
};

static inline struct cfq_request *cfq_request_of(struct request *rq)
{
	return container_of(rq, struct cfq_request, rq);
}

static inline struct cfq_client *cfq_client_of(struct request *rq)
{
	return container_of(rq->context, struct cfq_client, context);
}

static inline bool cfq_queue_has(const struct cfq_queue *cq)
{
	return !list_empty(&cq->sorted);
}

/* A bio or request that its process waits for. */
static inline bool cfq_is_sync(const struct bio *bio)
{
	return !bio->write || bio->sync;
}

/* Does the device queue commands itself? */
bool cfq_tagged(struct cfq *cfq);

/* End a queue's turn; it need not be the active one. */
void cfq_expire(struct cfq *cfq, struct cfq_queue *cq);

/* os/elevator/cfq_queue.c */
struct cfq_queue *cfq_queue_get(struct cfq *cfq, bool sync);
void cfq_queue_put(struct cfq *cfq, struct cfq_queue *cq);

/* The queue that a bio of the current task would go to, or NULL. */
struct cfq_queue *cfq_queue_find(struct cfq *cfq, const struct bio *bio);

/* Put a queue with requests where it will be found in its turn. */
void cfq_resort(struct cfq *cfq, struct cfq_queue *cq);
void cfq_request_add(struct cfq *cfq, struct cfq_request *r);
void cfq_request_remove(struct cfq *cfq, struct cfq_request *r);
void cfq_dispatch_one(struct cfq *cfq, struct cfq_request *r);

/* merge hooks */
struct request *cfq_find(struct queue *q, const struct bio *bio);
void cfq_grown(struct queue *q, struct request *rq);
void cfq_absorbed(struct queue *q, struct request *rq, struct request *gone);
struct request *cfq_neighbour(struct queue *q, struct request *rq, bool after);

/* os/elevator/cfq_client.c: a sync request of its client was queued */
void cfq_client_queued(struct cfq *cfq, struct cfq_request *r);
void cfq_client_init(struct cfq_client *c, int64_t now);

/* Requests so far apart that idling for the next is hardly worth it. */
bool cfq_client_seeky(const struct cfq_client *c);

/* Enough samples to rely on. */
static inline bool cfq_valid(uint64_t samples)
{
	return samples > 80;
}
