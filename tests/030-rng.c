/*
 * Streams of chance: known answers, and that draws are distributed as they
 * promise, all in integers.
 */
#include "emu/bug.h"
#include "emu/fixed.h"
#include "emu/rng.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

#define DRAWS 1000000
#define LN2   2977044472ULL /* ln 2 in units of 2^-32 */

/* Computed from the definition of xorshift64* with another program. */
static void test_xorshift(void)
{
	static const uint64_t expected[] = {
		0x0D83B3E29A21487AULL, 0x54C44C79F1FE9D67ULL,
		0xA845F342007A0E78ULL, 0x7D6E0B878A794779ULL,
		0x90D8D6E5A10DD485ULL,
	};
	struct rng rng = { 0x9E3779B97F4A7C15ULL };

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		BUG_ON(rng_next(&rng) != expected[i]);
}

/* Likewise; FNV-1a of the name between two SplitMix64 finalisers. */
static void test_streams(void)
{
	struct rng rng;

	rng_init(&rng, 1, "disk");
	BUG_ON(rng.state != 0x9DD6C79C15BAEC83ULL);
	rng_init(&rng, 2, "disk");
	BUG_ON(rng.state != 0xB2489AACC21E5620ULL);
	rng_init(&rng, 1, "placement");
	BUG_ON(rng.state != 0x5C770566DC6F01EBULL);
}

static void test_below(void)
{
	unsigned count[17] = { 0 };
	struct rng rng;

	rng_init(&rng, 7, "below");
	for (int i = 0; i < DRAWS; i++)
		count[rng_below(&rng, 17)]++;
	/* 58823 each; the standard deviation is 235. */
	for (int i = 0; i < 17; i++)
		BUG_ON(count[i] < 57800 || count[i] > 59850);
	BUG_ON(rng_below(&rng, 1) != 0);
	BUG_ON(rng_scale(UINT64_MAX, 1ULL << 32) != UINT32_MAX);
}

/* Each draw against the logarithm computed bit by bit. */
static void test_exponential_exact(void)
{
	struct rng rng;

	rng_init(&rng, 3, "exponential");
	for (int i = 0; i < 100000; i++) {
		uint64_t state = rng.state;
		uint64_t output = rng_step(&state);
		uint64_t log = (64ULL << 32) - fixed_log2(output);
		uint64_t exact =
			(log >> 32) * LN2 + ((log & UINT32_MAX) * LN2 >> 32);
		uint64_t drawn = rng_exponential(&rng, 1ULL << 32);

		BUG_ON(rng.state != state);
		/*
		 * The table's straight lines lie above the curve, by (1/64)^2
		 * / 8 of the mean at most.
		 */
		BUG_ON(drawn + 64 < exact);
		BUG_ON(drawn > exact + (1ULL << 32) / 32768 + 64);
	}
}

static void test_exponential_shape(void)
{
	const uint64_t mean = 1000000;
	uint64_t sum = 0;
	unsigned above_mean = 0;
	unsigned above_three = 0;
	struct rng rng;

	rng_init(&rng, 11, "exponential");
	for (int i = 0; i < DRAWS; i++) {
		uint64_t x = rng_exponential(&rng, mean);

		sum += x;
		above_mean += x > mean;
		above_three += x > 3 * mean;
	}
	/* Five standard deviations around the mean, e^-1 and e^-3. */
	BUG_ON(sum / DRAWS < 995000 || sum / DRAWS > 1005000);
	BUG_ON(above_mean < 365400 || above_mean > 370300);
	BUG_ON(above_three < 48700 || above_three > 50900);
	BUG_ON(rng_exponential(&rng, 0) != 0);
}

static void near(uint64_t value, uint64_t expected, uint64_t within)
{
	BUG_ON(value + within < expected || value > expected + within);
}

static void test_fixed(void)
{
	for (unsigned i = 0; i < 64; i++)
		BUG_ON(fixed_log2(1ULL << i) != (uint64_t)i << 32);
	near(fixed_log2(3), 6807362105ULL, 2);
	near(fixed_log2(1000000007), 128408152788ULL, 2);

	BUG_ON(fixed_exp2_neg(0) != 1ULL << 62);
	BUG_ON(fixed_exp2_neg(63ULL << 32) != 0);
	near(fixed_exp2_neg(5ULL << 32), 1ULL << 57, 64);
	/* 2^-pi, and then each 2^-log2(x) times x gives 1 */
	near(fixed_exp2_neg(13493037704ULL), 522571966614814500ULL, 200000000);
	/* each root is the square of the next */
	for (unsigned i = 0; i < 32; i++) {
		uint64_t square = fixed_exp2_neg(2ULL << i);
		wide root = fixed_exp2_neg(1ULL << i);

		near(square, (uint64_t)(root * root >> 62), 16);
	}
	for (uint64_t x = 1; x < 100000; x += 37)
		near(fixed_exp2_neg(fixed_log2(x)) * x, 1ULL << 62, 1ULL << 32);
}

int main(void)
{
	test_xorshift();
	test_streams();
	test_below();
	test_fixed();
	test_exponential_exact();
	test_exponential_shape();
	return 0;
}
