/*
 * Areas: unmapping in the middle, at the ends and across several; the break;
 * pages stay where they are and reverse mapping still finds them.
 */
#include "tests/mmkit.h"

#define FRAMES 4096u

static unsigned areas(const struct puppet *p)
{
	unsigned n = 0;

	list_each (l, &p->mm->vmas)
		n++;
	return n;
}

static bool count_one(struct vma *vma, vaddr va, struct pte *e, void *arg)
{
	unsigned *n = arg;

	(void)e;
	BUG_ON(va < vma->start || va >= vma->end);
	++*n;
	return true;
}

/* Is each page of these found through its anon_vma, exactly once? */
static void check_found(struct puppet *p, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		unsigned n = 0;

		rmap_each(p->k, mm_page(p, i), count_one, &n);
		BUG_ON(n != 1);
	}
}

static void unmap(struct puppet *p, uint32_t from, uint32_t to)
{
	mm_unmap(p->mm, MM_HEAP + from * PAGE_SIZE,
		 (uint64_t)(to - from) * PAGE_SIZE);
}

static void test_split(struct puppet *p)
{
	uint32_t free;

	mm_fill(p, 20);
	free = mm_free_frames(p->k);
	unmap(p, 8, 12);
	BUG_ON(areas(p) != 2 || p->mm->total_vm != 16);
	BUG_ON(p->mm->anon_rss != 16);
	BUG_ON(mm_free_frames(p->k) != free + 4);
	check_found(p, 0, 8);
	check_found(p, 12, 20);
	BUG_ON(touch_as(p, MM_HEAP + 8 * PAGE_SIZE, MMU_READ) != FAULT_SEGV);
	BUG_ON(touch_as(p, MM_HEAP + 12 * PAGE_SIZE - 1, MMU_READ) !=
	       FAULT_SEGV);
	touch_read(p, MM_HEAP + 12 * PAGE_SIZE);

	/* the gap again: its neighbours end and begin there */
	unmap(p, 8, 12);
	BUG_ON(areas(p) != 2 || p->mm->total_vm != 16);
	/* the end of one, all of a gap, the start of the next */
	unmap(p, 6, 14);
	BUG_ON(areas(p) != 2 || p->mm->total_vm != 12);
	/* the start, the end, nothing */
	unmap(p, 0, 1);
	unmap(p, 19, 25);
	unmap(p, 30, 40);
	BUG_ON(areas(p) != 2 || p->mm->total_vm != 10);
	check_found(p, 1, 6);
	check_found(p, 14, 19);
	/* both and more at once */
	unmap(p, 0, 40);
	BUG_ON(areas(p) || p->mm->total_vm || p->mm->anon_rss);
	BUG_ON(mm_free_frames(p->k) != free + 20);
}

/* The second half of a file mapping still shows the second half. */
static void test_split_file(struct puppet *p)
{
	struct inode *inode = fs_install(p->k->fs, "f", NULL, 0, 40960);
	const struct vma *vma;

	BUG_ON(mm_map(p->mm, MM_HEAP, mm_bytes(8), VM_READ, inode, 2) !=
	       MM_HEAP);
	unmap(p, 3, 5);
	vma = mm_find(p->mm, MM_HEAP + 5 * PAGE_SIZE);
	BUG_ON(areas(p) != 2 || vma->offset != 7 || vma->inode != inode);
	touch_read(p, MM_HEAP + 6 * PAGE_SIZE);
	BUG_ON(mm_page(p, 6)->index != 8);
	BUG_ON(p->k->ram->tag[pte_pfn(mm_entry(p, 6))] != fs_tag(inode, 8));
	unmap(p, 0, 8);
	BUG_ON(!list_empty(&inode->mappings));
}

/* mmap: free places only, the lowest gap; neighbours join. */
static void test_map(struct puppet *p)
{
	const uint32_t rw = VM_READ | VM_WRITE;
	struct mm *mm = p->mm;

	BUG_ON(mm_map(mm, 0, mm_bytes(5), rw, NULL, 0) != MMAP_BASE);
	BUG_ON(mm_map(mm, MMAP_BASE + 4 * PAGE_SIZE, PAGE_SIZE, rw, NULL, 0));
	BUG_ON(mm_map(mm, 0, 3000, rw, NULL, 0) != MMAP_BASE + 5 * PAGE_SIZE);
	BUG_ON(areas(p) != 1 || mm->total_vm != 6);
	BUG_ON(mm_map(mm, 0, 1, VM_READ, NULL, 0) != MMAP_BASE + 6 * PAGE_SIZE);
	BUG_ON(areas(p) != 2);
	mm_unmap(mm, MMAP_BASE + PAGE_SIZE, mm_bytes(2));
	BUG_ON(mm_map(mm, 0, mm_bytes(3), VM_READ, NULL, 0) !=
	       MMAP_BASE + 7 * PAGE_SIZE);
	BUG_ON(mm_map(mm, 0, mm_bytes(2), VM_READ, NULL, 0) !=
	       MMAP_BASE + PAGE_SIZE);
	/* nothing, too much, crooked */
	BUG_ON(mm_map(mm, 0, 0, rw, NULL, 0));
	BUG_ON(mm_map(mm, 0, USER_TOP, rw, NULL, 0));
	BUG_ON(mm_map(mm, USER_TOP - PAGE_SIZE, mm_bytes(2), rw, NULL, 0));
	BUG_ON(mm_map(mm, MM_HEAP + 1, PAGE_SIZE, rw, NULL, 0));
	mm_unmap(mm, MMAP_BASE, mm_bytes(100));
	BUG_ON(areas(p));
}

/* Grow, shrink, grow: what was given back comes again as zeroes. */
static void test_break(struct puppet *p)
{
	struct mm *mm = p->mm;
	uint32_t free = 0;

	mm->brk_start = mm->brk = MM_HEAP + 100;
	BUG_ON(mm_brk(mm, 0) != MM_HEAP + 100);
	BUG_ON(mm_brk(mm, MM_HEAP + 10 * PAGE_SIZE) != mm->brk);
	BUG_ON(mm->total_vm != 9); /* the page it begins in is the image's */
	for (uint32_t i = 1; i < 10; i++)
		touch_write(p, MM_HEAP + i * PAGE_SIZE);
	lru_drain(p->k);
	free = mm_free_frames(p->k);
	/* into the middle of page 4, which stays */
	BUG_ON(mm_brk(mm, MM_HEAP + 4 * PAGE_SIZE + 8) != mm->brk);
	BUG_ON(mm->total_vm != 4 || mm->anon_rss != 4);
	BUG_ON(mm_free_frames(p->k) != free + 5);
	BUG_ON(touch_as(p, MM_HEAP + 5 * PAGE_SIZE, MMU_READ) != FAULT_SEGV);
	BUG_ON(mm_brk(mm, MM_HEAP + 6 * PAGE_SIZE) != mm->brk);
	touch_read(p, MM_HEAP + 5 * PAGE_SIZE);
	BUG_ON(pte_pfn(mm_entry(p, 5)) != p->k->zero_page);
	/* something in the way: it stays where it is */
	mm_area(p, MM_HEAP + 8 * PAGE_SIZE, 1);
	BUG_ON(mm_brk(mm, MM_HEAP + 9 * PAGE_SIZE) != MM_HEAP + 6 * PAGE_SIZE);
	unmap(p, 0, 10);
}

static void test(struct puppet *p)
{
	test_split(p);
	test_split_file(p);
	test_map(p);
	test_break(p);
}

int main(void)
{
	puppet_alone(FRAMES, test);
	return 0;
}
