/*
 * Faults on file pages: read-around and when it is given up, what is a major
 * fault, private writes, the end of the file, and what unmapping a young page
 * does. Source: filemap_nopage of mm/filemap.c, 2.6.18.
 */
#include "os/queue.h"
#include "tests/mmkit.h"

#define FRAMES 4096u
#define PAGES  1000u /* of the file */

static struct inode *file_of(const struct puppet *p)
{
	return fs_find(p->k->fs, "file");
}

static vaddr at(uint32_t page)
{
	return MM_HEAP + page * PAGE_SIZE;
}

static bool cached(const struct puppet *p, uint32_t page)
{
	return file_of(p)->cache[page] != PFN_NONE;
}

/* Are just the pages from..to cached of those near by? */
static void check_cached(const struct puppet *p, uint32_t from, uint32_t to)
{
	for (uint32_t i = from > 40 ? from - 40 : 0; i < to + 40; i++)
		BUG_ON(cached(p, i) != (i >= from && i < to));
}

static void map_file(struct puppet *p, uint32_t flags)
{
	BUG_ON(mm_map(p->mm, MM_HEAP, mm_bytes(PAGES), flags, file_of(p), 0) !=
	       MM_HEAP);
}

/* 32 pages around the miss; the others are minor faults then. */
static void test_around(struct puppet *p)
{
	struct kernel *k = p->k;
	const struct vma *vma;
	uint64_t major;

	map_file(p, VM_READ);
	vma = mm_find(p->mm, MM_HEAP);
	BUG_ON(touch_as(p, at(100), MMU_READ) != FAULT_MAJOR);
	check_cached(p, 84, 116);
	BUG_ON(vma->mmap_miss != 1 || vma->mmap_hit);
	BUG_ON(k->token.asks || k->vmstat.pgmajfault != 1);
	for (uint32_t i = 84; i < 116; i++)
		BUG_ON(touch_as(p, at(i), MMU_READ) != FAULT_MINOR);
	BUG_ON(vma->mmap_miss != 1 || vma->mmap_hit != 31);
	BUG_ON(p->mm->file_rss != 32);
	BUG_ON(mm_entry(p, 90).v & (PTE_RW | PTE_D));
	BUG_ON(mm_page(p, 90)->flags & PG_ACTIVE);
	BUG_ON(!page_test(mm_page(p, 90), PG_REFERENCED));

	/* near the start there is less to the left */
	BUG_ON(touch_as(p, at(5), MMU_READ) != FAULT_MAJOR);
	check_cached(p, 0, 32);
	/* the indirect block parts 11 from 12: still on its way, so major */
	major = k->vmstat.pgmajfault;
	BUG_ON(touch_as(p, at(20), MMU_READ) != FAULT_MAJOR);
	BUG_ON(k->vmstat.pgmajfault != major + 1 || vma->mmap_miss != 2);
	/* near the end it stops there */
	touch_read(p, at(PAGES - 1));
	BUG_ON(file_of(p)->cached != 32 + 32 + 17);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(PAGES));
}

/* A busy device: the one page alone, and there the token is asked for. */
static void test_congested(struct puppet *p)
{
	map_file(p, VM_READ);
	p->k->file_queue->congested[0] = true;
	BUG_ON(touch_as(p, at(200), MMU_READ) != FAULT_MAJOR);
	check_cached(p, 200, 201);
	BUG_ON(p->k->token.asks != 1);
	/* read-around was tried, so it is a miss and no hit */
	BUG_ON(mm_find(p->mm, MM_HEAP)->mmap_miss != 1);
	BUG_ON(mm_find(p->mm, MM_HEAP)->mmap_hit != 0);
	p->k->file_queue->congested[0] = false;
	mm_unmap(p->mm, MM_HEAP, mm_bytes(PAGES));
}

/*
 * More than 100 misses too many: single pages. Such a page counts as a hit
 * when it is looked up again, so that one real hit brings read-around back.
 */
