/*
 * The page lock and the page cache.
 *
 * Models      mm/filemap.c, mm/readahead.c (do_page_cache_readahead) and
 *             fs/mpage.c of Linux 2.6.18.
 * Leaves out  the radix tree behind the cache: an array by page.
 */
#include "os/filemap.h"

#include "os/kernel.h"

#include <string.h>

static struct wait_queue *wait_queue_of(struct kernel *k, pfn frame)
{
	return &k->page_wait[frame % PAGE_WAIT_QUEUES];
}

/* sync_page: whoever waits for a page starts the device it is on. */
static void start_device(struct kernel *k, const struct page *page)
{
	if (page_test(page, PG_SWAPCACHE))
		queue_unplug(k->swap->queue);
	else if (!page_test(page, PG_ANON))
		queue_unplug(k->file_queue);
}

SLEEPS static void wait_for_page(struct kernel *k, struct page *page)
{
	pfn frame = page_number(k, page);

	start_device(k, page);
	/* unplugging runs on this stack: it may have ended the wait */
	if (page_test(page, PG_LOCKED))
		wait_on(k, wait_queue_of(k, frame), frame + 1ULL, WAIT_IO,
			"page");
}

SLEEPS void page_wait_unlocked(struct kernel *k, struct page *page)
{
	might_sleep(k);
	while (page_test(page, PG_LOCKED))
		wait_for_page(k, page);
}

SLEEPS void page_lock(struct kernel *k, struct page *page)
{
	page_wait_unlocked(k, page);
	page->flags |= PG_LOCKED;
}

bool page_trylock(struct page *page)
{
	if (page_test(page, PG_LOCKED))
		return false;
	page->flags |= PG_LOCKED;
	return true;
}

static void wake_page(struct kernel *k, const struct page *page)
{
	pfn frame = page_number(k, page);

	wake_up(k, wait_queue_of(k, frame), frame + 1ULL, WAKE_ALL);
}

void page_unlock(struct kernel *k, struct page *page)
{
	BUG_ON(!page_test(page, PG_LOCKED));
	page->flags &= ~(uint32_t)PG_LOCKED;
	wake_page(k, page);
}

void page_writeback_ended(struct kernel *k, struct page *page)
{
	BUG_ON(!page_test(page, PG_WRITEBACK));
	if (page_test(page, PG_RECLAIM)) {
		page->flags &= ~(uint32_t)PG_RECLAIM;
		lru_rotate(k, page);
	}
	page->flags &= ~(uint32_t)PG_WRITEBACK;
	k->nr_writeback--;
	wake_page(k, page);
}

struct page *filemap_find(struct kernel *k, struct inode *inode, uint32_t index)
{
	pfn frame = inode->cache[index];

	cpu_charge(k->cpu, (uint64_t)k->cost.cache_lookup);
	if (frame == PFN_NONE)
		return NULL;
	k->pages[frame].count++;
	return &k->pages[frame];
}

/* A fresh page joins the cache, locked until it has been read. */
static void insert(struct kernel *k, struct inode *inode, uint32_t index,
		   struct page *page)
{
	BUG_ON(inode->cache[index] != PFN_NONE);
	page->flags |= PG_LOCKED;
	page->owner = inode->number;
	page->index = index;
	page->count++;
	inode->cache[index] = page_number(k, page);
	inode->cached++;
	k->nr_file_cached++;
}

void filemap_remove(struct kernel *k, struct page *page)
{
	struct inode *inode = fs_inode(k->fs, page->owner);

	BUG_ON(!page_test(page, PG_LOCKED) || page->mapcount);
	BUG_ON(inode->cache[page->index] != page_number(k, page));
	inode->cache[page->index] = PFN_NONE;
	inode->cached--;
	k->nr_file_cached--;
	page_put(k, page);
}

static void read_ended(struct kernel *k, struct bio *bio, enum disk_error error)
{
	for (uint32_t i = 0; i < bio->pages; i++) {
		struct page *page = &k->pages[bio->page[i]];

		page->flags |= error ? PG_ERROR : PG_UPTODATE;
		page_unlock(k, page);
	}
}

/* One bio over pages that follow each other on the disk, all inserted. */
SLEEPS static void submit_run(struct kernel *k, struct inode *inode,
			      struct page **page, uint32_t count)
{
	struct bio *bio =
		bio_new(k->file_queue,
			fs_block(inode, page[0]->index) * SECTORS_PER_PAGE,
			false, read_ended);

