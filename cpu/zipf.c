/*
 * Zipf tables in use by a CPU's programs, by (n, theta).
 *
 * A table costs O(n) to make, some 0.1 us a rank, so those of the last
 * instructions are kept: enough for a desktop of forty programs, each with
 * sizes of its own, to take turns. Which tables are kept is no part of any
 * result: a table depends on its key only.
 */
#include "cpu/step.h"

#include "emu/bug.h"
#include "emu/rng.h"

#include <stdlib.h>

#define ZIPF_KEPT 64

struct zipf_cache {
	struct {
		struct zipf *table;
		uint32_t n;
		uint32_t theta_1024;
	} kept[ZIPF_KEPT];
	unsigned next; /* to be replaced next */
};

const struct zipf *zipf_cache_get(struct zipf_cache **cache, uint32_t n,
				  uint32_t theta_1024)
{
	struct zipf_cache *c = *cache;
	unsigned i;

	BUG_ON(n == 0);
	if (!c)
		c = *cache = xcalloc(1, sizeof(*c));
	for (i = 0; i < ZIPF_KEPT; i++)
		if (c->kept[i].n == n && c->kept[i].theta_1024 == theta_1024)
			return c->kept[i].table;
	i = c->next++ % ZIPF_KEPT;
	zipf_free(c->kept[i].table);
	c->kept[i].table = zipf_new(n, theta_1024);
	c->kept[i].n = n;
	c->kept[i].theta_1024 = theta_1024;
	return c->kept[i].table;
}

void zipf_cache_free(struct zipf_cache *cache)
{
	for (unsigned i = 0; cache && i < ZIPF_KEPT; i++)
		zipf_free(cache->kept[i].table);
	free(cache);
}
