/*
 * qsbench.s against quicksort itself.
 *
 * A small array is really sorted (median of three, no cut-off, left part
 * first), with the pages its two pointers enter; the program must take as
 * many steps and charge for as many comparisons, within a few per cent. At the
 * published size its cycles must add up to the published user time: 12.06 s for
 * three processes at 1.69 GHz.
 */
#include "tests/stepper.h"

#define ELEMENTS_PER_PAGE 1024
#define NO_PAGE		  UINT64_MAX

/* Where the two pointers are, and how often they came to another page. */
struct fingers {
	uint64_t left, right, steps;
};

struct watch {
	struct fingers fingers;
	uint64_t base;
	uint64_t cycles[3]; /* fill, sort, verify */
	unsigned phase;	    /* 1..3, 0 before the first */
	unsigned forks, waits;
	uint64_t partitions;
};

static void at_left(struct fingers *f, uint64_t page)
{
	f->steps += f->left != page;
	f->left = page;
}

static void at_right(struct fingers *f, uint64_t page)
{
	f->steps += f->right != page;
	f->right = page;
}

/* A run of one pointer over pages: the ends are what counts. */
static void run_left(struct fingers *f, uint64_t first, uint64_t last)
{
	at_left(f, first);
	f->steps += last - first;
	f->left = last;
}

static void run_right(struct fingers *f, uint64_t first, uint64_t last)
{
	at_right(f, first);
	f->steps += first - last;
	f->right = last;
}

static void reference(struct stepper *s, const struct insn *in)
{
	struct watch *w = s->arg;
	uint64_t low = s->r[in->a] - w->base;

	if (!w->phase)
		return; /* start-up */
	if (in->op == ISA_SWEEP2) {
		uint64_t split = s->r[in->b] - w->base;
		uint64_t high = s->r[in->c] - w->base;

		BUG_ON(!(low < split && split < high));
		run_left(&w->fingers, low >> 12, (split - 4) >> 12);
		run_right(&w->fingers, (high - 4) >> 12, split >> 12);
		w->cycles[1] += (high - low) / 4 * s->r[in->e];
		w->partitions++;
		return;
	}
	BUG_ON(in->op != ISA_SWEEP || s->r[in->c] != 4);
	w->cycles[w->phase - 1] += s->r[in->b] / 4 * s->r[in->d];
	if (w->phase != 2)
		return;
	BUG_ON(low >> 12 != (low + s->r[in->b] - 4) >> 12);
	at_left(&w->fingers, low >> 12);
	at_right(&w->fingers, low >> 12);
}

static void mark(struct stepper *s, const char *name)
{
	static const char *const names[] = { "fill", "sort", "verify" };
	struct watch *w = s->arg;

	BUG_ON(w->phase >= 3 || strcmp(names[w->phase], name) != 0);
	w->phase++;
}

/* The child of the first fork is what is looked at. */
static void child_call(struct stepper *s)
{
	struct watch *w = s->arg;

	switch (s->r[0]) {
	case 1:
		BUG_ON(s->r[1] != 0);
		s->stopped = true;
		break;
	case 2:
		s->r[0] = 0;
		break;
	case 9:
		w->base = 0x10000000;
		s->r[0] = s->r[1] ? s->r[1] : w->base;
		break;
	default:
		s->r[0] = 3;
	}
}

static void parent_call(struct stepper *s)
{
	struct watch *w = s->arg;

	switch (s->r[0]) {
	case 1:
		BUG_ON(s->r[1] != 0);
		s->stopped = true;
		break;
	case 2:
		s->r[0] = 100 + ++w->forks;
		break;
	case 6:
		BUG_ON(w->waits == w->forks);
		w->waits++;
		stepper_store(s, s->r[1], 8, 0);
		break;
	case 9:
		s->r[0] = s->r[1];
		break;
	default:
		s->r[0] = 3;
	}
}

static struct watch run_child(const char *build, const char *command)
{
	struct watch w = { .fingers = { NO_PAGE, NO_PAGE, 0 } };
	struct stepper s = { .arg = &w,
			     .reference = reference,
			     .syscall = child_call,
			     .mark = mark };

	stepper_start(&s, build, command);
	stepper_run(&s);
	BUG_ON(w.phase != 3);
	BUG_ON(s.deepest > 8192); /* the real one needs one or two pages */
	stepper_finish(&s);
	return w;
}

/* The real thing. */
struct sorter {
	uint32_t *a;
	uint64_t comparisons;
	struct fingers fingers;
};

