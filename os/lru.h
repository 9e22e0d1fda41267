/*
 * The two lists that reclaim works on, per zone, and the vectors in which
 * pages wait for them; models mm/swap.c of 2.6.18.
 */
#pragma once

#include "mmu/ram.h"
#include "os/page.h"

struct kernel;
struct zone;

#define PAGEVEC_SIZE 14

/* Pages on their way to a list. Each holds a reference; none has PG_LRU. */
struct pagevec {
	unsigned count;
	pfn page[PAGEVEC_SIZE];
};

struct lru {
	struct pagevec add; /* bound for the inactive list */
	struct pagevec add_active;
};

enum lru_list { LRU_INACTIVE, LRU_ACTIVE };

/* Why a page moved, for the record. */
enum lru_reason {
	LRU_NEW,
	LRU_REFERENCED,
	LRU_AGED,
	LRU_ROTATED,
	LRU_PUT_BACK,
	LRU_GONE,
};

void lru_init(struct kernel *k);

/* Add at the head of its zone's list, by its PG_ACTIVE flag; sets PG_LRU. */
void lru_add(struct kernel *k, struct page *page);

/* Take off its list; clears PG_LRU, keeps PG_ACTIVE. */
void lru_del(struct kernel *k, struct page *page);

/* The page at the tail of a list; NULL when it is empty. */
struct page *lru_tail(struct kernel *k, const struct zone *z,
		      enum lru_list list);

/* The page before this one, towards the head; NULL at the head. */
struct page *lru_towards_head(struct kernel *k, const struct page *page);

/* A new page joins a list later, through the CPU's vector. */
void lru_add_later(struct kernel *k, struct page *page, enum lru_list list);

/* Empty the CPU's vectors onto the lists (lru_add_drain). */
void lru_drain(struct kernel *k);

/* The same for a vector of the caller's own: all go to the inactive list. */
void lru_flush(struct kernel *k, struct pagevec *vec);

/*
 * The page was used: sets PG_REFERENCED, or moves a page that had it from
 * the inactive to the active list (mark_page_accessed).
 */
void lru_mark_accessed(struct kernel *k, struct page *page);

/*
 * A write of a page that reclaim wants has ended: move it to the inactive
 * tail, to be freed next (rotate_reclaimable_page). From callbacks.
 */
void lru_rotate(struct kernel *k, struct page *page);
