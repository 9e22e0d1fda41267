/*
 * Readahead of read(2): the two windows, access by access. Figures: worked
 * out by hand from mm/readahead.c of 2.6.18 for 128 KiB of readahead.
 */
#include "os/queue.h"
#include "tests/mmkit.h"

#define FRAMES 8192u
#define PAGES  2000u

struct step {
	uint32_t index, request;
	uint32_t start, size, ahead_start, ahead_size; /* afterwards */
	uint32_t cached; /* pages of the file in the cache afterwards */
};

static struct inode *fresh(struct puppet *p, const char *name)
{
	return fs_install(p->k->fs, name, NULL, 0, (uint64_t)PAGES * PAGE_SIZE);
}

static void go(struct puppet *p, struct open_file *f, const struct step *s)
{
	const struct readahead *ra = &f->ra;

	readahead_read(p->k, f->inode, &f->ra, s->index, s->request);
	BUG_ON(ra->start != s->start || ra->size != s->size);
	BUG_ON(ra->ahead_start != s->ahead_start);
	BUG_ON(ra->ahead_size != s->ahead_size);
	BUG_ON(f->inode->cached != s->cached);
}

/* From the start, a page at a time: 4, 8, 16, 32, 32 ... */
static void test_sequential(struct puppet *p)
{
	static const struct step steps[] = {
		{ 0, 1, 0, 4, 0, 0, 4 },      { 1, 1, 0, 4, 4, 8, 12 },
		{ 2, 1, 0, 4, 4, 8, 12 },     { 3, 1, 0, 4, 4, 8, 12 },
		{ 3, 1, 0, 4, 4, 8, 12 },     { 4, 1, 4, 8, 12, 16, 28 },
		{ 5, 1, 4, 8, 12, 16, 28 },   { 6, 1, 4, 8, 12, 16, 28 },
		{ 7, 1, 4, 8, 12, 16, 28 },   { 8, 1, 4, 8, 12, 16, 28 },
		{ 9, 1, 4, 8, 12, 16, 28 },   { 10, 1, 4, 8, 12, 16, 28 },
		{ 11, 1, 4, 8, 12, 16, 28 },  { 12, 1, 12, 16, 28, 32, 60 },
		{ 13, 1, 12, 16, 28, 32, 60 }
	};
	struct open_file f;

	file_open(&f, fresh(p, "sequential"));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		go(p, &f, &steps[i]);
	/* and on: always 32 in hand and 32 on the way */
	for (uint32_t i = 14; i < 28; i++)
		readahead_read(p->k, f.inode, &f.ra, i, 1);
	go(p, &f, &(struct step){ 28, 1, 28, 32, 60, 32, 92 });
	for (uint32_t i = 29; i < 60; i++)
		readahead_read(p->k, f.inode, &f.ra, i, 1);
	go(p, &f, &(struct step){ 60, 1, 60, 32, 92, 32, 124 });

	/* a page had gone before it was used: two less, once */
	readahead_missed(&f.ra);
	for (uint32_t i = 61; i < 92; i++)
		readahead_read(p->k, f.inode, &f.ra, i, 1);
	go(p, &f, &(struct step){ 92, 1, 92, 32, 124, 30, 154 });
	for (uint32_t i = 93; i < 124; i++)
		readahead_read(p->k, f.inode, &f.ra, i, 1);
	go(p, &f, &(struct step){ 124, 1, 124, 30, 154, 32, 186 });
}

/* get_init_ra_size, by the size of the first request. */
static void test_first(struct puppet *p)
{
	static const struct {
		uint32_t request, size;
	} rows[] = { { 1, 4 },	 { 2, 4 },   { 3, 8 },	{ 4, 8 },
		     { 5, 16 },	 { 8, 16 },  { 9, 32 }, { 16, 32 },
		     { 31, 32 }, { 32, 32 }, { 99, 32 } };
	char name[] = "first-?";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		/* as much as can be read at once: the next window as well */
		bool both = rows[i].request >= 32;
		struct open_file f;

		name[6] = (char)('a' + i);
		file_open(&f, fresh(p, name));
		go(p, &f,
		   &(struct step){ 0, rows[i].request, 0, rows[i].size,
				   both ? 32 : 0, both ? 32 : 0,
				   both ? 64 : rows[i].size });
	}
}