	for (uint32_t i = 0; i < count; i++)
		bio->page[bio->pages++] = page_number(k, page[i]);
	trace_emit(k->trace, TR_FILE_IN,
		   k->current ? (uint64_t)k->current->pid : 0, inode->number,
		   page[0]->index, count);
	block_submit(k->file_queue, bio);
}

/* The pages of a readahead: allocated, then inserted, read and released. */
struct pool {
	struct page *page[READAHEAD_PAGES];
	uint32_t index[READAHEAD_PAGES];
	uint32_t count;
};

SLEEPS static void fill_pool(struct kernel *k, struct inode *inode,
			     uint32_t index, uint32_t count, struct pool *p)
{
	for (uint32_t i = 0; i < count && p->count < READAHEAD_PAGES; i++) {
		struct page *page;

		if (index + i >= inode->pages)
			break;
		if (inode->cache[index + i] != PFN_NONE)
			continue;
		page = page_alloc(k, GFP_HIGHUSER | GFP_COLD);
		if (!page)
			break;
		p->index[p->count] = index + i;
		p->page[p->count++] = page;
	}
}

/* The page of a file's map, read and up to date? Counts as a use of it. */
static bool map_page_ready(struct kernel *k, struct inode *map, uint32_t index)
{
	struct page *page = filemap_find(k, map, index);
	bool ready = page && page_test(page, PG_UPTODATE);

	if (ready)
		lru_mark_accessed(k, page);
	if (page)
		page_put(k, page);
	return ready;
}

/* Is all that names the block of this page at hand? */
static bool map_ready(struct kernel *k, struct inode *inode, uint32_t index)
{
	uint32_t need[2];
	unsigned n = fs_map_pages(inode, index, need);

	for (unsigned i = 0; i < n; i++)
		if (!map_page_ready(k, inode->map, need[i]))
			return false;
	return true;
}

/*
 * ext2_get_block: read the indirect blocks that name the block of a page, one
 * after the other, and wait for each. False: no memory, or a bad medium.
 */
SLEEPS static bool read_map(struct kernel *k, struct inode *inode,
			    uint32_t index)
{
	uint32_t need[2];
	unsigned n = fs_map_pages(inode, index, need);

	for (unsigned i = 0; i < n; i++) {
		struct page *page;

		if (map_page_ready(k, inode->map, need[i]))
			continue;
		if (!filemap_read_page(k, inode->map, need[i]))
			return false;
		page = filemap_find(k, inode->map, need[i]);
		if (!page)
			return false;
		page_wait_unlocked(k, page);
		page_put(k, page);
		if (!map_page_ready(k, inode->map, need[i]))
			return false;
	}
	return true;
}

/* Pages in the cache, locked, that lie together and wait for their bio. */
struct run {
	struct kernel *k;
	struct inode *inode;
	struct page *page[BIO_MAX_PAGES];
	uint32_t length, most;
};

SLEEPS static void run_submit(struct run *r)
{
	if (r->length)
		submit_run(r->k, r->inode, r->page, r->length);
	r->length = 0;
}

SLEEPS static void run_add(struct run *r, struct page *page)
{
	const struct page *last = r->length ? r->page[r->length - 1] : NULL;

	if (last &&
	    (r->length == r->most || fs_block(r->inode, last->index) + 1 !=
					     fs_block(r->inode, page->index)))
		run_submit(r);
	r->page[r->length++] = page;
}

/*
 * mpage_readpages: into the cache and the LRU, in runs, then to the disk.
 * What is collected goes off before the next indirect block is waited for.
 */
SLEEPS static void read_pool(struct kernel *k, struct inode *inode,
			     struct pool *p)
{
	struct pagevec vec = { 0 };
	struct run run = { .k = k,
			   .inode = inode,
			   .most = queue_max_pages(k->file_queue) };
	bool ok = true;

	for (uint32_t i = 0; i < p->count; i++) {
		struct page *page = p->page[i];
		uint32_t index = p->index[i];

		if (ok && !map_ready(k, inode, index)) {
			run_submit(&run);
			ok = read_map(k, inode, index);
		}
		/* without a map, or read by somebody meanwhile: no use */
		if (!ok || inode->cache[index] != PFN_NONE) {
			page_put(k, page);
			continue;
		}
		insert(k, inode, index, page);
		run_add(&run, page);
		/* the vector takes over the reference from the allocation */
		vec.page[vec.count++] = page_number(k, page);
		if (vec.count == PAGEVEC_SIZE)
			lru_flush(k, &vec);
	}
	lru_flush(k, &vec);
	run_submit(&run);
}

