/*
 * Fork and exit: what is copied, what the child faults in again, who copies
 * on a write, shared swap entries; and that nothing is left over afterwards.
 * Source: dup_mmap and copy_page_range of 2.6.18.
 */
#include "tests/mmkit.h"

#define FRAMES 4096u
#define OTHER  0x20000000u /* an area without anonymous pages */
#define TEXT   0x30000000u /* of a file */

static struct pte entry_of(const struct mm *mm, vaddr va)
{
	return pgtable_read(mm, va);
}

/* What fork copies: areas with anonymous pages, and no others. */
static void test_what(struct puppet *p)
{
	struct kernel *k = p->k;
	struct inode *inode = fs_install(k->fs, "f", NULL, 0, 40960);
	struct mm *child;
	uint64_t faults;

	mm_fill(p, 2);
	mm_area(p, OTHER, 4);
	touch_read(p, OTHER); /* the zero page only */
	mm_map(p->mm, TEXT, mm_bytes(4), VM_READ | VM_EXEC, inode, 0);
	touch_read(p, TEXT);
	child = mm_copy(p);
	BUG_ON(child->total_vm != p->mm->total_vm);
	BUG_ON(child->anon_rss != 2 || child->file_rss);
	BUG_ON(!pte_none(entry_of(child, OTHER)));
	BUG_ON(!pte_none(entry_of(child, TEXT)));

	child = mm_switch(p, child);
	faults = p->task->self.minor_faults;
	touch_read(p, TEXT);
	touch_read(p, OTHER);
	touch_read(p, MM_HEAP);
	BUG_ON(p->task->self.minor_faults != faults + 2);
	BUG_ON(p->task->self.major_faults > 1); /* the parent's, of TEXT */
	child = mm_switch(p, child);

	/* the zero page in an area that has others as well is copied */
	mm_unmap(child, 0, USER_TOP);
	mm_put(child);
	touch_write(p, OTHER + PAGE_SIZE);
	child = mm_copy(p);
	BUG_ON(child->anon_rss != 3 || child->file_rss != 1);
	BUG_ON(pte_pfn(entry_of(child, OTHER)) != k->zero_page);
	mm_put(child);
	mm_unmap(p->mm, 0, USER_TOP);
}

/* Both lose the right to write; the first writer copies, the second not. */
static void test_copy_on_write(struct puppet *p)
{
	struct kernel *k = p->k;
	uint64_t tag, copies = k->vmstat.pgfault_cow;
	const struct page *page;
	struct mm *child;
	uint32_t free;

	mm_fill(p, 1);
	page = mm_page(p, 0);
	tag = k->ram->tag[pte_pfn(mm_entry(p, 0))];
	child = mm_copy(p);
	BUG_ON(page->count != 2 || page->mapcount != 2);
	BUG_ON(k->nr_anon_mapped != 1);
	BUG_ON(mm_entry(p, 0).v & PTE_RW);
	BUG_ON(entry_of(child, MM_HEAP).v & (PTE_RW | PTE_A));
	BUG_ON(!(entry_of(child, MM_HEAP).v & PTE_D));
	free = mm_free_frames(k);

	/* the parent's old translation could write: it must be gone */
	touch_write(p, MM_HEAP);
	BUG_ON(mm_page(p, 0) == page || page->mapcount != 1);
	BUG_ON(mm_free_frames(k) != free - 1);
	BUG_ON(k->ram->tag[page_number(k, page)] != tag);
	BUG_ON(k->ram->tag[pte_pfn(mm_entry(p, 0))] == tag);

	child = mm_switch(p, child);
	touch_write(p, MM_HEAP);
	BUG_ON(mm_page(p, 0) != page || mm_free_frames(k) != free - 1);
	BUG_ON(k->vmstat.pgfault_cow != copies + 1);
	child = mm_switch(p, child);
	lru_drain(k);
	mm_put(child);
	/* back come two tables and its page, less the one that was copied */
	BUG_ON(mm_free_frames(k) != free + 3 - 1);
	mm_unmap(p->mm, 0, USER_TOP);
}

/* A page that was forked is found in every address space that maps it. */
static bool count_one(struct vma *vma, vaddr va, struct pte *e, void *arg)
{
	unsigned *n = arg;

	(void)vma;
	(void)va;
	(void)e;
	++*n;
	return true;
}

static void test_found(struct puppet *p)
{
	struct mm *child[3];
	unsigned n = 0;

	mm_fill(p, 1);
	for (int i = 0; i < 3; i++)
		child[i] = mm_copy(p);
	rmap_each(p->k, mm_page(p, 0), count_one, &n);
	BUG_ON(n != 4);
	mm_put(child[1]);
	n = 0;
	rmap_each(p->k, mm_page(p, 0), count_one, &n);
	BUG_ON(n != 3);
	/* every young entry counts; a copied one is old */
	BUG_ON(rmap_referenced(p->k, mm_page(p, 0), true) != 1);
	BUG_ON(rmap_referenced(p->k, mm_page(p, 0), true) != 0);
	for (int i = 0; i < 3; i += 2) {
		child[i] = mm_switch(p, child[i]);
		touch_read(p, MM_HEAP);
		child[i] = mm_switch(p, child[i]);
	}
	BUG_ON(rmap_referenced(p->k, mm_page(p, 0), true) != 2);
	mm_put(child[0]);
	mm_put(child[2]);
	mm_unmap(p->mm, 0, USER_TOP);
}

