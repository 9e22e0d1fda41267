/*
 * The fingerprint of a run: a 64-bit hash over 64-bit words in a fixed order.
 * Not cryptographic; the same on every host, compiler and option.
 */
#pragma once

#include "emu/types.h"

struct digest {
	uint64_t hash;
	uint64_t words;
};

void digest_init(struct digest *d);

static inline void digest_word(struct digest *d, uint64_t word)
{
	uint64_t h = (d->hash ^ word) * 0x9FB21C651E98DF25ULL;

	d->hash = h ^ (h >> 32);
	d->words++;
}

/* Hash bytes as little-endian words, the length included. */
void digest_bytes(struct digest *d, const void *bytes, size_t size);

/* The hash so far, mixed with the number of words. Does not end it. */
uint64_t digest_value(const struct digest *d);
