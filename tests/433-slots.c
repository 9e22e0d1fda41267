/*
 * The slot map: slots in order, runs of 256 free ones, the bounds of what is
 * free; and many random steps beside a map that is searched naively. Source:
 * scan_swap_map of mm/swapfile.c, 2.6.18.
 */
#include "emu/rng.h"
#include "os/kernel.h"

#include <stdlib.h>

struct rig {
	struct cpu cpu;
	struct kernel k;
};

static struct rig *rig_new(uint64_t slots)
{
	struct rig *r = xcalloc(1, sizeof(*r));

	r->cpu.task_system = &r->cpu.nobody[1];
	r->k.cpu = &r->cpu;
	r->k.swap = swap_new(&r->k, NULL, 0, slots);
	return r;
}

static void rig_free(struct rig *r)
{
	swap_free_area(r->k.swap);
	free(r);
}

/* 1, 2, 3 to the last; then none; slot 0 is the header. */
static void test_order(void)
{
	struct rig *r = rig_new(1000);

	for (uint32_t i = 1; i < 1000; i++)
		BUG_ON(swap_get(&r->k) != i);
	BUG_ON(swap_get(&r->k) || r->k.swap->free);
	BUG_ON(r->k.swap->used_most != 999);
	/* the only free one, wherever it is */
	swap_release(&r->k, 500);
	BUG_ON(swap_get(&r->k) != 500);
	swap_release(&r->k, 1);
	BUG_ON(swap_get(&r->k) != 1 || swap_get(&r->k));
	rig_free(r);
}

static void take(struct rig *r, uint32_t count)
{
	while (count--)
		BUG_ON(!swap_get(&r->k));
}

/* After 256 slots a run of 256 free ones is looked for, aligned or not. */
static void test_runs(void)
{
	struct rig *r = rig_new(4096);

	take(r, 256); /* the first run is used up */
	for (uint32_t i = 10; i < 20; i++)
		swap_release(&r->k, i);
	/* ten free ones at 10 are no run: on with 257 */
	BUG_ON(swap_get(&r->k) != 257);
	take(r, 255);
	BUG_ON(r->k.swap->next != 513);
	/* nor are 255 */
	for (uint32_t i = 20; i < 265; i++)
		swap_release(&r->k, i);
	BUG_ON(swap_get(&r->k) != 513);
	take(r, 255);
	swap_release(&r->k, 265);
	BUG_ON(swap_get(&r->k) != 10);
	/* and is gone through to its end, although 5 is free meanwhile */
	swap_release(&r->k, 5);
	for (uint32_t i = 11; i < 266; i++)
		BUG_ON(swap_get(&r->k) != i);
	BUG_ON(swap_get(&r->k) != 769);
	rig_free(r);
}

/* Fewer than 256 free, or none in a row: from the lowest. */
static void test_no_run(void)
{
	struct rig *r = rig_new(1025);

	take(r, 1024);
	for (uint32_t i = 1; i < 1025; i += 2)
		swap_release(&r->k, i);
	BUG_ON(r->k.swap->left); /* four runs of 256 */
	BUG_ON(swap_get(&r->k) != 1);
	BUG_ON(swap_get(&r->k) != 3);
	/* what is freed behind is not seen before 256 have been given */
	swap_release(&r->k, 1);
	for (uint32_t i = 2; i < 256; i++)
		BUG_ON(swap_get(&r->k) != 2 * i + 1);
	BUG_ON(swap_get(&r->k) != 1);
	BUG_ON(swap_get(&r->k) != 513);
	rig_free(r);

	/* the slot before 255 free ones does not make them a run */
	r = rig_new(1025);
	take(r, 1024);
	swap_release(&r->k, 5);
	for (uint32_t i = 10; i < 265; i++)
		swap_release(&r->k, i);
	BUG_ON(swap_get(&r->k) != 5);
	rig_free(r);
}

/* A slot is free with its last reference; half full is not full. */
static void test_references(void)
{
	struct rig *r = rig_new(101);

	BUG_ON(swap_full(&r->k));
	take(r, 50);
	BUG_ON(swap_full(&r->k)); /* 50 free of 100 */
	take(r, 1);
	BUG_ON(!swap_full(&r->k));
	swap_duplicate(&r->k, 51);
	swap_release(&r->k, 51);
	BUG_ON(r->k.swap->free != 49 || !swap_full(&r->k));
	swap_release(&r->k, 51);
	BUG_ON(r->k.swap->free != 50 || swap_full(&r->k));
	rig_free(r);
}

/* What scan_swap_map would give, by looking at everything. */
struct naive {
	uint32_t next, left;
	bool taken[700];
	uint32_t slots;
};

static uint32_t naive_start(const struct naive *n)
{
	uint32_t lowest = 0;
	uint32_t length = 0;

	for (uint32_t i = 1; i < n->slots; i++) {
		length = n->taken[i] ? 0 : length + 1;
		if (length == 256)
			return i - 255;
		if (length && !lowest)
			lowest = i;
	}
	return lowest;
}

static uint32_t naive_get(struct naive *n)
{
	uint32_t at;

	if (!naive_start(n))
		return 0;
	if (n->left) {
		n->left--;
		at = n->next;
	} else {
		n->left = 255;
		at = naive_start(n);
	}
	while (at < n->slots && n->taken[at])
		at++;
	for (uint32_t i = 1; at == n->slots; i++)
		if (!n->taken[i])
			at = i;
	n->taken[at] = true;
	n->next = at + 1 < n->slots ? at + 1 : 1;
	return at;
}

static void test_random(uint32_t slots, uint64_t seed)
{
	struct rig *r = rig_new(slots);
	struct naive n = { .slots = slots, .next = 1 };
	uint64_t getting = 70; /* per cent; waxes and wanes */
	struct rng rng;

	rng_init(&rng, seed, "slots");
	for (int i = 0; i < 5000; i++) {
		uint32_t slot = 1 + (uint32_t)rng_below(&rng, slots - 1);

		if (i % 1000 == 0)
			getting = 20 + rng_below(&rng, 70);
		if (rng_below(&rng, 100) < getting) {
			BUG_ON(swap_get(&r->k) != naive_get(&n));
		} else if (n.taken[slot]) {
			n.taken[slot] = false;
			swap_release(&r->k, slot);
		}
	}
	rig_free(r);
}

int main(void)
{
	test_order();
	test_runs();
	test_no_run();
	test_references();
	for (uint64_t seed = 1; seed <= 10; seed++) {
		test_random(700, seed);
		test_random(40, seed);
	}
	return 0;
}