static uint32_t median(uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t low = x < y ? x : y, high = x < y ? y : x;

	return z < low ? low : z > high ? high : z;
}

static long partition(struct sorter *s, long low, long high)
{
	uint32_t pivot = median(s->a[low], s->a[(low + high) / 2], s->a[high]);
	long i = low - 1, j = high + 1;

	for (;;) {
		do {
			i++;
			s->comparisons++;
			at_left(&s->fingers, (uint64_t)i / ELEMENTS_PER_PAGE);
		} while (s->a[i] < pivot);
		do {
			j--;
			s->comparisons++;
			at_right(&s->fingers, (uint64_t)j / ELEMENTS_PER_PAGE);
		} while (s->a[j] > pivot);
		if (i >= j)
			return j;
		uint32_t x = s->a[i];

		s->a[i] = s->a[j];
		s->a[j] = x;
	}
}

static void quicksort(struct sorter *s, long low, long high)
{
	long split;

	if (low >= high)
		return;
	split = partition(s, low, high);
	quicksort(s, low, split);
	quicksort(s, split + 1, high);
}

static void sort_really(struct sorter *s, long n, uint64_t seed)
{
	s->a = xcalloc((size_t)n, sizeof(*s->a));
	s->fingers = (struct fingers){ NO_PAGE, NO_PAGE, 0 };
	for (long i = 0; i < n; i++)
		s->a[i] = (uint32_t)(rng_step(&seed) >> 33);
	quicksort(s, 0, n - 1);
	for (long i = 1; i < n; i++)
		BUG_ON(s->a[i - 1] > s->a[i]);
	free(s->a);
}

/* |a - b| at most per_mille of b */
static bool near(uint64_t a, uint64_t b, uint64_t per_mille)
{
	return (a > b ? a - b : b - a) * 1000 <= b * per_mille;
}

/* Means over seeds, as one run of quicksort differs from the next. */
static void check_small(const char *build)
{
	uint64_t steps = 0, real_steps = 0, cycles = 0, comparisons = 0;
	const long n = 300000;

	for (unsigned seed = 1; seed <= 8; seed++) {
		struct sorter real = { 0 };
		struct watch w;
		char command[64];

		snprintf(command, sizeof(command), "qsbench -n %ld -s %u", n,
			 seed);
		w = run_child(build, command);
		sort_really(&real, n, seed + 1000);
		steps += w.fingers.steps;
		cycles += w.cycles[1];
		real_steps += real.fingers.steps;
		comparisons += real.comparisons;
	}
	printf("n=%ld: page steps %lu, really %lu; comparisons charged for "
	       "%lu, really %lu\n",
	       n, (unsigned long)steps / 8, (unsigned long)real_steps / 8,
	       (unsigned long)(cycles * 10 / 239 / 8),
	       (unsigned long)comparisons / 8);
	BUG_ON(!near(steps, real_steps, 60));
	BUG_ON(!near(cycles * 10 / 239, comparisons, 50));
}

/* The published size: 12.06 s for three at 1.69 GHz are 6.79e9 each. */
static void check_published(const char *build)
{
	struct watch w = run_child(build, "qsbench -n 9000000 -s 1420300");
	uint64_t total = w.cycles[0] + w.cycles[1] + w.cycles[2];

	printf("n=9000000: cycles fill %lu sort %lu verify %lu, %lu page "
	       "steps, %lu partitions\n",
	       (unsigned long)w.cycles[0], (unsigned long)w.cycles[1],
	       (unsigned long)w.cycles[2], (unsigned long)w.fingers.steps,
	       (unsigned long)w.partitions);
	BUG_ON(w.cycles[0] != 540000000 || w.cycles[2] != 36000000);
	BUG_ON(!near(w.cycles[1], 6218000000, 5));
	BUG_ON(!near(total, 6793800000, 5));
}

static void check_parent(const char *build)
{
	struct watch w = { 0 };
	struct stepper s = { .arg = &w,
			     .reference = reference,
			     .syscall = parent_call,
			     .mark = mark };

	stepper_start(&s, build, "qsbench -p 5");
	stepper_run(&s);
	BUG_ON(w.forks != 5 || w.waits != 5 || w.phase);
	stepper_finish(&s);
}

int main(int argc, char **argv)
{
	BUG_ON(argc != 3);
	check_small(argv[2]);
	check_published(argv[2]);
	check_parent(argv[2]);
	return 0;
}
