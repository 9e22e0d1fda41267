/*
 * A device of fixed rates: one token bucket for requests, one for bytes.
 *
 * A request takes one token and as many byte tokens as it moves. It starts
 * when both buckets have what it needs (a bucket that is smaller than the
 * request must be full, and is then overdrawn), and is done SERVICE later.
 * Both buckets are full at power-on and hold what flows in during a burst.
 *
 * Levels are kept in tokens times nanoseconds, so that a nanosecond adds
 * exactly the rate: nothing is ever rounded and nothing drifts.
 *
 * Leaves out: place, direction, caches. The scenarios that compare with
 * kernels run on a throttled virtual disk use it.
 */
#include "disk/fixed.h"

#include "emu/bug.h"
#include "emu/rng.h"

#include <stdio.h>

/*
 * From having the tokens to completion, besides the jitter. A choice, small
 * against any rate in use: so that a completion is never the same instant as
 * its submission.
 */
#define SERVICE (50 * NSEC_PER_USEC)

/* Products of a rate and a long idle time do not fit 64 bits. */
__extension__ typedef __int128 wide;

struct bucket {
	int64_t rate;  /* tokens a second */
	int64_t room;  /* level when full, tokens x ns */
	int64_t level; /* below 0: overdrawn */
	simtime at;    /* time of level */
};

struct fixed {
	struct disk disk;
	struct bucket requests;
	struct bucket bytes;
	simtime jitter;
	struct rng rng;
	struct disk_request *active;
	struct event done;
};

static int64_t bucket_scale(int64_t tokens, int64_t by)
{
	wide product = (wide)tokens * by;

	return product > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)product;
}

static void bucket_init(struct bucket *b, int64_t rate, simtime burst)
{
	BUG_ON(rate <= 0 || burst < 0);
	b->rate = rate;
	b->room = bucket_scale(rate, burst);
	b->level = b->room;
	b->at = 0;
}

static void bucket_refill(struct bucket *b, simtime now)
{
	wide level = b->level + (wide)b->rate * (now - b->at);

	b->level = level > b->room ? b->room : (int64_t)level;
	b->at = now;
}

/* How long from its own time until it can give this many tokens? */
static simtime bucket_wait(const struct bucket *b, int64_t tokens)
{
	int64_t need = bucket_scale(tokens, NSEC_PER_SEC);

	if (need > b->room)
		need = b->room;
	if (b->level >= need)
		return 0;
	return (need - b->level + b->rate - 1) / b->rate;
}

static void bucket_take(struct bucket *b, int64_t tokens, simtime at)
{
	bucket_refill(b, at);
	b->level -= bucket_scale(tokens, NSEC_PER_SEC);
}

/* How late this completion is: what a host does to an emulated device. */
static simtime lateness(struct fixed *f)
{
	return f->jitter ? (simtime)rng_below(&f->rng, (uint64_t)f->jitter) : 0;
}

static void fixed_submit(struct disk *disk, struct disk_request *rq, simtime at)
{
	struct fixed *f = container_of(disk, struct fixed, disk);
	int64_t bytes = (int64_t)rq->sectors * SECTOR_SIZE;
	simtime wait, bytes_wait, late;

	BUG_ON(f->active);
	bucket_refill(&f->requests, at);
	bucket_refill(&f->bytes, at);
	wait = bucket_wait(&f->requests, 1);
	bytes_wait = bucket_wait(&f->bytes, bytes);
	if (bytes_wait > wait)
		wait = bytes_wait;

	bucket_take(&f->requests, 1, at + wait);
	bucket_take(&f->bytes, bytes, at + wait);
	late = lateness(f);
	disk->stats.rate_wait += wait;
	disk->stats.transfer += SERVICE;
	disk->stats.overhead += late;
	f->active = rq;
	event_post(disk->events, &f->done, at + wait + SERVICE + late);
}

static void fixed_done(void *arg)
{
	struct fixed *f = arg;
	struct disk_request *rq = f->active;

	f->active = NULL;
	disk_complete(&f->disk, rq, DISK_OK);
}

static void fixed_finish(struct disk *disk)
{
	struct fixed *f = container_of(disk, struct fixed, disk);

	event_cancel(disk->events, &f->done);
}

static const struct disk_ops fixed_ops = {
	.name = "fixed",
	.submit = fixed_submit,
	.finish = fixed_finish,
};

struct disk *fixed_new(const struct fixed_spec *spec, unsigned id,
		       uint64_t seed, struct events *events,
		       struct trace *trace)
{
	struct fixed *f = xcalloc(1, sizeof(*f));
	char name[32];

	disk_init(&f->disk, &fixed_ops, id, (uint64_t)spec->size / SECTOR_SIZE,
		  1, events);
	f->disk.trace = trace;
	f->jitter = spec->jitter;
	snprintf(name, sizeof(name), "fixed device %u", id);
	rng_init(&f->rng, seed, name);
	bucket_init(&f->requests, spec->requests_per_second, spec->burst);
	bucket_init(&f->bytes, spec->bytes_per_second, spec->burst);
	event_init(&f->done, fixed_done, f);
	return &f->disk;
}
