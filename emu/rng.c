/*
 * Streams of chance.
 *
 * Models      the xorshift64* generator (Vigna 2016, "An experimental
 *             exploration of Marsaglia's xorshift generators, scrambled").
 * Leaves out  floating point: the exponential comes from a table.
 */
#include "emu/rng.h"

#include "emu/bug.h"

__extension__ typedef unsigned __int128 wide;

/* The SplitMix64 finaliser (Steele, Lea, Flood 2014): a bijection. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
	return x ^ (x >> 31);
}

/* FNV-1a, the 64-bit parameters of draft-eastlake-fnv. */
static uint64_t hash_name(const char *name)
{
	uint64_t h = 0xCBF29CE484222325ULL;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001B3ULL;
	return h;
}

void rng_init(struct rng *r, uint64_t seed, const char *name)
{
	/* Seeds 1, 2, 3 differ in few bits: mix before and after joining. */
	r->state = mix(mix(seed + 0x9E3779B97F4A7C15ULL) ^ hash_name(name));
	if (!r->state)
		r->state = 0x9E3779B97F4A7C15ULL;
}

/* ln 2 - ln(1 + i/64), in units of 2^-32, rounded to nearest. */
#define LOG_STEPS 64
static const uint32_t log_table[LOG_STEPS + 1] = {
	2977044472, 2910454498, 2844881204, 2780294013, 2716663704, 2653962338,
	2592163181, 2531240638, 2471170186, 2411928318, 2353492488, 2295841054,
	2238953239, 2182809076, 2127389374, 2072675675, 2018650217, 1965295899,
	1912596253, 1860535406, 1809098057, 1758269449, 1708035340, 1658381986,
	1609296111, 1560764891, 1512775930, 1465317245, 1418377245, 1371944714,
	1326008797, 1280558983, 1235585093, 1191077261, 1147025929, 1103421825,
	1060255961, 1017519616, 975204325,  933301872,	891804281,  850703802,
	809992907,  769664279,	729710807,  690125574,	650901856,  612033109,
	573512964,  535335226,	497493860,  459982990,	422796893,  385929995,
	349376861,  313132196,	277190838,  241547751,	206198026,  171136874,
	136359621,  101861706,	67638678,   33686191,	0,
};

/*
 * -ln(U) of a uniform U = output / 2^64, in units of 2^-32. The leading zeros
 * of the output are the whole halvings, each worth ln 2; what follows them is
 * a uniform m in [1, 2), whose logarithm is interpolated: at most 3 parts in
 * 10^5 of ln 2 too much, 1 in 10^5 of the mean.
 */
static uint64_t minus_log(uint64_t output)
{
	unsigned zeros = (unsigned)__builtin_clzll(output);
	uint64_t fraction = output << zeros << 1; /* m - 1, units of 2^-64 */
	unsigned step = (unsigned)(fraction >> 58);
	uint64_t within = fraction << 6 >> 32; /* of the step, 2^-32 */
	uint64_t drop = log_table[step] - log_table[step + 1];

	return (uint64_t)zeros * log_table[0] + log_table[step] -
	       (drop * within >> 32);
}

uint64_t rng_exponential(struct rng *r, uint64_t mean)
{
	uint64_t output = rng_next(r);

	/* Odd times non-zero: 0 would mean that the state is broken. */
	BUG_ON(!output);
	BUG_ON(mean >> 57); /* 64 halvings of it must fit 63 bits */
	return (uint64_t)(((wide)mean * minus_log(output) + (1U << 31)) >> 32);
}
