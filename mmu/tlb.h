/*
 * A translation look-aside buffer: set-associative, round-robin within a
 * set. It keeps what it was filled with until it is flushed or replaced, as
 * hardware does, so the tables may say something else by then.
 *
 * The way compare is branch-free: a hit costs the same in every way.
 */
#pragma once

#include "mmu/pte.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TLB_WAYS 4 /* smaller associativities leave ways unused */

/* Rights of a cached translation, ANDed over the levels of the walk. */
enum {
	TLB_WRITE = 1, /* RW at every level */
	TLB_USER = 2,  /* US at every level, and filled by a user access */
	TLB_DIRTY = 4, /* the leaf was dirty: writes need not go to memory */
	TLB_GLOBAL = 8,
	TLB_LARGE = 16, /* came from a 4 MiB page */
};

struct tlb_set {
	/* vpn + 1 of the 4 KiB page, 0 when empty; side by side for SIMD */
	uint32_t tag[TLB_WAYS] __attribute__((aligned(16)));
	uint32_t frame[TLB_WAYS]; /* frame of that 4 KiB page */
	uint8_t flags[TLB_WAYS];
	uint8_t next; /* way to replace next */
};

struct tlb_geometry {
	uint32_t entries; /* a power of two times ways */
	uint32_t ways;	  /* 1, 2 or 4 */
};

struct tlb {
	struct tlb_set *set;
	uint32_t set_mask; /* number of sets - 1 */
	uint32_t ways;
	uint64_t hits;
	uint64_t misses;  /* includes entries that lacked the right */
	uint64_t flushes; /* whole-buffer flushes */
	uint8_t kinds;	  /* flags of all entries since it was last empty */
};

void tlb_init(struct tlb *t, struct tlb_geometry g);
void tlb_finish(struct tlb *t);

/*
 * Ways of a set that hold this tag, as a bit mask of 0 or 1 bit. The vector
 * compare makes it one sequence of instructions without a branch; a loop
 * that stops early mispredicts and costs five times as much.
 */
static inline unsigned tlb_match(const struct tlb_set *s, uint32_t tag)
{
#ifdef __SSE2__
	__m128i tags = _mm_load_si128((const void *)s->tag);
	__m128i equal = _mm_cmpeq_epi32(tags, _mm_set1_epi32((int)tag));

	return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(equal));
#else
	return (unsigned)(s->tag[0] == tag) |
	       (unsigned)(s->tag[1] == tag) << 1 |
	       (unsigned)(s->tag[2] == tag) << 2 |
	       (unsigned)(s->tag[3] == tag) << 3;
#endif
}

static inline struct tlb_set *tlb_set_of(const struct tlb *t, uint32_t vpn)
{
	return &t->set[vpn & t->set_mask];
}

/* Where a translation goes; the round moves on only if it must evict. */
static inline unsigned tlb_victim(const struct tlb *t, struct tlb_set *s,
				  uint32_t tag)
{
	unsigned empty = tlb_match(s, 0) & ((1u << t->ways) - 1);
	unsigned match = tlb_match(s, tag);
	unsigned way = s->next;

	match = match ? match : empty;
	if (__builtin_expect(match != 0, 0))
		return (unsigned)__builtin_ctz(match);
	s->next = (uint8_t)((way + 1) & (t->ways - 1));
	return way;
}

/*
 * Remember a translation: in the place of an older one of the same page, else
 * in an empty way, else in the next way of the set's round.
 */
static inline void tlb_fill(struct tlb *t, uint32_t vpn, pfn frame,
			    uint8_t flags)
{
	struct tlb_set *s = tlb_set_of(t, vpn);
	unsigned way = tlb_victim(t, s, vpn + 1);

	s->tag[way] = vpn + 1;
	s->frame[way] = frame;
	s->flags[way] = flags;
	t->kinds |= flags;
}

/* Forget everything, or everything that is not global. */
void tlb_flush(struct tlb *t, bool globals_too);

/*
 * Drop the page's entry, global or not; if the buffer holds pieces of a
 * 4 MiB page around this address, all of them.
 */
void tlb_flush_page(struct tlb *t, uint32_t vpn);