/* Swapped out, then forked: the slot has two users, a write copies. */
static void test_swapped(struct puppet *p)
{
	struct kernel *k = p->k;
	uint64_t checked = k->integrity.checked;
	uint64_t copies;
	struct mm *child;
	uint32_t slot;

	mm_fill(p, 1);
	mm_push_out(p, 0);
	slot = pte_slot(mm_entry(p, 0));
	BUG_ON(!slot || k->swap->map[slot] != 1);
	child = mm_copy(p);
	BUG_ON(k->swap->map[slot] != 2 || child->swap_entries != 1);
	copies = k->vmstat.pgfault_cow;
	touch_write(p, MM_HEAP);
	BUG_ON(k->vmstat.pgfault_cow != copies + 1);
	BUG_ON(mm_page(p, 0)->flags & PG_SWAPCACHE);
	/* the other one, and the cache */
	BUG_ON(k->swap->map[slot] != 2);
	/* now it is the child's alone: no copy, and the slot stays with it */
	child = mm_switch(p, child);
	touch_read(p, MM_HEAP);
	BUG_ON(mm_entry(p, 0).v & (PTE_RW | PTE_D));
	touch_write(p, MM_HEAP);
	BUG_ON(k->vmstat.pgfault_cow != copies + 1);
	BUG_ON(!page_test(mm_page(p, 0), PG_SWAPCACHE));
	BUG_ON(k->swap->map[slot] != 1);
	child = mm_switch(p, child);
	mm_put(child);
	BUG_ON(k->swap->map[slot] || k->swap->free != k->swap->total);
	mm_unmap(p->mm, 0, USER_TOP);
	/* the tag was compared for each of the two */
	BUG_ON(k->integrity.checked != checked + 2);
	BUG_ON(k->integrity.mismatches);
}

static void test(struct puppet *p)
{
	test_what(p);
	test_copy_on_write(p);
	test_found(p);
	test_swapped(p);
}

enum { EXIT = 1, FORK, WAIT = 6 };

/* 200 children, each writes its bss and leaves; ten at a time. */
static void install_parent(struct oskit *o)
{
	struct oskit_program p = { 0 };
	unsigned next, child, wait;

	emit_li(&p, 8, OSKIT_DATA);
	emit_li(&p, 9, OSKIT_BSS * 4096LL);
	emit_li(&p, 10, 4096);
	emit_li(&p, 11, 1000);
	emit(&p, (struct insn){ .op = ISA_SWEEP,
				.flags = ISA_WRITE,
				.a = 8,
				.b = 9,
				.c = 10,
				.d = 11 });
	emit_li(&p, 6, 200);
	emit_li(&p, 12, 0);
	next = p.nr;
	emit_sys(&p, FORK, 0, 0);
	child = emit_branch(&p, ISA_BEQ, 0, 12);
	emit_sys(&p, WAIT, 0, 0);
	emit(&p, (struct insn){ .op = ISA_SUB,
				.flags = ISA_IMM,
				.a = 6,
				.b = 6,
				.imm = 1 });
	wait = emit_branch(&p, ISA_BEQ, 6, 12);
	emit_loop(&p, next);
	aim(&p, child);
	emit(&p, (struct insn){ .op = ISA_SWEEP,
				.flags = ISA_WRITE,
				.a = 8,
				.b = 9,
				.c = 10,
				.d = 11 });
	aim(&p, wait);
	emit_sys(&p, EXIT, 0, 0);
	install(o, "parent", &p);
}

/* Frames, slots, areas and tasks: as many as before. */
static void test_nothing_left(void)
{
	struct oskit o;
	uint32_t free;
	struct ending e;

	oskit_init_size(&o, FRAMES);
	oskit_boot(&o);
	install_parent(&o);
	BUG_ON(oskit_run(&o, "parent").status);
	lru_drain(o.k);
	free = mm_free_frames(o.k);
	e = oskit_run(&o, "parent");
	lru_drain(o.k);
	BUG_ON(e.status || e.signal);
	/* each child and the parent write five pages that they share */
	BUG_ON(e.usage.minor_faults < 1000);
	BUG_ON(mm_free_frames(o.k) != free);
	BUG_ON(o.k->swap->free != o.k->swap->total);
	BUG_ON(o.k->nr_page_tables || o.k->nr_anon_mapped);
	BUG_ON(!list_empty(&o.k->mms));
	kernel_check(o.k);
	oskit_finish(&o);
}

int main(void)
{
	puppet_alone(FRAMES, test);
	test_nothing_left();
	return 0;
}
