/*
 * What must hold at every event boundary, and the fingerprint of the final
 * state.
 *
 * Everything is counted again from the page tables and lists and compared
 * with what the kernel keeps. Frames: free, per-CPU, reserved, table, cache or
 * anonymous, each exactly once. Slots: references equal what refers to them.
 */
#include "os/kernel.h"
#include "os/pgtable.h"

/* What was counted again. */
struct recount {
	struct kernel *k;
	uint32_t *mapped; /* present entries per frame */
	uint16_t *slot;	  /* swap entries per slot */
	uint64_t anon_rss, file_rss, swap_entries; /* of the mm in hand */
};

static bool recount_entry(struct mm *mm, vaddr va, struct pte *e, void *arg)
{
	struct recount *r = arg;
	const struct page *page = &r->k->pages[pte_pfn(*e)];

	(void)va;
	(void)mm;
	if (!pte_present(*e)) {
		r->slot[pte_slot(*e)]++;
		r->swap_entries++;
		return true;
	}
	BUG_ON(pte_pfn(*e) >= r->k->ram->frames || !page->count);
	r->mapped[pte_pfn(*e)]++;
	if (page_test(page, PG_ANON))
		r->anon_rss++;
	else
		r->file_rss++;
	return true;
}

static void check_mm(struct recount *r, struct mm *mm)
{
	uint64_t total = 0;

	r->anon_rss = r->file_rss = r->swap_entries = 0;
	list_each (l, &mm->vmas) {
		const struct vma *vma = container_of(l, struct vma, link);

		total += (vma->end - vma->start) >> PAGE_SHIFT;
		pgtable_each(mm, vma->start, vma->end, recount_entry, r);
	}
	BUG_ON(total != mm->total_vm);
	BUG_ON(r->anon_rss != mm->anon_rss);
	BUG_ON(r->file_rss != mm->file_rss);
	BUG_ON(r->swap_entries != mm->swap_entries);
}

static uint32_t chain_length(const struct kernel *k, uint32_t head)
{
	uint32_t n = 0;

	for (; head != PFN_NONE; head = k->pages[head].next) {
		BUG_ON(!page_test(&k->pages[head], PG_FREE));
		n++;
	}
	return n;
}

static uint32_t list_length(struct kernel *k, const struct zone *z,
			    enum lru_list list)
{
	const struct page *page = lru_tail(k, z, list);
	uint32_t n = 0;

	for (; page; page = lru_towards_head(k, page)) {
		BUG_ON(!page_test(page, PG_LRU));
		BUG_ON(page_test(page, PG_ACTIVE) != (list == LRU_ACTIVE));
		BUG_ON(!page->count || page_zone(k, page) != z);
		n++;
	}
	return n;
}

static void check_zone(struct kernel *k, const struct zone *z)
{
	if (!z->present)
		return;
	BUG_ON(chain_length(k, z->free_head) != z->free);
	for (int i = 0; i < 2; i++)
		BUG_ON(chain_length(k, z->pcp[i].head) != z->pcp[i].count);
	BUG_ON(list_length(k, z, LRU_ACTIVE) != z->nr_active);
	BUG_ON(list_length(k, z, LRU_INACTIVE) != z->nr_inactive);
}

/* References that the page must have; there may be passing ones besides. */
static uint32_t expected_count(const struct recount *r, pfn frame)
{
	const struct kernel *k = r->k;
	const struct page *page = &k->pages[frame];
	uint32_t n = r->mapped[frame];

	if (page_test(page, PG_SWAPCACHE)) {
		BUG_ON(!k->swap || k->swap->cache[page->private] != frame);
		n++;
	}
	return n;
}

static void check_frame(const struct recount *r, pfn frame)
{
	const struct page *page = &r->k->pages[frame];
	uint32_t expected = expected_count(r, frame);

	if (page_test(page, PG_FREE)) {
		BUG_ON(page->count || page->mapcount || expected);
		return;
	}
	BUG_ON(!page->count && !page_test(page, PG_RESERVED));
	BUG_ON(page->mapcount != r->mapped[frame]);
	BUG_ON(page->count < expected);
	BUG_ON(page_test(page, PG_KERNEL) && page_test(page, PG_LRU));
}