/* Elsewhere: only what was asked for, and the windows are gone. */
static void test_random(struct puppet *p)
{
	static const struct step steps[] = {
		{ 500, 1, 0, 0, 0, 0, 1 },
		{ 300, 3, 0, 0, 0, 0, 4 },
		{ 900, 40, 0, 0, 0, 0, 36 }, /* 32 at most */
		/* the next page again: sequential from here */
		{ 901, 1, 901, 4, 0, 0, 36 },
		{ 902, 1, 901, 4, 905, 8, 36 },
		{ 100, 1, 0, 0, 0, 0, 37 },
	};
	struct open_file f;

	file_open(&f, fresh(p, "random"));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		go(p, &f, &steps[i]);
}

/* 256 pages found in the cache: no more readahead, until one is missing. */
static void test_in_cache(struct puppet *p)
{
	struct inode *inode = fresh(p, "cached");
	struct open_file f;
	uint32_t i = 0;

	for (uint32_t at = 0; at < 400; at += 32)
		filemap_readahead(p->k, inode, at, 32, false);
	BUG_ON(inode->cached != 416);
	file_open(&f, inode);
	while (f.ra.cache_hit < 256 && i < 300)
		readahead_read(p->k, inode, &f.ra, i++, 1);
	/* 4 + 8 + 16 + 7 * 32 would be 252: the eighth window does it */
	BUG_ON(i < 190 || i > 256);
	BUG_ON(f.ra.size || f.ra.ahead_size);
	for (; i < 500; i++)
		readahead_read(p->k, inode, &f.ra, i, 1);
	BUG_ON(inode->cached != 416);
	readahead_missed(&f.ra);
	readahead_read(p->k, inode, &f.ra, 500, 1);
	BUG_ON(f.ra.start != 500 || f.ra.size != 4 || inode->cached != 420);
}

/* A congested device: no window ahead, unless the reader is there already. */
static void test_congested(struct puppet *p)
{
	struct open_file f;

	file_open(&f, fresh(p, "congested"));
	p->k->file_queue->congested[0] = true;
	go(p, &f, &(struct step){ 0, 1, 0, 4, 0, 0, 4 });
	go(p, &f, &(struct step){ 1, 1, 0, 4, 0, 0, 4 });
	go(p, &f, &(struct step){ 2, 1, 0, 4, 0, 0, 4 });
	go(p, &f, &(struct step){ 3, 1, 0, 4, 0, 0, 4 });
	go(p, &f, &(struct step){ 4, 1, 4, 8, 0, 0, 12 });
	p->k->file_queue->congested[0] = false;
	go(p, &f, &(struct step){ 5, 1, 4, 8, 12, 16, 28 });
}

/* At most half of what is free or inactive. */
static void test_sane(struct puppet *p)
{
	struct kernel *k = p->k;
	uint32_t free = k->zones.zone[0].free;
	uint32_t inactive = k->zones.zone[0].nr_inactive;
	uint32_t others = 0;

	for (int i = 1; i < NR_ZONES; i++)
		others += k->zones.zone[i].free + k->zones.zone[i].nr_inactive;
	BUG_ON(readahead_sane(k, 32) != 32);
	BUG_ON(readahead_sane(k, UINT32_MAX) != (free + inactive + others) / 2);
}

static void test(struct puppet *p)
{
	test_sequential(p);
	test_first(p);
	test_random(p);
	test_in_cache(p);
	test_congested(p);
	test_sane(p);
}

int main(void)
{
	puppet_alone(FRAMES, test);
	return 0;
}
