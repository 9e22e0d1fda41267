/*
 * Requests in the order in which they came.
 *
 * Models      block/noop-iosched.c of 2.6.18.
 * Leaves out  nothing.
 *
 * It can not look for a request to merge with: only the queue's hint serves,
 * and that sticks to one request until it is dispatched or full. So a writer
 * whose bios do not touch that one gets a request for each.
 */
#include "os/elevator/noop.h"

struct noop {
	struct list queue; /* request.link, oldest first */
};

static void noop_init(struct queue *q)
{
	struct noop *noop = q->state;

	list_init(&noop->queue);
}

static void noop_add(struct queue *q, struct request *rq)
{
	struct noop *noop = q->state;

	list_add_tail(&rq->link, &noop->queue);
}

static bool noop_dispatch(struct queue *q)
{
	struct noop *noop = q->state;
	struct request *rq;

	if (list_empty(&noop->queue))
		return false;
	rq = list_first(&noop->queue, struct request, link);
	list_del(&rq->link);
	elevator_dispatch(q, rq);
	return true;
}

static bool noop_empty(const struct queue *q)
{
	const struct noop *noop = q->state;

	return list_empty(&noop->queue);
}

static void noop_absorbed(struct queue *q, struct request *rq,
			  struct request *gone)
{
	(void)q;
	(void)rq;
	list_del(&gone->link);
}

static struct request *noop_neighbour(struct queue *q, struct request *rq,
				      bool after)
{
	const struct noop *noop = q->state;
	struct list *pos = after ? rq->link.next : rq->link.prev;

	if (pos == &noop->queue)
		return NULL;
	return container_of(pos, struct request, link);
}

const struct elevator_ops elevator_noop = {
	.slot = { .name = "noop",
		  .models = "Linux 2.6.18: first come first served, neighbours "
			    "merged",
		  .size = sizeof(struct noop) },
	.init = noop_init,
	.add = noop_add,
	.dispatch = noop_dispatch,
	.empty = noop_empty,
	.absorbed = noop_absorbed,
	.neighbour = noop_neighbour,
};
