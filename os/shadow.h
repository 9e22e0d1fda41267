/*
 * A memory of what each page held when its owner last lost it: with --check
 * every page that is mapped again is compared. Finds lost, stale and mixed-up
 * data; the kernel under test never reads it.
 */
#pragma once

#include "os/mm.h"
#include "os/page.h"

struct shadow;

struct shadow *shadow_new(void);
void shadow_free(struct shadow *s);

/* The entry at va is about to lose the page to swap: remember its tag. */
void shadow_leave(struct kernel *k, const struct mm *mm, vaddr va,
		  const struct page *page);

/* The page is mapped at va again: compare, count, forget. */
void shadow_return(struct kernel *k, const struct mm *mm, vaddr va,
		   const struct page *page);

/* A fork copied a swap entry. */
void shadow_copy(struct kernel *k, const struct mm *to, const struct mm *from,
		 vaddr va);

/* A swap entry was dropped without being read. */
void shadow_forget(struct kernel *k, const struct mm *mm, vaddr va);

/* A page's content must have this tag now: count and compare. */
void shadow_expect(struct kernel *k, const struct page *page, uint64_t tag);
