/*
 * The slot map.
 *
 * Models      mm/swapfile.c of Linux 2.6.18.
 * Leaves out  several areas and priorities; bad slots; discarding.
 *
 * Slots are handed out in runs: a run of 256 free slots is looked for, and
 * then filled in order, so that pages evicted together lie together.
 */
#include "os/swap.h"

#include "os/kernel.h"

struct swap *swap_new(struct kernel *k, struct queue *queue, uint64_t first,
		      uint64_t slots)
{
	struct swap *s = xcalloc(1, sizeof(*s));

	BUG_ON(slots < 2 || slots > 1u << 24);
	s->k = k;
	s->queue = queue;
	s->first = first;
	s->slots = (uint32_t)slots;
	s->map = xcalloc(slots, sizeof(*s->map));
	s->cache = xcalloc(slots, sizeof(*s->cache));
	for (uint64_t i = 0; i < slots; i++)
		s->cache[i] = PFN_NONE;
	s->map[0] = UINT16_MAX;
	s->lowest = 1;
	s->highest = s->slots - 1;
	s->total = s->free = s->slots - 1;
	return s;
}

void swap_free_area(struct swap *s)
{
	if (!s)
		return;
	free(s->map);
	free(s->cache);
	free(s);
}

/* Start of the first run of free slots from the lowest on; 0 if none. */
static uint32_t find_run(const struct swap *s)
{
	uint32_t start = s->lowest;

	if (s->free < SWAP_CLUSTER)
		return 0;
	for (uint32_t at = start; at <= s->highest; at++) {
		if (s->map[at])
			start = at + 1;
		else if (at - start + 1 == SWAP_CLUSTER)
			return start;
	}
	return 0;
}

/* The first free slot from start on, wrapping to the lowest; 0 if none. */
static uint32_t find_slot(const struct swap *s, uint32_t start)
{
	if (start > s->highest)
		start = s->lowest;
	for (uint32_t at = start; at <= s->highest; at++)
		if (!s->map[at])
			return at;
	for (uint32_t at = s->lowest; at < start; at++)
		if (!s->map[at])
			return at;
	return 0;
}

static void occupy(struct swap *s, uint32_t slot)
{
	if (slot == s->lowest)
		s->lowest++;
	if (slot == s->highest)
		s->highest--;
	s->free--;
	if (!s->free) {
		s->lowest = s->slots;
		s->highest = 0;
	}
	if (s->total - s->free > s->used_most)
		s->used_most = s->total - s->free;
	s->map[slot] = 1;
	s->next = slot + 1;
}

uint32_t swap_get(struct kernel *k)
{
	struct swap *s = k->swap;
	uint32_t start;
	uint32_t slot;

	if (!s || !s->free)
		return 0;
	cpu_charge(k->cpu, (uint64_t)k->cost.swap_slot);
	if (s->left) {
		s->left--;
		start = s->next;
	} else {
		s->left = SWAP_CLUSTER - 1;
		start = find_run(s);
		start = start ? start : s->lowest;
	}
	slot = find_slot(s, start);
	BUG_ON(!slot);
	occupy(s, slot);
	return slot;
}

void swap_duplicate(struct kernel *k, uint32_t slot)
{
	struct swap *s = k->swap;

	BUG_ON(!slot || slot >= s->slots || !s->map[slot]);
	BUG_ON(s->map[slot] == UINT16_MAX - 1);
	s->map[slot]++;
}

void swap_release(struct kernel *k, uint32_t slot)
{
	struct swap *s = k->swap;

	BUG_ON(!slot || slot >= s->slots || !s->map[slot]);
	if (--s->map[slot])
		return;
	BUG_ON(s->cache[slot] != PFN_NONE);
	if (slot < s->lowest)
		s->lowest = slot;
	if (slot > s->highest)
		s->highest = slot;
	s->free++;
}

bool swap_full(const struct kernel *k)
{
	return k->swap && k->swap->free * 2 < k->swap->total;
}