static void check_swap(const struct recount *r)
{
	const struct swap *s = r->k->swap;
	uint32_t cached = 0;
	uint32_t free = 0;

	for (uint32_t i = 1; i < s->slots; i++) {
		bool in_cache = s->cache[i] != PFN_NONE;

		BUG_ON(s->map[i] != r->slot[i] + in_cache);
		BUG_ON(!s->map[i] && i >= s->lowest && i > s->highest);
		cached += in_cache;
		free += !s->map[i];
	}
	BUG_ON(cached != s->cached || free != s->free);
}

static void check_files(struct kernel *k)
{
	uint64_t cached = 0;

	for (uint32_t n = 1; n <= fs_count(k->fs); n++) {
		const struct inode *inode = fs_inode(k->fs, n);
		uint32_t here = 0;

		for (uint32_t i = 0; i < inode->pages; i++) {
			const struct page *page;

			if (inode->cache[i] == PFN_NONE)
				continue;
			page = &k->pages[inode->cache[i]];
			BUG_ON(page->owner != n || page->index != i);
			BUG_ON(page_test(page, PG_FREE | PG_ANON));
			here++;
		}
		BUG_ON(here != inode->cached);
		cached += here;
	}
	BUG_ON(cached != k->nr_file_cached);
}

static void check_totals(const struct recount *r)
{
	const struct kernel *k = r->k;
	uint64_t anon = 0;
	uint64_t file = 0;
	uint64_t tables = 0;
	uint64_t writeback = 0;

	for (pfn i = 0; i < k->ram->frames; i++) {
		const struct page *page = &k->pages[i];

		check_frame(r, i);
		if (r->mapped[i] && page_test(page, PG_ANON))
			anon++;
		else if (r->mapped[i])
			file++;
		tables += page_test(page, PG_TABLE);
		writeback += page_test(page, PG_WRITEBACK);
	}
	BUG_ON(anon != k->nr_anon_mapped || file != k->nr_file_mapped);
	BUG_ON(tables != k->nr_page_tables || writeback != k->nr_writeback);
}

static void check_time(const struct cpu *cpu)
{
	const struct cpu_account *a = &cpu->account;

	BUG_ON(a->user + a->system + a->irq + a->idle + a->iowait !=
	       cpu->cycles);
}

void kernel_check(struct kernel *k)
{
	struct recount r = { .k = k };

	r.mapped = xcalloc(k->ram->frames, sizeof(*r.mapped));
	r.slot = xcalloc(k->swap ? k->swap->slots : 1, sizeof(*r.slot));
	list_each (l, &k->mms)
		check_mm(&r, container_of(l, struct mm, all));
	for (int i = 0; i < NR_ZONES; i++)
		check_zone(k, &k->zones.zone[i]);
	check_totals(&r);
	check_files(k);
	if (k->swap)
		check_swap(&r);
	check_time(k->cpu);
	free(r.mapped);
	free(r.slot);
}

static bool digest_entry(struct mm *mm, vaddr va, struct pte *e, void *arg)
{
	(void)mm;
	digest_word(arg, (uint64_t)va << 32 | e->v);
	return true;
}

static void digest_lists(struct kernel *k, struct digest *d)
{
	for (int i = 0; i < NR_ZONES; i++) {
		const struct zone *z = &k->zones.zone[i];

		if (!z->present)
			continue;
		digest_word(d, z->free);
		for (int list = LRU_INACTIVE; list <= LRU_ACTIVE; list++)
			for (const struct page *page =
				     lru_tail(k, z, (enum lru_list)list);
			     page; page = lru_towards_head(k, page))
				digest_word(d, page_number(k, page));
	}
}

void kernel_digest(struct kernel *k, struct digest *d)
{
	list_each (l, &k->mms) {
		struct mm *mm = container_of(l, struct mm, all);

		digest_word(d, mm->id);
		pgtable_each(mm, 0, USER_TOP, digest_entry, d);
	}
	digest_lists(k, d);
	for (pfn i = 0; i < k->ram->frames; i++)
		digest_word(d, k->ram->tag[i]);
	for (uint32_t i = 1; k->swap && i < k->swap->slots; i++)
		digest_word(d, k->swap->map[i]);
	digest_bytes(d, &k->vmstat, sizeof(k->vmstat));
	digest_word(d, k->cpu->account.user);
	digest_word(d, k->cpu->account.system);
	digest_word(d, k->cpu->cycles);
}
