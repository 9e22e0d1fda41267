/*
 * The fingerprint of a run.
 *
 * Models      nothing; a multiply-and-fold hash of 64-bit words.
 * Leaves out  resistance to an adversary. What it promises is that the same
 *             words in the same order give the same value everywhere.
 */
#include "emu/digest.h"

/* The fractional part of the square root of 2: a start that is not zero. */
#define DIGEST_START 0x6A09E667F3BCC908ULL

void digest_init(struct digest *d)
{
	d->hash = DIGEST_START;
	d->words = 0;
}

static uint64_t little_endian(const unsigned char *bytes, size_t count)
{
	uint64_t word = 0;

	for (size_t i = 0; i < count; i++)
		word |= (uint64_t)bytes[i] << (8 * i);
	return word;
}

void digest_bytes(struct digest *d, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	/* The length first: the padding of the last word is then no data. */
	digest_word(d, size);
	for (; size >= 8; size -= 8, at += 8)
		digest_word(d, little_endian(at, 8));
	if (size)
		digest_word(d, little_endian(at, size));
}

/*
 * digest_word alone leaves the last words in few bits. Two more rounds with
 * the constants of the MurmurHash3 finaliser (Appleby, fmix64, public domain)
 * spread them.
 */
uint64_t digest_value(const struct digest *d)
{
	uint64_t h = d->hash ^ (d->words * 0x9FB21C651E98DF25ULL);

	h = (h ^ (h >> 33)) * 0xFF51AFD7ED558CCDULL;
	h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53ULL;
	return h ^ (h >> 33);
}
