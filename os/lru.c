/*
 * The two LRU lists of each zone and the page vectors in front of them.
 *
 * Models      mm/swap.c and include/linux/mm_inline.h of Linux 2.6.18.
 * Leaves out  the LRU lock: one CPU, and list moves are never interrupted.
 *
 * List heads are two extra page structs per zone behind the last frame, so a
 * link is a frame number whether it leads to a page or to the head.
 */
#include "os/lru.h"

#include "os/kernel.h"

static uint32_t head_of(const struct kernel *k, unsigned zone,
			enum lru_list list)
{
	return k->ram->frames + 2 * zone + list;
}

static uint32_t *length_of(struct zone *z, bool active)
{
	return active ? &z->nr_active : &z->nr_inactive;
}

void lru_init(struct kernel *k)
{
	for (int i = 0; i < NR_ZONES; i++) {
		for (int list = LRU_INACTIVE; list <= LRU_ACTIVE; list++) {
			uint32_t head =
				head_of(k, (unsigned)i, (enum lru_list)list);

			k->pages[head].next = head;
			k->pages[head].prev = head;
		}
	}
}

static void insert_between(struct kernel *k, uint32_t at, uint32_t prev,
			   uint32_t next)
{
	k->pages[at].prev = prev;
	k->pages[at].next = next;
	k->pages[prev].next = at;
	k->pages[next].prev = at;
}

void lru_add(struct kernel *k, struct page *page)
{
	struct zone *z = page_zone(k, page);
	bool active = page_test(page, PG_ACTIVE);
	uint32_t head = head_of(k, page_zone_index(page),
				active ? LRU_ACTIVE : LRU_INACTIVE);

	BUG_ON(page_test(page, PG_LRU));
	page->flags |= PG_LRU;
	insert_between(k, page_number(k, page), head, k->pages[head].next);
	(*length_of(z, active))++;
}

void lru_del(struct kernel *k, struct page *page)
{
	struct zone *z = page_zone(k, page);

	BUG_ON(!page_test(page, PG_LRU));
	page->flags &= ~PG_LRU;
	k->pages[page->prev].next = page->next;
	k->pages[page->next].prev = page->prev;
	(*length_of(z, page_test(page, PG_ACTIVE)))--;
}

static struct page *page_or_head(struct kernel *k, uint32_t at)
{
	return at < k->ram->frames ? &k->pages[at] : NULL;
}

struct page *lru_tail(struct kernel *k, const struct zone *z,
		      enum lru_list list)
{
	unsigned zone = (unsigned)(z - k->zones.zone);

	return page_or_head(k, k->pages[head_of(k, zone, list)].prev);
}

struct page *lru_towards_head(struct kernel *k, const struct page *page)
{
	return page_or_head(k, page->prev);
}

void lru_flush(struct kernel *k, struct pagevec *vec)
{
	for (unsigned i = 0; i < vec->count; i++) {
		struct page *page = &k->pages[vec->page[i]];

		lru_add(k, page);
		cpu_charge(k->cpu, (uint64_t)k->cost.lru_move);
		page_put(k, page);
	}
	vec->count = 0;
}

void lru_add_later(struct kernel *k, struct page *page, enum lru_list list)
{
	struct pagevec *vec =
		list == LRU_ACTIVE ? &k->lru.add_active : &k->lru.add;

	if (list == LRU_ACTIVE)
		page->flags |= PG_ACTIVE;
	page->count++;
	vec->page[vec->count++] = page_number(k, page);
	trace_emit(k->trace, TR_LRU_MOVE, page_number(k, page), 2, list,
		   LRU_NEW);
	if (vec->count == PAGEVEC_SIZE)
		lru_flush(k, vec);
}

void lru_drain(struct kernel *k)
{
	lru_flush(k, &k->lru.add);
	lru_flush(k, &k->lru.add_active);
}

static void activate(struct kernel *k, struct page *page)
{
	lru_del(k, page);
	page->flags |= PG_ACTIVE;
	lru_add(k, page);
	k->vmstat.pgactivate++;
	k->vmstat.pgactivate_true++;
	cpu_charge(k->cpu, (uint64_t)k->cost.lru_move);
	trace_emit(k->trace, TR_LRU_MOVE, page_number(k, page), LRU_INACTIVE,
		   LRU_ACTIVE, LRU_REFERENCED);
}

void lru_mark_accessed(struct kernel *k, struct page *page)
{
	bool second = page_test(page, PG_REFERENCED);

	if (!page_test(page, PG_ACTIVE) && second && page_test(page, PG_LRU)) {
		activate(k, page);
		page->flags &= ~PG_REFERENCED;
	} else if (!second) {
		page->flags |= PG_REFERENCED;
	}
}

void lru_rotate(struct kernel *k, struct page *page)
{
	struct zone *z = page_zone(k, page);
	uint32_t head = head_of(k, page_zone_index(page), LRU_INACTIVE);

	if (page->flags & (PG_LOCKED | PG_DIRTY | PG_ACTIVE) ||
	    !page_test(page, PG_LRU))
		return;
	lru_del(k, page);
	page->flags |= PG_LRU;
	insert_between(k, page_number(k, page), k->pages[head].prev, head);
	z->nr_inactive++;
	k->vmstat.pgrotated++;
	trace_emit(k->trace, TR_LRU_MOVE, page_number(k, page), LRU_INACTIVE,
		   LRU_INACTIVE, LRU_ROTATED);
}
