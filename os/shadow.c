/*
 * The shadow: (address space, page) to tag, in an open hash.
 *
 * Models      nothing: it is the emulator's own check of the kernel.
 */
#include "os/shadow.h"

#include "os/kernel.h"

#include <stdlib.h>

struct entry {
	uint64_t key; /* mm id << 20 | vpn; 0: empty, 1: deleted */
	uint64_t tag;
};

struct shadow {
	struct entry *entry;
	uint64_t mask;
	uint64_t used; /* deleted ones included */
};

#define EMPTY	0
#define DELETED 1

static uint64_t key_of(const struct mm *mm, vaddr va)
{
	return ((uint64_t)mm->id + 1) << 20 | va >> PAGE_SHIFT;
}

struct shadow *shadow_new(void)
{
	struct shadow *s = xcalloc(1, sizeof(*s));

	s->mask = 4095;
	s->entry = xcalloc(s->mask + 1, sizeof(*s->entry));
	return s;
}

void shadow_free(struct shadow *s)
{
	if (!s)
		return;
	free(s->entry);
	free(s);
}

static struct entry *find(const struct shadow *s, uint64_t key)
{
	uint64_t at = (key * 0x9E3779B97F4A7C15ULL) >> 20;

	for (;; at++) {
		struct entry *e = &s->entry[at & s->mask];

		if (e->key == key || e->key == EMPTY)
			return e;
	}
}

static void put(struct shadow *s, uint64_t key, uint64_t tag);

/* Twice the room, or the same without the deleted ones. */
static void rebuild(struct shadow *s)
{
	struct entry *old = s->entry;
	uint64_t room = s->mask + 1;
	uint64_t live = 0;

	for (uint64_t i = 0; i < room; i++)
		live += old[i].key > DELETED;
	if (live * 4 > room)
		s->mask = 2 * room - 1;
	s->entry = xcalloc(s->mask + 1, sizeof(*s->entry));
	s->used = 0;
	for (uint64_t i = 0; i < room; i++)
		if (old[i].key > DELETED)
			put(s, old[i].key, old[i].tag);
	free(old);
}

static void put(struct shadow *s, uint64_t key, uint64_t tag)
{
	struct entry *e = find(s, key);

	if (e->key == EMPTY) {
		e->key = key;
		s->used++;
	}
	e->tag = tag;
	if (s->used * 2 > s->mask)
		rebuild(s);
}

void shadow_leave(struct kernel *k, const struct mm *mm, vaddr va,
		  const struct page *page)
{
	if (k->shadow)
		put(k->shadow, key_of(mm, va),
		    k->ram->tag[page_number(k, page)]);
}

void shadow_expect(struct kernel *k, const struct page *page, uint64_t tag)
{
	if (!k->shadow)
		return;
	k->integrity.checked++;
	if (k->ram->tag[page_number(k, page)] != tag)
		k->integrity.mismatches++;
}

void shadow_return(struct kernel *k, const struct mm *mm, vaddr va,
		   const struct page *page)
{
	struct entry *e;

	if (!k->shadow)
		return;
	e = find(k->shadow, key_of(mm, va));
	if (e->key == EMPTY)
		return;
	shadow_expect(k, page, e->tag);
	e->key = DELETED;
}

void shadow_copy(struct kernel *k, const struct mm *to, const struct mm *from,
		 vaddr va)
{
	struct entry *e;

	if (!k->shadow)
		return;
	e = find(k->shadow, key_of(from, va));
	if (e->key != EMPTY)
		put(k->shadow, key_of(to, va), e->tag);
}

void shadow_forget(struct kernel *k, const struct mm *mm, vaddr va)
{
	struct entry *e;

	if (!k->shadow)
		return;
	e = find(k->shadow, key_of(mm, va));
	if (e->key != EMPTY)
		e->key = DELETED;
}
