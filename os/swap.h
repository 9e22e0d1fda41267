/*
 * Swap: slots on the swap device, and the cache of pages that have one;
 * models mm/swapfile.c, mm/swap_state.c and mm/page_io.c of 2.6.18.
 */
#pragma once

#include "os/mm.h"
#include "os/page.h"

#define SWAP_CLUSTER 256 /* slots of a run that is looked for at once */

/* One swap area. Slot 0 is its header and never used. */
struct swap {
	struct kernel *k;
	struct queue *queue;
	uint64_t first; /* block of slot 0 on the device */
	uint32_t slots; /* slot 0 included */
	uint16_t *map;	/* references per slot: entries, +1 for the cache */
	pfn *cache;	/* frame of a slot, PFN_NONE if not cached */
	uint32_t lowest, highest; /* no free slot outside; highest 0: none */
	uint32_t next;		  /* where the present run goes on */
	uint32_t left;		  /* of the run */
	uint32_t free;		  /* slots */
	uint32_t total;		  /* slots - 1 */
	uint32_t cached;	  /* pages in the cache */
	uint32_t used_most;	  /* most slots ever in use */
};

struct swap *swap_new(struct kernel *k, struct queue *queue, uint64_t first,
		      uint64_t slots);
void swap_free_area(struct swap *s);

/* Hand out a slot with one reference; 0: none free (get_swap_page). */
uint32_t swap_get(struct kernel *k);

/* One reference more, or less; the last one frees the slot. */
void swap_duplicate(struct kernel *k, uint32_t slot);
void swap_release(struct kernel *k, uint32_t slot);

/* More than half of the slots in use: reading back gives slots up. */
bool swap_full(const struct kernel *k);

/* --- the swap cache --- */

/* Give an anonymous page a slot and put it in the cache, dirty. */
bool swap_cache_add(struct kernel *k, struct page *page);

/* The cached page of a slot, with a reference of the caller's; or NULL. */
struct page *swap_cache_find(struct kernel *k, uint32_t slot);

/* Out of the cache; drops the cache's references. Locked page. */
void swap_cache_remove(struct kernel *k, struct page *page);

/*
 * Locked page, one reference of the caller's besides the cache's: if no
 * entry refers to the slot, leave the cache and be dirty. True if so.
 */
bool swap_cache_remove_exclusive(struct kernel *k, struct page *page);

/* Would a write find the page its sole user's (can_share_swap_page)? */
bool swap_sole_user(const struct kernel *k, const struct page *page);

/*
 * An entry that named the slot is gone: drop its reference, and free the
 * cached page if nobody needs it (free_swap_and_cache).
 */
void swap_entry_gone(struct kernel *k, uint32_t slot);

/* --- input and output --- */

/*
 * Write a dirty locked page to its slot; unlocks it. A page that no entry
 * refers to any more leaves the cache instead (swap_writepage).
 */
SLEEPS void swap_write(struct kernel *k, struct page *page);

/*
 * The page of a slot, read from the device unless cached: locked until the
 * read ends. A reference for the caller. NULL: no memory.
 */
SLEEPS struct page *swap_read(struct kernel *k, uint32_t slot);

/* Read the aligned block of slots around this one (swapin_readahead). */
SLEEPS void swap_readahead(struct kernel *k, uint32_t slot);
