/*
 * noop: first come, first served, and a merge hint that sticks.
 */
#include "tests/blockkit.h"

#define A 8000u
#define B 16000u

/* The hint stays with A, the older request, until A goes to the device. */
static void sticky(void *arg)
{
	struct bk *b = arg;

	bk_io(b, 0, A, 1, true);
	bk_io(b, 0, B, 1, true);
	bk_io(b, 0, B + 8, 1, true); /* touches B, but B is not the hint */
	BUG_ON(queue_in_use(b->q) != 3 || !b->q->plugged);
	bk_io(b, 0, A + 8, 1, true); /* A is */
	BUG_ON(queue_in_use(b->q) != 3);
	BUG_ON(queue_stats(b->q)->back_merges != 1);
	queue_unplug(b->q);

	/* A is at the device; the next request becomes the hint */
	bk_io(b, 0, B + 16, 1, true);
	BUG_ON(queue_in_use(b->q) != 4);
	bk_io(b, 0, B + 24, 1, true);
	BUG_ON(queue_in_use(b->q) != 4);
	bk_wait(b, 0);
	BUG_ON(b->logged != 4);
	BUG_ON(b->log[0].start != A || b->log[0].sectors != 16);
	BUG_ON(b->log[1].start != B || b->log[1].sectors != 8);
	BUG_ON(b->log[2].start != B + 8 || b->log[2].sectors != 8);
	BUG_ON(b->log[3].start != B + 16 || b->log[3].sectors != 16);
}

/* A hint that is full is dropped, and the next request takes its place. */
static void full_hint(void *arg)
{
	struct bk *b = arg;

	bk_io(b, 0, A, 32, true);
	for (unsigned i = 1; i < 4; i++)
		bk_io(b, 0, A + (sector)i * 256, 32, true);
	bk_io(b, 0, A + 1024, 1, true); /* refused: A is full */
	BUG_ON(queue_in_use(b->q) != 2);
	bk_io(b, 0, A + 1032, 1, true);
	BUG_ON(queue_in_use(b->q) != 2);
	queue_unplug(b->q);
	bk_wait(b, 0);
}

/* Old and new swap slots of two writers: no order but the queue's own. */
static void in_order(void *arg)
{
	struct bk *b = arg;
	static const sector at[] = { 900, 100, 700, 300 };

	for (unsigned i = 0; i < 4; i++)
		bk_io(b, 0, at[i] * 8, 1, i % 2);
	bk_wait(b, 0);
	for (unsigned i = 0; i < 4; i++)
		BUG_ON(b->log[i].start != at[i] * 8);
}

static void run_one(void (*fn)(void *arg))
{
	struct bk *b = bk_new("noop", NULL, 250, 1, 2 * NSEC_PER_MSEC);

	kthread_new(&b->k, "test", fn, b);
	bk_run(b);
	BUG_ON(b->bios_done == 0);
	bk_free(b);
}

int main(void)
{
	run_one(sticky);
	run_one(full_hint);
	run_one(in_order);
	return 0;
}
