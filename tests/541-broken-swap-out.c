/*
 * The swap-out path with a fault built in: os/swap_cache.c is compiled into
 * this test once more, with some writes lost or sent to the wrong slot. The
 * tags must tell how many.
 */
#include "tests/mmkit.h"

#include "os/queue.h"

#define FRAMES 2048u /* 8 MiB */
#define PAGES  4000u

enum fault_kind { SOUND, LOSE, MISPLACE };

struct saboteur {
	enum fault_kind kind;
	bool armed;
	unsigned writes, spoilt;
};

/* What the copy below calls in place of block_submit: every 50th is spoilt. */
SLEEPS static void bad_submit(struct queue *q, struct bio *bio)
{
	struct saboteur *s = q->k->on_mark_arg;

	if (!bio->write || !s->armed || ++s->writes % 50) {
		block_submit(q, bio);
		return;
	}
	s->spoilt++;
	if (s->kind == LOSE) {
		bio->end(q->k, bio, DISK_OK);
		bio_release(q, bio);
		return;
	}
	/* into slots that are not in use yet */
	if (s->kind == MISPLACE)
		bio->start += (sector)10000 * SECTORS_PER_PAGE;
	block_submit(q, bio);
}

#define block_submit bad_submit /* NOLINT(readability-identifier-naming) */
#include "os/swap_cache.c"	/* NOLINT(bugprone-suspicious-include) */
#undef block_submit

static void fill_and_read(struct puppet *p)
{
	struct saboteur *s = p->k->on_mark_arg;

	mm_area(p, MM_HEAP, PAGES);
	s->armed = true;
	for (uint32_t i = 0; i < PAGES; i++) {
		cpu_spend(p->k->cpu, 200 * NSEC_PER_USEC);
		touch_write(p, MM_HEAP + i * PAGE_SIZE);
	}
	s->armed = false;
	for (uint32_t i = 0; i < PAGES; i++)
		touch_read(p, MM_HEAP + i * PAGE_SIZE);
}

/* Each spoilt page is met once when all are read again. */
static void test(enum fault_kind kind)
{
	struct saboteur s = { .kind = kind };
	struct oskit o;

	oskit_init_size(&o, FRAMES);
	oskit_boot(&o);
	o.k->on_mark_arg = &s;
	puppet_run(&o, fill_and_read, NULL);
	kernel_check(o.k);
	BUG_ON(s.spoilt < 30 || o.k->integrity.checked < 2000);
	BUG_ON(o.k->integrity.mismatches != (kind == SOUND ? 0 : s.spoilt));
	oskit_finish(&o);
}

int main(void)
{
	test(SOUND);
	test(LOSE);
	test(MISPLACE);
	return 0;
}
