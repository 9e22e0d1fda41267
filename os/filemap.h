/*
 * Page locks, writeback, and the page cache of files; models mm/filemap.c
 * and mm/readahead.c of 2.6.18.
 */
#pragma once

#include "os/fs.h"
#include "os/page.h"

/*
 * The page lock: held while content comes in or a mapping changes. Waiting
 * for it starts the device the page comes from.
 */
SLEEPS void page_lock(struct kernel *k, struct page *page);
bool page_trylock(struct page *page);
void page_unlock(struct kernel *k, struct page *page);

/* Sleep until nobody holds the lock. */
SLEEPS void page_wait_unlocked(struct kernel *k, struct page *page);

/* A write has ended: rotate what reclaim wants, wake waiters. Callback. */
void page_writeback_ended(struct kernel *k, struct page *page);

/* The cached page of a file, with a reference of the caller's; or NULL. */
struct page *filemap_find(struct kernel *k, struct inode *inode,
			  uint32_t index);

/* Out of the page cache; drops the cache's reference. Locked page. */
void filemap_remove(struct kernel *k, struct page *page);

/*
 * Read whatever of [index, index + count) is not cached, without waiting.
 * False, and nothing done, if the device is congested and polite is set
 * (do_page_cache_readahead).
 */
SLEEPS bool filemap_readahead(struct kernel *k, struct inode *inode,
			      uint32_t index, uint32_t count, bool polite);

/* Start reading one page (page_cache_read). False: no memory. */
SLEEPS bool filemap_read_page(struct kernel *k, struct inode *inode,
			      uint32_t index);

/* The two-window readahead of read(2) (page_cache_readahead). */
SLEEPS void readahead_read(struct kernel *k, struct inode *inode,
			   struct readahead *ra, uint32_t index,
			   uint32_t request);

/* A page that should have been read ahead was not there. */
void readahead_missed(struct readahead *ra);

/* At most this many pages make sense now (max_sane_readahead). */
uint32_t readahead_sane(const struct kernel *k, uint32_t pages);

#define READAHEAD_PAGES 32 /* VM_MAX_READAHEAD, 128 KiB */
