/*
 * Ranks drawn by Zipf's law, from integer alias tables.
 *
 * Models      weights 1 / (rank + 1)^theta, exact to about 1 in 10^8.
 * Leaves out  weights below 2^-62 of the first: they count as 0.
 *
 * The alias method (Walker 1977, in Vose's form of 1991): n columns of equal
 * width, each shared by its own rank and one other. A draw picks a column and
 * a height in it; the rank that owns this height is the result.
 */
#include "emu/rng.h"

#include "emu/bug.h"
#include "emu/fixed.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

#define FULL ((uint64_t)1 << 32) /* the height of a column */

struct column {
	uint32_t own;	/* heights below this are the column's own rank */
	uint32_t alias; /* the rest; the rank itself if there is no rest */
};

struct zipf {
	uint32_t n;
	struct column column[];
};

static uint64_t weight(uint32_t rank, uint32_t theta_1024)
{
	return fixed_exp2_neg(fixed_log2((uint64_t)rank + 1) * theta_1024 >>
			      10);
}

/* Each rank's probability times n, in units of a column. */
static uint64_t *scaled_weights(uint32_t n, uint32_t theta_1024)
{
	uint64_t *share = xcalloc(n, sizeof(*share));
	wide sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		share[i] = weight(i, theta_1024);
		sum += share[i];
	}
	/* 62 bits of weight, 32 of n and 32 of scale: fits. */
	for (uint32_t i = 0; i < n; i++)
		share[i] = (uint64_t)(((wide)share[i] * n << 32) / sum);
	return share;
}

static void fill_column(struct zipf *z, uint32_t rank, uint64_t own,
			uint32_t alias)
{
	BUG_ON(own >= FULL);
	z->column[rank].own = (uint32_t)own;
	z->column[rank].alias = alias;
}

/*
 * Ranks that do not fill their column stand at the front of work[], those
 * that overflow at its back. Each small one is filled up from a large one,
 * which then may be small itself.
 */
static void fill_columns(struct zipf *z, uint64_t *share, uint32_t *work)
{
	uint32_t small = 0;
	uint32_t large = z->n;

	for (uint32_t i = 0; i < z->n; i++) {
		if (share[i] < FULL)
			work[small++] = i;
		else
			work[--large] = i;
	}
	while (small && large < z->n) {
		uint32_t less = work[--small];
		uint32_t more = work[large];

		fill_column(z, less, share[less], more);
		share[more] -= FULL - share[less];
		if (share[more] < FULL) {
			large++;
			work[small++] = more;
		}
	}
	/* What rounding left over fills its own column, to a hair. */
	for (uint32_t i = 0; i < small; i++)
		fill_column(z, work[i], 0, work[i]);
	for (; large < z->n; large++)
		fill_column(z, work[large], 0, work[large]);
}

struct zipf *zipf_new(uint32_t n, uint32_t theta_1024)
{
	struct zipf *z;
	uint64_t *share;
	uint32_t *work;

	BUG_ON(!n);
	BUG_ON(theta_1024 > 2048);
	z = xcalloc(1, sizeof(*z) + (size_t)n * sizeof(z->column[0]));
	share = scaled_weights(n, theta_1024);
	work = xcalloc(n, sizeof(*work));
	z->n = n;
	fill_columns(z, share, work);
	free(work);
	free(share);
	return z;
}

void zipf_free(struct zipf *z)
{
	free(z);
}

uint32_t zipf_draw(const struct zipf *z, uint64_t output)
{
	/* The column from the high bits, the height from those below. */
	wide product = (wide)output * z->n;
	uint32_t rank = (uint32_t)(product >> 64);
	uint32_t height = (uint32_t)((uint64_t)product >> 32);
	const struct column *c = &z->column[rank];

	return height < c->own ? rank : c->alias;
}
