/*
 * Inside the anticipatory elevator. Times are jiffies unless they say
 * otherwise; indices are [sync]: what is waited for, so reads, and writes
 * that were submitted as such.
 */
#pragma once

#include "os/elevator.h"
#include "os/places.h"

enum antic_status {
	ANTIC_OFF,	 /* nothing is awaited */
	ANTIC_WAIT_REQ,	 /* the client's read, until it is done */
	ANTIC_WAIT_NEXT, /* the client's next read, until the timer fires */
	ANTIC_FINISHED,	 /* over: the next dispatch must not wait */
};

/* A process (as_io_context). Probabilities and means decay by an eighth. */
struct as_client {
	struct elevator_context context;
	bool asked;		  /* has submitted a sync request */
	bool answered;		  /* and one has been completed */
	unsigned queued;	  /* requests that the elevator holds */
	unsigned dispatched;	  /* and on the dispatch list, not started */
	int64_t last_end_request; /* of a sync one */
	sector last_position;	  /* end of its last sync request */
	/* samples approach 256, that is one */
	uint64_t think_samples, think_total, think_mean;
	uint64_t seek_samples, seek_total, seek_mean; /* sectors */
};

struct as {
	struct places places; /* first; kinds are [sync] */

	/* options, as in /sys/block/X/queue/iosched */
	simtime read_expire, write_expire;
	simtime read_batch_expire, write_batch_expire;
	simtime antic_expire;

	/* the same in jiffies */
	int64_t fifo_expire[2], batch_expire[2], antic;

	struct queue *q;
	struct placed *next[2]; /* best to go on with */
	sector last_end[2];	/* of the last one dispatched */
	unsigned dispatched;	/* to the dispatch list, and not completed */
	int64_t last_check[2];	/* when the oldest one was looked at */

	/* batches */
	bool sync_batch;
	bool changed_batch; /* the one before has requests under way */
	bool new_batch;	    /* of reads, none of which is done */
	int64_t batch_end;
	int64_t write_batch; /* requests of a batch of writes */
	int64_t writes_left; /* of this one */
	bool write_idled;    /* this one can not be timed */

	/* anticipation */
	enum antic_status status;
	struct as_client *client; /* of the last read; counted. NULL: a write */
	bool client_finished;	  /* and that read is done */
	int64_t antic_start;	  /* since then */
	struct event timer;

	/* all processes: those with a first sample, those that left */
	uint64_t new_think_total, new_think_mean;
	uint64_t new_seek_total, new_seek_mean;
	uint64_t exit_prob;    /* of 256: no second read of a new one comes */
	uint64_t exit_no_coop; /* nor anybody's nearby, after it has exited */
};

static inline struct as_client *as_client_of(const struct request *rq)
{
	return container_of(rq->context, struct as_client, context);
}

static inline int64_t as_now(const struct as *as)
{
	return block_jiffies(as->q->k);
}

/* os/elevator/anticipatory_client.c */

/* A sum that decays by an eighth. */
static inline uint64_t as_decayed(uint64_t sum, uint64_t sample)
{
	return (7 * sum + sample) / 8;
}

/* c has submitted r, or somebody has in its stead. */
void as_client_history(struct as *as, struct as_client *c,
		       const struct placed *r);

/* A request of c is done, or has become part of another's. */
void as_client_answered(const struct as *as, struct as_client *c, bool sync);

/* Is r so near, or has it been awaited so long, that it will do? */
bool as_near(const struct as *as, const struct as_client *c,
	     const struct placed *r);

/* os/elevator/anticipatory_wait.c */

static inline bool as_waiting(const struct as *as)
{
	return as->status == ANTIC_WAIT_REQ || as->status == ANTIC_WAIT_NEXT;
}

/* Instead of serving r, the next read (or NULL), better wait? */
bool as_can_anticipate(struct as *as, const struct placed *r);

/* r has been queued: if it was worth waiting for, stop. */
void as_consider(struct as *as, const struct placed *r);
void as_wait(struct as *as);
void as_stop(struct as *as);

/* The client's read is done. */
void as_client_done(struct as *as);
void as_timeout(void *arg);
