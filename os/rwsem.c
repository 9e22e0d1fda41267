/*
 * A sleeping lock for many readers or one writer.
 *
 * Models      lib/rwsem.c of 2.6.18: first come, first served, so a waiting
 *             writer holds back readers that come after it.
 * Leaves out  the fast path's counter tricks: one thread of the host gets here.
 *
 * Waiters of both kinds queue in order of arrival. A release wakes the front
 * of the queue: a writer alone, or all readers before the next writer. The
 * lock is handed over by the releaser (readers, writer are set there), so
 * nobody who comes between the release and the waiter's next step can steal
 * it.
 */
#include "os/kernel.h"

/* A reader or writer in the queue; on its sleeper's stack. */
struct rwsem_waiter {
	struct list link;
	struct wait_queue done;
	bool write;
	bool granted;
};

static void rwsem_wait(struct kernel *k, struct rwsem *s, bool write)
{
	struct rwsem_waiter w = { .write = write };

	list_init(&w.link);
	wait_queue_init(&w.done);
	list_add_tail(&w.link, &s->queue.waiters);
	while (!w.granted)
		wait_on(k, &w.done, 0, WAIT_PLAIN, "mmap_sem");
	BUG_ON(w.link.next != &w.link);
}

static void rwsem_grant(struct kernel *k, struct rwsem *s,
			struct rwsem_waiter *w)
{
	if (w->write)
		s->writer = true;
	else
		s->readers++;
	w->granted = true;
	list_del(&w->link);
	wake_up(k, &w->done, 0, WAKE_ALL);
}

/* The lock changed: let in whoever is at the front. */
static void rwsem_wake(struct kernel *k, struct rwsem *s)
{
	while (!list_empty(&s->queue.waiters) && !s->writer) {
		struct rwsem_waiter *w = list_first(&s->queue.waiters,
						    struct rwsem_waiter, link);

		if (w->write && s->readers)
			break;
		rwsem_grant(k, s, w);
	}
}

void rwsem_read(struct kernel *k, struct rwsem *s)
{
	might_sleep(k);
	if (!s->writer && list_empty(&s->queue.waiters))
		s->readers++;
	else
		rwsem_wait(k, s, false);
}

void rwsem_write(struct kernel *k, struct rwsem *s)
{
	might_sleep(k);
	if (!rwsem_held(s) && list_empty(&s->queue.waiters))
		s->writer = true;
	else
		rwsem_wait(k, s, true);
}

void rwsem_read_done(struct kernel *k, struct rwsem *s)
{
	BUG_ON(!s->readers || s->writer);
	s->readers--;
	rwsem_wake(k, s);
}

void rwsem_write_done(struct kernel *k, struct rwsem *s)
{
	BUG_ON(!s->writer || s->readers);
	s->writer = false;
	rwsem_wake(k, s);
}
