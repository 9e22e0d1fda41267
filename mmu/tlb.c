/*
 * Translation look-aside buffers.
 *
 * Models      a set-associative buffer with round-robin replacement. 4 MiB
 *             pages are kept as 4 KiB pieces, which the SDM permits (vol. 3A,
 *             "Details of TLB Use"); INVLPG drops all pieces, as it demands.
 * Leaves out  separate buffers for large pages, caches of upper entries
 *             (every miss walks from the top), process-context identifiers.
 * Seen in     tests/2xx, which compare it with two other emulators.
 */
#include "mmu/tlb.h"

#include "emu/bug.h"

#include <stdlib.h>
#include <string.h>

/* 4 KiB pieces of a 4 MiB page: their page numbers differ in these bits. */
#define LARGE_PIECES 0x3ffu

void tlb_init(struct tlb *t, struct tlb_geometry g)
{
	uint32_t sets;
	size_t size;

	BUG_ON(g.ways != 1 && g.ways != 2 && g.ways != 4);
	sets = g.entries / g.ways;
	BUG_ON(sets == 0 || (sets & (sets - 1)) || sets * g.ways != g.entries);
	size = sets * sizeof(*t->set);
	*t = (struct tlb){
		.set = aligned_alloc(_Alignof(struct tlb_set), size),
		.set_mask = sets - 1,
		.ways = g.ways,
	};
	BUG_ON(!t->set);
	memset(t->set, 0, size);
}

void tlb_finish(struct tlb *t)
{
	free(t->set);
	*t = (struct tlb){ 0 };
}

static void flush_set(struct tlb_set *s, bool globals_too)
{
	for (unsigned way = 0; way < TLB_WAYS; way++)
		if (globals_too || !(s->flags[way] & TLB_GLOBAL))
			s->tag[way] = 0;
}

void tlb_flush(struct tlb *t, bool globals_too)
{
	bool all = globals_too || !(t->kinds & TLB_GLOBAL);

	for (uint32_t i = 0; i <= t->set_mask; i++)
		flush_set(&t->set[i], all);
	t->flushes++;
	if (all)
		t->kinds = 0;
}

static bool piece_of(const struct tlb_set *s, unsigned way, uint32_t vpn)
{
	uint32_t differ = (s->tag[way] - 1) ^ vpn;

	return s->tag[way] && (s->flags[way] & TLB_LARGE) &&
	       !(differ & ~LARGE_PIECES);
}

/* Any address of a 4 MiB page names all of it, cached pieces or not. */
static void flush_large(struct tlb *t, uint32_t vpn)
{
	for (uint32_t i = 0; i <= t->set_mask; i++)
		for (unsigned way = 0; way < TLB_WAYS; way++)
			if (piece_of(&t->set[i], way, vpn))
				t->set[i].tag[way] = 0;
}

void tlb_flush_page(struct tlb *t, uint32_t vpn)
{
	struct tlb_set *s = tlb_set_of(t, vpn);
	unsigned match = tlb_match(s, vpn + 1);

	BUG_ON(match & (match - 1));
	if (match)
		s->tag[__builtin_ctz(match)] = 0;
	if (t->kinds & TLB_LARGE)
		flush_large(t, vpn);
}
