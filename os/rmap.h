/*
 * Reverse mapping: which page table entries map a page; models mm/rmap.c of
 * 2.6.18. Anonymous pages are found through their anon_vma, file pages
 * through the vmas of their file.
 */
#pragma once

#include "os/mm.h"
#include "os/page.h"

struct rmap {
	struct anon_vma **anon; /* by id; NULL where unused */
	uint32_t room;
	uint32_t unused; /* ids below this may be free */
};

void rmap_init(struct kernel *k);
void rmap_finish(struct kernel *k);

/* Give the vma an anon_vma before its first anonymous page. */
void rmap_prepare(struct vma *vma);

/* A vma of a forked child joins its parent's. */
void rmap_join(struct vma *child, const struct vma *parent);

/* The vma goes away; the anon_vma with its last one. */
void rmap_leave(struct vma *vma);

/* One more entry maps the page; anonymous pages get their owner here. */
void rmap_add_anon(struct kernel *k, struct page *page, struct vma *vma,
		   vaddr va);
void rmap_add_file(struct kernel *k, struct page *page);

/* The same for a copied entry of a fork. */
void rmap_dup(struct page *page);

/* One entry less. */
void rmap_remove(struct kernel *k, struct page *page);

/*
 * Was the page used? Counts, and clears, its PG_REFERENCED and the accessed
 * bits of all its mappings; adds one for each mapping that the swap token
 * protects (page_referenced). locked: the caller holds the page lock.
 */
unsigned rmap_referenced(struct kernel *k, struct page *page, bool locked);

enum unmap_result { UNMAP_DONE, UNMAP_IN_USE, UNMAP_AGAIN };

/*
 * Take the page out of all page tables: anonymous entries become swap
 * entries (the page must be in the swap cache), file entries zero; dirty
 * bits go to PG_DIRTY. IN_USE: an entry was young or locked (try_to_unmap).
 */
enum unmap_result rmap_unmap(struct kernel *k, struct page *page);

/* Call fn for every present entry that maps the page, until it says false. */
typedef bool (*rmap_fn)(struct vma *vma, vaddr va, struct pte *entry,
			void *arg);
void rmap_each(struct kernel *k, struct page *page, rmap_fn fn, void *arg);