static void test_misses(struct puppet *p)
{
	struct vma *vma;

	map_file(p, VM_READ);
	vma = mm_find(p->mm, MM_HEAP);
	vma->mmap_miss = 100;
	for (uint32_t i = 0; i < 5; i++) {
		BUG_ON(touch_as(p, at(300 + 2 * i), MMU_READ) != FAULT_MAJOR);
		BUG_ON(cached(p, 301 + 2 * i));
	}
	BUG_ON(vma->mmap_miss != 105 || vma->mmap_hit != 5);
	mm_unmap(p->mm, at(300), PAGE_SIZE);
	mm_map(p->mm, at(300), PAGE_SIZE, VM_READ, file_of(p), 300);
	/* the split halves count on their own from what both had */
	vma = mm_find(p->mm, at(301));
	BUG_ON(vma->mmap_miss != 105 || vma->mmap_hit != 5);
	filemap_read_page(p->k, file_of(p), 302 + 48);
	page_wait_unlocked(p->k, &p->k->pages[file_of(p)->cache[350]]);
	BUG_ON(touch_as(p, at(350), MMU_READ) != FAULT_MINOR);
	BUG_ON(touch_as(p, at(420), MMU_READ) != FAULT_MAJOR);
	check_cached(p, 404, 436);
	BUG_ON(vma->mmap_miss != 106 || vma->mmap_hit != 6);
	BUG_ON(touch_as(p, at(500), MMU_READ) != FAULT_MAJOR);
	check_cached(p, 500, 501);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(PAGES));
}

/* A private write copies at once; the cached page is not mapped. */
static void test_early_copy(struct puppet *p)
{
	struct kernel *k = p->k;
	const struct page *file;
	uint64_t tag = fs_tag(file_of(p), 90);

	map_file(p, VM_READ | VM_WRITE);
	file = &k->pages[file_of(p)->cache[90]];
	BUG_ON(fault_handle(p->task, at(90), MMU_WRITE) != FAULT_MINOR);
	BUG_ON(mm_page(p, 90) == file || !page_test(mm_page(p, 90), PG_ANON));
	BUG_ON(file->mapcount || file->count != 1);
	BUG_ON(!page_test(mm_page(p, 90), PG_ACTIVE));
	BUG_ON(k->ram->tag[pte_pfn(mm_entry(p, 90))] != tag);
	BUG_ON(p->mm->anon_rss != 1 || p->mm->file_rss);
	/* read first: mapped read-only, copied by the write */
	touch_read(p, at(91));
	BUG_ON(mm_page(p, 91)->mapcount != 1 || p->mm->file_rss != 1);
	touch_write(p, at(91));
	BUG_ON(!page_test(mm_page(p, 91), PG_ANON) || p->mm->file_rss);
	BUG_ON(p->mm->anon_rss != 2 || k->vmstat.pgfault_cow != 2);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(PAGES));
}

static void test_end(struct puppet *p)
{
	BUG_ON(mm_map(p->mm, MM_HEAP, mm_bytes(4), VM_READ, file_of(p),
		      PAGES - 2) != MM_HEAP);
	touch_read(p, at(1));
	BUG_ON(touch_as(p, at(2), MMU_READ) != FAULT_BUS);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(4));
}

/* Going away is a use of the page, if its entry was young. */
static void test_unmap_young(struct puppet *p)
{
	struct page *young, *old;

	map_file(p, VM_READ);
	touch_read(p, at(100));
	touch_read(p, at(101));
	young = mm_page(p, 100);
	old = mm_page(p, 101);
	young->flags |= PG_REFERENCED;
	mm_make_old(p, 101);
	old->flags |= PG_REFERENCED;
	BUG_ON((young->flags | old->flags) & PG_ACTIVE);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(PAGES));
	BUG_ON(!page_test(young, PG_ACTIVE) || page_test(old, PG_ACTIVE));
	BUG_ON(young->mapcount || young->count != 1);
}

static void test(struct puppet *p)
{
	fs_install(p->k->fs, "file", NULL, 0, (uint64_t)PAGES * PAGE_SIZE);
	test_around(p);
	test_congested(p);
	test_misses(p);
	test_early_copy(p);
	test_end(p);
	/* the pages near 100 were used twice above: begin anew */
	for (uint32_t i = 100; i < 102; i++) {
		struct page *page = &p->k->pages[file_of(p)->cache[i]];

		mm_deactivate(p->k, page);
		page->flags &= ~(uint32_t)PG_REFERENCED;
	}
	test_unmap_young(p);
}

int main(void)
{
	struct oskit o;

	oskit_init_size(&o, FRAMES);
	o.config.token = token_policies[1]; /* any that counts who asks */
	oskit_boot(&o);
	puppet_run(&o, test, NULL);
	kernel_check(o.k);
	oskit_finish(&o);
	return 0;
}
