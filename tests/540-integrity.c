/*
 * Content under pressure: a swapping machine mixes nothing up, and every way
 * in which content can be lost or mixed up behind its back is noticed.
 */
#include "tests/mmkit.h"

#define FRAMES 2048u /* 8 MiB */
#define PAGES  4000u /* of MM_HEAP: twice the memory */

static void at_rest(struct puppet *p)
{
	while (p->k->nr_writeback)
		congestion_wait(p->k, true, NSEC_PER_SEC / 10);
}

/* What an address space must hold, by its own account. */
struct space {
	struct mm *mm;
	uint64_t tag[PAGES];
};

/* One access, by the model as well, and a look at what is there. */
static void access_both(struct puppet *p, struct space *s, uint32_t page,
			bool write)
{
	vaddr va = MM_HEAP + page * PAGE_SIZE;
	struct kernel *k = p->k;
	pfn frame;

	/* a bit slower than the disk, or it ends out of memory */
	cpu_spend(k->cpu, 200 * NSEC_PER_USEC);
	if (write) {
		touch_write(p, va);
		s->tag[page] += s->mm->key * (2 * (uint64_t)(va >> 12) + 1);
	} else {
		touch_read(p, va);
	}
	frame = mmu_translate(&k->cpu->mmu, va, MMU_READ, true).frame;
	BUG_ON(k->ram->tag[frame] != s->tag[page]);
}

/* Random reads and writes all over, half of them by a forked child. */
static void churn(struct puppet *p)
{
	struct kernel *k = p->k;
	struct space *space = xcalloc(2, sizeof(*space));
	uint64_t state = 12345;

	mm_area(p, MM_HEAP, PAGES);
	space[0].mm = p->mm;
	for (uint32_t i = 0; i < PAGES; i++)
		access_both(p, &space[0], i, true);
	space[1] = space[0];
	space[1].mm = mm_copy(p);
	for (uint32_t i = 0; i < 16000; i++) {
		uint64_t draw = rng_step(&state);
		struct space *s = &space[i / 100 & 1];
		/* one in four is to what was touched last before the fork */
		uint32_t n = draw & 6 ? PAGES : 32;
		uint32_t page = PAGES - 1 - (uint32_t)rng_scale(draw, n);

		if (p->mm != s->mm)
			mm_switch(p, s->mm);
		access_both(p, s, page, draw & 1);
		if (i % 2000 == 0)
			kernel_check(k);
	}
	mm_switch(p, space[0].mm);
	mm_put(space[1].mm);
	free(space);
	BUG_ON(k->vmstat.pswpout < 4000 || k->vmstat.pswpin < 4000);
	BUG_ON(k->vmstat.pgfault_cow < 100 || k->vmstat.oom_kill);
	BUG_ON(k->integrity.checked < 4000 || k->integrity.mismatches);
}

/* Pages 0 and 1 in swap, in slots of their own, at rest. */
static void two_out(struct puppet *p, uint64_t *block)
{
	mm_fill(p, 2);
	for (uint32_t i = 0; i < 2; i++) {
		mm_push_out(p, i);
		block[i] = p->k->swap->first + pte_slot(mm_entry(p, i));
	}
}

/* Reading both back finds so many that are wrong. */
static void check_wrong(struct puppet *p, uint64_t wrong)
{
	uint64_t before = p->k->integrity.mismatches;

	touch_read(p, MM_HEAP);
	touch_read(p, MM_HEAP + PAGE_SIZE);
	BUG_ON(p->k->integrity.mismatches - before != wrong);
	mm_unmap(p->mm, MM_HEAP, mm_bytes(2));
}

static uint64_t tag_of(struct puppet *p, uint64_t block)
{
	uint8_t bytes[PAGE_SIZE];
	uint64_t tag;

	media_read(p->o->media[1], block, &tag, bytes);
	return tag;
}

static void test_media(struct puppet *p)
{
	struct media *media = p->o->media[1];
	uint64_t block[2];
	uint64_t tag;

	two_out(p, block);
	check_wrong(p, 0);
	/* two blocks changed places */
	two_out(p, block);
	tag = tag_of(p, block[0]);
	media_write(media, block[0], tag_of(p, block[1]), NULL);
	media_write(media, block[1], tag, NULL);
	check_wrong(p, 2);
	/* one was zeroed */
	two_out(p, block);
	media_write(media, block[1], 0, NULL);
	check_wrong(p, 1);
	/* a write was lost: the block is as it was the time before */
	two_out(p, block);
	tag = tag_of(p, block[0]);
	touch_write(p, MM_HEAP);
	mm_push_out(p, 0);
	BUG_ON(tag == tag_of(p, block[0]));
	media_write(media, block[0], tag, NULL);
	check_wrong(p, 1);
}

/* The page went bad in memory, in the swap cache, on its way. */
static void test_memory(struct puppet *p)
{
	struct kernel *k = p->k;
	uint64_t block[2];
	struct page *page;

	two_out(p, block);
	page = swap_read(k, pte_slot(mm_entry(p, 0)));
	page_wait_unlocked(k, page);
	k->ram->tag[page_number(k, page)] ^= 1;
	page_put(k, page);
	check_wrong(p, 1);
}

/* A file page that is not what the disk has. */
static void test_file(struct puppet *p)
{
	struct kernel *k = p->k;
	struct inode *inode = fs_install(k->fs, "f", NULL, 0, 8192);
	uint64_t before = k->integrity.mismatches;

	mm_map(p->mm, MM_HEAP, 8192, VM_READ, inode, 0);
	touch_read(p, MM_HEAP);
	BUG_ON(k->integrity.mismatches != before);
	k->ram->tag[inode->cache[1]]++;
	touch_read(p, MM_HEAP + PAGE_SIZE);
	BUG_ON(k->integrity.mismatches != before + 1);
	mm_unmap(p->mm, MM_HEAP, 8192);
}

static void test_noticed(struct puppet *p)
{
	test_media(p);
	test_memory(p);
	test_file(p);
	at_rest(p);
}

/* The first slots are the first blocks, so that a test can name them. */
static void run(void (*fn)(struct puppet *p))
{
	struct oskit o;

	oskit_init_size(&o, FRAMES);
	BUG_ON(o.config.swap_first);
	oskit_boot(&o);
	puppet_run(&o, fn, NULL);
	kernel_check(o.k);
	oskit_finish(&o);
}

int main(void)
{
	run(churn);
	run(test_noticed);
	return 0;
}
