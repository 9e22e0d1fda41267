/*
 * The TLB by itself: replacement, all associativities, every kind of flush.
 */
#include "emu/bug.h"
#include "mmu/tlb.h"

/* Frame cached for a page, or PFN_NONE. */
static pfn cached(const struct tlb *t, uint32_t vpn)
{
	const struct tlb_set *s = tlb_set_of(t, vpn);
	unsigned match = tlb_match(s, vpn + 1);

	BUG_ON(match & (match - 1));
	return match ? s->frame[__builtin_ctz(match)] : PFN_NONE;
}

/* ways pages of one set fit; one more evicts the one that came first. */
static void replace_in_turn(uint32_t ways)
{
	const uint32_t sets = 8;
	struct tlb t;

	tlb_init(&t, (struct tlb_geometry){ sets * ways, ways });
	for (uint32_t i = 0; i < ways; i++)
		tlb_fill(&t, 3 + i * sets, 100 + i, 0);
	for (uint32_t i = 0; i < ways; i++)
		BUG_ON(cached(&t, 3 + i * sets) != 100 + i);
	for (uint32_t i = 0; i < 3 * ways; i++) {
		tlb_fill(&t, 3 + (ways + i) * sets, 100 + ways + i, 0);
		BUG_ON(cached(&t, 3 + i * sets) != PFN_NONE);
		BUG_ON(cached(&t, 3 + (i + 1) * sets) != 101 + i);
	}
	/* another set and the highest page are not disturbed */
	tlb_fill(&t, 0xfffff, 9, 0);
	BUG_ON(cached(&t, 0xfffff) != 9 || cached(&t, 0) != PFN_NONE);
	tlb_finish(&t);
}

static void refill_keeps_one_entry(void)
{
	struct tlb t;

	tlb_init(&t, (struct tlb_geometry){ 64, 4 });
	tlb_fill(&t, 5, 1, 0);
	tlb_fill(&t, 5 + 16, 2, 0);
	tlb_fill(&t, 5, 3, TLB_DIRTY);
	BUG_ON(cached(&t, 5) != 3 || cached(&t, 21) != 2);
	tlb_flush_page(&t, 5);
	BUG_ON(cached(&t, 5) != PFN_NONE || cached(&t, 21) != 2);
	tlb_finish(&t);
}

static void flush_kinds(void)
{
	struct tlb t;

	tlb_init(&t, (struct tlb_geometry){ 64, 4 });
	tlb_fill(&t, 1, 1, 0);
	tlb_fill(&t, 2, 2, TLB_GLOBAL);
	tlb_flush(&t, false);
	BUG_ON(cached(&t, 1) != PFN_NONE || cached(&t, 2) != 2);
	tlb_flush_page(&t, 2);
	BUG_ON(cached(&t, 2) != PFN_NONE);
	tlb_fill(&t, 2, 2, TLB_GLOBAL);
	tlb_flush(&t, true);
	BUG_ON(cached(&t, 2) != PFN_NONE || t.flushes != 2);

	/* pieces of one 4 MiB page go together, others stay */
	tlb_fill(&t, 0x400, 1, TLB_LARGE);
	tlb_fill(&t, 0x7ff, 2, TLB_LARGE | TLB_GLOBAL);
	tlb_fill(&t, 0x800, 3, TLB_LARGE);
	tlb_fill(&t, 0x401, 4, 0);
	tlb_flush_page(&t, 0x523);
	BUG_ON(cached(&t, 0x400) != PFN_NONE || cached(&t, 0x7ff) != PFN_NONE);
	BUG_ON(cached(&t, 0x800) != 3 || cached(&t, 0x401) != 4);
	tlb_finish(&t);
}

int main(void)
{
	replace_in_turn(1);
	replace_in_turn(2);
	replace_in_turn(4);
	refill_keeps_one_entry();
	flush_kinds();
	return 0;
}