SLEEPS bool filemap_readahead(struct kernel *k, struct inode *inode,
			      uint32_t index, uint32_t count, bool polite)
{
	might_sleep(k);
	if (polite && queue_congested(k->file_queue, false))
		return false;
	while (count) {
		uint32_t chunk =
			count < READAHEAD_PAGES ? count : READAHEAD_PAGES;
		struct pool pool = { .count = 0 };

		fill_pool(k, inode, index, chunk, &pool);
		read_pool(k, inode, &pool);
		index += chunk;
		count -= chunk;
	}
	return true;
}

SLEEPS bool filemap_read_page(struct kernel *k, struct inode *inode,
			      uint32_t index)
{
	struct page *page = page_alloc(k, GFP_HIGHUSER | GFP_COLD);

	if (!page)
		return false;
	if (!read_map(k, inode, index)) {
		page_put(k, page);
		return false;
	}
	if (inode->cache[index] == PFN_NONE) {
		insert(k, inode, index, page);
		lru_add_later(k, page, LRU_INACTIVE);
		submit_run(k, inode, &page, 1);
	}
	page_put(k, page);
	return true;
}

void file_open(struct open_file *file, struct inode *inode)
{
	*file = (struct open_file){ .inode = inode };
	file->ra.previous = -1;
}

/* The page, up to date, with a reference; NULL: no memory or bad medium. */
SLEEPS static struct page *page_for_read(struct kernel *k,
					 struct open_file *file, uint32_t index)
{
	struct inode *inode = file->inode;
	struct page *page = filemap_find(k, inode, index);

	while (!page) {
		readahead_missed(&file->ra);
		if (!filemap_read_page(k, inode, index))
			return NULL;
		page = filemap_find(k, inode, index);
	}
	page_wait_unlocked(k, page);
	if (page_test(page, PG_UPTODATE))
		return page;
	page_put(k, page);
	return NULL;
}

static void copy_out(struct kernel *k, const struct page *page, uint32_t offset,
		     void *to, uint32_t size)
{
	const uint8_t *from = ram_peek(k->ram, page_number(k, page));

	if (from)
		memcpy(to, from + offset, size);
	else
		memset(to, 0, size);
	cpu_charge(k->cpu, (uint64_t)k->cost.copy_4k * size / PAGE_SIZE);
}

/* Copy what this page has of [position, position + size): bytes copied. */
SLEEPS static int64_t read_piece(struct task *task, struct open_file *file,
				 void *to, uint64_t size, uint64_t wanted)
{
	struct kernel *k = task->k;
	uint32_t index = (uint32_t)(file->position >> PAGE_SHIFT);
	uint32_t offset = (uint32_t)(file->position & ~(uint64_t)PAGE_MASK);
	uint64_t piece = PAGE_SIZE - offset;
	bool revisit = file->ra.previous == index;
	struct page *page;

	if (piece > size)
		piece = size;
	readahead_read(
		k, file->inode, &file->ra, index,
		(uint32_t)((offset + wanted + PAGE_SIZE - 1) >> PAGE_SHIFT));
	page = page_for_read(k, file, index);
	if (!page)
		return -1;
	/* consecutive reads of one page count as one use */
	if (!revisit || !offset)
		lru_mark_accessed(k, page);
	copy_out(k, page, offset, to, (uint32_t)piece);
	page_put(k, page);
	return (int64_t)piece;
}

SLEEPS int64_t file_read(struct task *task, struct open_file *file, void *to,
			 uint64_t size, uint64_t wanted)
{
	uint64_t left = file->inode->size > file->position
				? file->inode->size - file->position
				: 0;
	uint64_t done = 0;

	might_sleep(task->k);
	BUG_ON(wanted < size);
	if (size > left)
		size = left;
	if (wanted > left)
		wanted = left;
	while (done < size) {
		int64_t n = read_piece(task, file, (char *)to + done,
				       size - done, wanted - done);

		if (n < 0)
			return done ? (int64_t)done : -1;
		file->position += (uint64_t)n;
		done += (uint64_t)n;
		cpu_spend(task->k->cpu, 0);
	}
	return (int64_t)done;
}
