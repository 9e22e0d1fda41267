/*
 * Physical memory: frames, their content tags and, where something real is
 * stored, their bytes.
 *
 * A frame without bytes is logically zero apart from its tag. Bytes are
 * backed lazily by the host, so that frames which only reference instructions
 * touch cost eight bytes each.
 */
#pragma once

#include "emu/types.h"

typedef uint32_t pfn;	/* page frame number */
typedef uint32_t vaddr; /* virtual address of the 32-bit machine */

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096u
#define PAGE_MASK  (~(PAGE_SIZE - 1))

#define PFN_NONE UINT32_MAX

/* What stands behind a frame. Only ram.c tells the two zeroes apart. */
enum {
	RAM_ZERO,  /* logically zero, and so are its host bytes */
	RAM_REAL,  /* has bytes that may differ from zero */
	RAM_STALE, /* logically zero, but its host bytes are left-overs */
};

struct ram {
	uint32_t frames;
	uint8_t *bytes; /* frames * PAGE_SIZE, lazily backed */
	uint64_t *tag;	/* what the frame holds, see ram_store */
	uint8_t *real;	/* RAM_REAL or one of the zeroes; see ram_peek */
	uint32_t stale; /* frames that are RAM_STALE */
};

/* Power on: every frame zero. frames from 1 to 2^20 (4 GiB). */
void ram_init(struct ram *ram, uint32_t frames);
void ram_finish(struct ram *ram);

/* Make the frame a page of zeroes: tag 0, no bytes. */
void ram_clear(struct ram *ram, pfn frame);

/* Copy content, tag and bytes, between frames. */
void ram_copy(struct ram *ram, pfn to, pfn from);

/* The frame's bytes for reading; NULL if it is logically zero. */
const uint8_t *ram_peek(const struct ram *ram, pfn frame);

/* The frame's bytes for writing: makes it real. Does not touch the tag. */
uint8_t *ram_poke(struct ram *ram, pfn frame);

/* A 32-bit word of a real frame, for page tables. address is physical. */
static inline uint32_t *ram_word(struct ram *ram, uint32_t address)
{
	return (uint32_t *)(void *)(ram->bytes + (address & ~3u));
}

/*
 * Account for n stores to a page: each adds a constant that depends on the
 * address space (key, odd) and the page, so k stores commute and one call
 * stands for many.
 */
static inline void ram_store(struct ram *ram, pfn frame, uint64_t key,
			     uint32_t vpn, uint64_t n)
{
	ram->tag[frame] += n * key * (2 * (uint64_t)vpn + 1);
}
