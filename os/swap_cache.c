/*
 * The swap cache, and pages moving between it and the device.
 *
 * Models      mm/swap_state.c, mm/page_io.c and the readahead of
 *             mm/memory.c of Linux 2.6.18.
 * Leaves out  the radix tree behind the cache: an array by slot.
 *
 * A page in the cache has one reference from it, and its slot has one too.
 */
#include "os/filemap.h"
#include "os/swap.h"

#include "os/kernel.h"

static void insert(struct kernel *k, struct page *page, uint32_t slot)
{
	BUG_ON(k->swap->cache[slot] != PFN_NONE);
	BUG_ON(page_test(page, PG_SWAPCACHE));
	k->swap->cache[slot] = page_number(k, page);
	k->swap->cached++;
	page->flags |= PG_SWAPCACHE;
	page->private = slot;
	page->count++;
}

bool swap_cache_add(struct kernel *k, struct page *page)
{
	uint32_t slot = swap_get(k);

	BUG_ON(!page_test(page, PG_LOCKED) || !page_test(page, PG_ANON));
	if (!slot)
		return false;
	insert(k, page, slot);
	page->flags |= PG_DIRTY | PG_UPTODATE;
	return true;
}

struct page *swap_cache_find(struct kernel *k, uint32_t slot)
{
	pfn frame = k->swap->cache[slot];

	cpu_charge(k->cpu, (uint64_t)k->cost.cache_lookup);
	if (frame == PFN_NONE)
		return NULL;
	k->pages[frame].count++;
	return &k->pages[frame];
}

void swap_cache_remove(struct kernel *k, struct page *page)
{
	uint32_t slot = page->private;

	BUG_ON(!page_test(page, PG_SWAPCACHE));
	BUG_ON(!page_test(page, PG_LOCKED) || page_test(page, PG_WRITEBACK));
	k->swap->cache[slot] = PFN_NONE;
	k->swap->cached--;
	page->flags &= ~(uint32_t)PG_SWAPCACHE;
	page->private = 0;
	swap_release(k, slot);
	page_put(k, page);
}

bool swap_cache_remove_exclusive(struct kernel *k, struct page *page)
{
	if (!page_test(page, PG_SWAPCACHE) || page_test(page, PG_WRITEBACK))
		return false;
	if (page->count != 2 || k->swap->map[page->private] != 1)
		return false;
	swap_cache_remove(k, page);
	page->flags |= PG_DIRTY;
	return true;
}

bool swap_sole_user(const struct kernel *k, const struct page *page)
{
	uint32_t count = page->mapcount;

	if (count <= 1 && page_test(page, PG_SWAPCACHE))
		count += k->swap->map[page->private] - 1u;
	return count == 1;
}

void swap_entry_gone(struct kernel *k, uint32_t slot)
{
	struct page *page = NULL;

	/* the cache's reference is the last one: look at the page */
	if (k->swap->map[slot] == 2 && k->swap->cache[slot] != PFN_NONE)
		page = swap_cache_find(k, slot);
	swap_release(k, slot);
	if (!page)
		return;
	if (page_trylock(page)) {
		if (!page_test(page, PG_WRITEBACK) &&
		    (page->count == 2 || swap_full(k))) {
			swap_cache_remove(k, page);
			page->flags |= PG_DIRTY;
		}
		page_unlock(k, page);
	}
	page_put(k, page);
}

static sector sector_of(const struct swap *s, uint32_t slot)
{
	return (s->first + slot) * SECTORS_PER_PAGE;
}

static void write_ended(struct kernel *k, struct bio *bio,
			enum disk_error error)
{
	struct page *page = &k->pages[bio->page[0]];

	if (error) {
		/* keep it: dirty again, and not to be freed next */
		page->flags |= PG_ERROR | PG_DIRTY;
		page->flags &= ~(uint32_t)PG_RECLAIM;
	}
	page_writeback_ended(k, page);
}

SLEEPS void swap_write(struct kernel *k, struct page *page)
{
	struct swap *s = k->swap;
	struct bio *bio;

	if (swap_cache_remove_exclusive(k, page)) {
		k->vmstat.swap_drop++;
		page_unlock(k, page);
		return;
	}
	bio = bio_new(s->queue, sector_of(s, page->private), true, write_ended);
	bio->page[bio->pages++] = page_number(k, page);
	k->vmstat.pswpout++;
	trace_emit(k->trace, TR_SWAP_OUT, page_number(k, page), page->private,
		   page->owner, 0);
	page->flags |= PG_WRITEBACK;
	k->nr_writeback++;
	page_unlock(k, page);
	block_submit(s->queue, bio);
}

static void read_ended(struct kernel *k, struct bio *bio, enum disk_error error)
{
	struct page *page = &k->pages[bio->page[0]];

	page->flags |= error ? PG_ERROR : PG_UPTODATE;
	page_unlock(k, page);
}

SLEEPS static void start_read(struct kernel *k, struct page *page)
{
	struct swap *s = k->swap;
	struct bio *bio = bio_new(s->queue, sector_of(s, page->private), false,
				  read_ended);

	bio->page[bio->pages++] = page_number(k, page);
	k->vmstat.pswpin++;
	block_submit(s->queue, bio);
}

SLEEPS struct page *swap_read(struct kernel *k, uint32_t slot)
{
	struct page *page = swap_cache_find(k, slot);
	struct page *fresh;

	if (page)
		return page;
	fresh = page_alloc(k, GFP_HIGHUSER);
	if (!fresh)
		return NULL;
	/* allocating may have slept: the slot may be gone, or cached */
	page = k->swap->map[slot] ? swap_cache_find(k, slot) : NULL;
	if (page || !k->swap->map[slot]) {
		page_put(k, fresh);
		return page;
	}
	fresh->flags |= PG_LOCKED;
	insert(k, fresh, slot);
	swap_duplicate(k, slot);
	lru_add_later(k, fresh, LRU_ACTIVE);
	start_read(k, fresh);
	return fresh;
}

/* valid_swaphandles: slots of the block from its start to the first free. */
static uint32_t block_of(const struct kernel *k, uint32_t slot, uint32_t *start)
{
	const struct swap *s = k->swap;
	uint32_t size = 1u << k->sysctl.page_cluster;
	uint32_t count = 0;

	*start = slot & ~(size - 1);
	if (size == 1)
		return 0;
	if (!*start) { /* slot 0 is the header */
		*start = 1;
		size--;
	}
	while (count < size && *start + count < s->slots &&
	       s->map[*start + count])
		count++;
	return count;
}

SLEEPS void swap_readahead(struct kernel *k, uint32_t slot)
{
	uint32_t start;
	uint32_t count = block_of(k, slot, &start);

	for (uint32_t i = 0; i < count; i++) {
		struct page *page = swap_read(k, start + i);

		if (!page)
			break;
		if (start + i != slot)
			k->vmstat.swap_ra++;
		page_put(k, page);
	}
	lru_drain(k);
}
