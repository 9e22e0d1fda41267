/*
 * Readahead of read(2): a current window and one ahead of it.
 *
 * Models      page_cache_readahead of mm/readahead.c, Linux 2.6.18.
 * Leaves out  nothing that read-only files show.
 */
#include "os/filemap.h"

#include "os/kernel.h"

enum {
	RA_MISS = 1,	/* a page was evicted before it was used */
	RA_INCACHE = 2, /* everything is cached: do not bother */
};

#define RA_MIN		  4   /* pages: VM_MIN_READAHEAD, 16 KiB */
#define RA_CACHE_HITS_OFF 256 /* pages in a row found cached */

uint32_t readahead_sane(const struct kernel *k, uint32_t pages)
{
	uint64_t sane = nr_free_pages(k);

	for (int i = 0; i < NR_ZONES; i++)
		sane += k->zones.zone[i].nr_inactive;
	sane /= 2;
	return pages < sane ? pages : (uint32_t)sane;
}

/* get_init_ra_size */
static uint32_t first_size(uint32_t request, uint32_t max)
{
	uint32_t size = 1;

	while (size < request)
		size *= 2;
	if (size <= max / 32)
		return size * 4;
	return size <= max / 4 ? size * 2 : max;
}

/* get_next_ra_size */
static uint32_t next_size(struct readahead *ra, uint32_t max)
{
	uint32_t now = ra->size;
	uint32_t size;

	if (ra->flags & RA_MISS) {
		ra->flags &= ~(uint32_t)RA_MISS;
		size = now > RA_MIN + 2 ? now - 2 : RA_MIN;
	} else if (now < max / 16) {
		size = 4 * now;
	} else {
		size = 2 * now;
	}
	return size < max ? size : max;
}

static void off(struct readahead *ra)
{
	ra->start = 0;
	ra->size = 0;
	ra->ahead_start = 0;
	ra->ahead_size = 0;
}

void readahead_missed(struct readahead *ra)
{
	ra->flags |= RA_MISS;
	ra->flags &= ~(uint32_t)RA_INCACHE;
	ra->cache_hit = 0;
}

static bool all_cached(const struct inode *inode, uint32_t start,
		       uint32_t count)
{
	for (uint32_t i = start; i < start + count && i < inode->pages; i++)
		if (inode->cache[i] == PFN_NONE)
			return false;
	return true;
}

/*
 * Read a window; counts windows that were cached already, and gives up
 * reading ahead after 256 pages of them (check_ra_success).
 */
SLEEPS static bool read_window(struct kernel *k, struct inode *inode,
			       struct readahead *ra, uint32_t start,
			       uint32_t count, bool polite)
{
	bool cached = all_cached(inode, start, count);

	if (!filemap_readahead(k, inode, start, count, polite))
		return false;
	if (!cached) {
		ra->cache_hit = 0;
		return true;
	}
	ra->cache_hit += count;
	if (ra->cache_hit >= RA_CACHE_HITS_OFF) {
		off(ra);
		ra->flags |= RA_INCACHE;
		return false;
	}
	return true;
}

/* make_ahead_window: false if the device is too busy for it */
SLEEPS static bool make_ahead(struct kernel *k, struct inode *inode,
			      struct readahead *ra, uint32_t max, bool force)
{
	ra->ahead_size = next_size(ra, max);
	ra->ahead_start = ra->start + ra->size;
	if (read_window(k, inode, ra, ra->ahead_start, ra->ahead_size, !force))
		return true;
	/* not read: forget it, and try again at the next request */
	if (!force) {
		ra->ahead_start = 0;
		ra->ahead_size = 0;
	}
	return false;
}

SLEEPS static void first_window(struct kernel *k, struct inode *inode,
				struct readahead *ra, uint32_t index,
				uint32_t request, uint32_t max)
{
	ra->start = index;
	ra->size = first_size(request, max);
	if (!read_window(k, inode, ra, ra->start, ra->size, false))
		return;
	if (request >= max)
		make_ahead(k, inode, ra, max, true);
}

SLEEPS void readahead_read(struct kernel *k, struct inode *inode,
			   struct readahead *ra, uint32_t index,
			   uint32_t request)
{
	uint32_t max = READAHEAD_PAGES;
	bool sequential = index == ra->previous + 1;
	bool same = index == ra->previous;

	if (same && request == 1)
		return;
	ra->previous = index;
	if (same || ra->flags & RA_INCACHE)
		return;
	request = request < max ? request : max;
	if (!sequential) {
		off(ra);
		filemap_readahead(k, inode, index, request, false);
		return;
	}
	if (!ra->size) {
		first_window(k, inode, ra, index, request, max);
		return;
	}
	if (!ra->ahead_start &&
	    !make_ahead(k, inode, ra, max, index >= ra->start + ra->size))
		return;
	if (index >= ra->ahead_start && ra->ahead_size) {
		ra->start = ra->ahead_start;
		ra->size = ra->ahead_size;
		make_ahead(k, inode, ra, max, false);
	}
}
