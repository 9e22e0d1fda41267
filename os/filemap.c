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

static sector sector_of(const struct inode *inode, uint32_t index)
{
	return (inode->first_block + index) * SECTORS_PER_PAGE;
}

/* One bio over pages that follow each other in the file, all inserted. */
SLEEPS static void submit_run(struct kernel *k, struct inode *inode,
			      struct page **page, uint32_t count)
{
	struct bio *bio =
		bio_new(k->file_queue, sector_of(inode, page[0]->index), false,
			read_ended);

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

/* mpage_readpages: into the cache and the LRU, in runs, then to the disk. */
SLEEPS static void read_pool(struct kernel *k, struct inode *inode,
			     struct pool *p)
{
	struct pagevec vec = { 0 };
	struct page *run[BIO_MAX_PAGES];
	uint32_t most = queue_max_pages(k->file_queue), length = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		struct page *page = p->page[i];

		if (inode->cache[p->index[i]] != PFN_NONE) {
			page_put(k, page); /* read by somebody meanwhile */
			continue;
		}
		insert(k, inode, p->index[i], page);
		if (length && (length == most ||
			       run[length - 1]->index + 1 != p->index[i])) {
			submit_run(k, inode, run, length);
			length = 0;
		}
		run[length++] = page;
		/* the vector takes over the reference from the allocation */
		vec.page[vec.count++] = page_number(k, page);
		if (vec.count == PAGEVEC_SIZE)
			lru_flush(k, &vec);
	}
	lru_flush(k, &vec);
	if (length)
		submit_run(k, inode, run, length);
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
				 void *to, uint64_t size)
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
		(uint32_t)((offset + size + PAGE_SIZE - 1) >> PAGE_SHIFT));
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
			 uint64_t size)
{
	uint64_t left = file->inode->size > file->position
				? file->inode->size - file->position
				: 0;
	uint64_t done = 0;

	might_sleep(task->k);
	if (size > left)
		size = left;
	while (done < size) {
		int64_t n =
			read_piece(task, file, (char *)to + done, size - done);

		if (n < 0)
			return done ? (int64_t)done : -1;
		file->position += (uint64_t)n;
		done += (uint64_t)n;
		cpu_spend(task->k->cpu, 0);
	}
	return (int64_t)done;
}
