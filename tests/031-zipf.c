/*
 * Zipf's law: how often the first ranks come, against sums of its weights,
 * and that the tables are the same on every host.
 */
#include "emu/bug.h"
#include "emu/digest.h"
#include "emu/rng.h"

#include <stdlib.h>

#define DRAWS 1000000

/*
 * Of a million draws this many should be of a rank below first: sums of
 * 1 / (rank + 1)^theta, computed in floating point with another program.
 */
struct law {
	uint32_t n;
	uint32_t theta_1024;
	struct {
		uint32_t first;
		unsigned expected;
	} part[4];
};

static const struct law laws[] = {
	{ 1000,
	  1024,
	  { { 1, 133592 }, { 10, 391287 }, { 100, 692993 }, { 500, 907468 } } },
	{ 100000,
	  819,
	  { { 1, 21915 },
	    { 10, 78145 },
	    { 1000, 339289 },
	    { 10000, 594803 } } },
	{ 1000000,
	  2048,
	  { { 1, 607927 }, { 2, 759909 }, { 10, 942146 }, { 100, 993952 } } },
	{ 7,
	  0,
	  { { 1, 142857 }, { 2, 285714 }, { 3, 428571 }, { 6, 857143 } } },
};

/* Five standard deviations are at most 2500 in a million. */
static void test_law(const struct law *law)
{
	struct zipf *z = zipf_new(law->n, law->theta_1024);
	unsigned below[4] = { 0 };
	struct rng rng;

	rng_init(&rng, 5, "zipf");
	for (int i = 0; i < DRAWS; i++) {
		uint32_t rank = zipf_draw(z, rng_next(&rng));

		BUG_ON(rank >= law->n);
		for (int k = 0; k < 4; k++)
			below[k] += rank < law->part[k].first;
	}
	for (int k = 0; k < 4; k++) {
		unsigned expected = law->part[k].expected;

		BUG_ON(below[k] + 2500 < expected);
		BUG_ON(below[k] > expected + 2500);
	}
	zipf_free(z);
}

/*
 * Outputs at even distances sweep every column from its foot to its top, so
 * that ranks come as often as their weights say, with no chance in it.
 */
static void test_sweep(void)
{
	struct zipf *z = zipf_new(4, 1024);
	unsigned count[4] = { 0 };

	for (unsigned i = 0; i < 1000000; i++)
		count[zipf_draw(z, i * (UINT64_MAX / 1000000))]++;
	/* 1 + 1/2 + 1/3 + 1/4 = 25/12: shares 12, 6, 4 and 3 of 25 */
	for (unsigned k = 0; k < 4; k++) {
		unsigned expected = 12 * 40000 / (k + 1);

		BUG_ON(count[k] + 8 < expected || count[k] > expected + 8);
	}
	zipf_free(z);
}

static uint64_t fingerprint(uint32_t n, uint32_t theta_1024)
{
	struct zipf *z = zipf_new(n, theta_1024);
	struct digest digest;
	struct rng rng;

	digest_init(&digest);
	rng_init(&rng, 9, "zipf");
	for (int i = 0; i < 200000; i++)
		digest_word(&digest, zipf_draw(z, rng_next(&rng)));
	zipf_free(z);
	return digest_value(&digest);
}

int main(void)
{
	struct zipf *one = zipf_new(1, 1024);

	BUG_ON(zipf_draw(one, UINT64_MAX) != 0);
	zipf_free(one);
	zipf_free(NULL);
	for (size_t i = 0; i < sizeof(laws) / sizeof(*laws); i++)
		test_law(&laws[i]);
	test_sweep();
	/* Every compiler and host must arrive at these. */
	BUG_ON(fingerprint(1000, 1024) != 0x41FC2C7B006E6792ULL);
	BUG_ON(fingerprint(262144, 819) != 0x396CBB82B94B9D88ULL);
	return 0;
}
