/*
 * Requests by place and by age.
 *
 * Models      what block/deadline-iosched.c and block/as-iosched.c of 2.6.18
 *             have in common: sort_list, fifo_list and hash.
 * Leaves out  the red-black tree: a sorted list of at most 192 requests,
 *             searched from its end, where writers add.
 */
#include "os/places.h"

#include "os/elevator.h"

void places_init(struct places *p)
{
	for (int kind = 0; kind < 2; kind++) {
		list_init(&p->sorted[kind]);
		list_init(&p->fifo[kind]);
	}
}

static struct placed *sorted_entry(const struct list *sorted, struct list *pos)
{
	return pos == sorted ? NULL : container_of(pos, struct placed, sorted);
}

/* The last of a kind that starts no later than at; NULL: none does. */
static struct placed *last_until(const struct places *p, bool kind, sector at)
{
	const struct list *sorted = &p->sorted[kind];
	struct list *pos = sorted->prev;

	while (pos != sorted && sorted_entry(sorted, pos)->key > at)
		pos = pos->prev;
	return sorted_entry(sorted, pos);
}

struct placed *places_sort_in(struct places *p, struct placed *r)
{
	struct placed *before;

	list_del(&r->sorted);
	r->key = r->rq.disk.start;
	before = last_until(p, r->kind, r->key);
	if (before && before->key == r->key)
		return before;
	list_add(&r->sorted, before ? &before->sorted : &p->sorted[r->kind]);
	return NULL;
}

static struct placed **bucket_of(struct places *p, sector end)
{
	return &p->hash[end / SECTORS_PER_PAGE % PLACES_BUCKETS];
}

static void hash_del(struct places *p, struct placed *r)
{
	struct placed **at = bucket_of(p, r->hash_key);

	BUG_ON(!r->hashed);
	while (*at != r)
		at = &(*at)->hash_next;
	*at = r->hash_next;
	r->hash_next = NULL;
	r->hashed = false;
}

static void hash_add(struct places *p, struct placed *r)
{
	struct placed **bucket = bucket_of(p, request_end(&r->rq));

	BUG_ON(r->hashed);
	r->hash_key = request_end(&r->rq);
	r->hash_next = *bucket;
	*bucket = r;
	r->hashed = true;
}

void places_rehash(struct places *p, struct placed *r)
{
	hash_del(p, r);
	hash_add(p, r);
}

void places_enter(struct places *p, struct placed *r, int64_t expires)
{
	BUG_ON(list_empty(&r->sorted));
	r->expires = expires;
	list_add_tail(&r->rq.link, &p->fifo[r->kind]);
	hash_add(p, r);
}

void places_remove(struct places *p, struct placed *r)
{
	BUG_ON(list_empty(&r->rq.link) || list_empty(&r->sorted));
	list_del(&r->rq.link);
	list_del(&r->sorted);
	hash_del(p, r);
}

struct placed *places_after(const struct places *p, const struct placed *r)
{
	return sorted_entry(&p->sorted[r->kind], r->sorted.next);
}

struct placed *places_before(const struct places *p, const struct placed *r)
{
	return sorted_entry(&p->sorted[r->kind], r->sorted.prev);
}

struct placed *places_first(const struct places *p, bool kind)
{
	return sorted_entry(&p->sorted[kind], p->sorted[kind].next);
}

struct placed *places_oldest(const struct places *p, bool kind)
{
	const struct list *fifo = &p->fifo[kind];

	return list_empty(fifo)
		       ? NULL
		       : placed_of(list_first(fifo, struct request, link));
}

bool places_inherit(struct placed *r, struct placed *gone)
{
	if (gone->expires >= r->expires)
		return false;
	list_del(&r->rq.link);
	list_add(&r->rq.link, &gone->rq.link);
	r->expires = gone->expires;
	return true;
}

/* Of those that end where bio begins, the one hashed last. */
struct request *places_find_back(struct places *p, const struct bio *bio)
{
	struct placed *r = *bucket_of(p, bio->start);

	while (r && (r->rq.no_merge || r->hash_key != bio->start))
		r = r->hash_next;
	return r && elevator_mergeable(&r->rq, bio) ? &r->rq : NULL;
}

struct request *places_find_front(struct places *p, const struct bio *bio,
				  bool kind)
{
	struct placed *r = last_until(p, kind, bio_end(bio));

	if (!r || r->key != bio_end(bio) || !elevator_mergeable(&r->rq, bio))
		return NULL;
	return &r->rq;
}

bool places_empty(const struct queue *q)
{
	const struct places *p = q->state;

	return !places_has(p, false) && !places_has(p, true);
}

struct request *places_neighbour(struct queue *q, struct request *rq,
				 bool after)
{
	const struct places *p = q->state;
	struct placed *r = placed_of(rq);
	struct placed *other = after ? places_after(p, r) : places_before(p, r);

	return other ? &other->rq : NULL;
}
