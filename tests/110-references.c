/*
 * A reference instruction is the loop of loads and stores it stands for.
 *
 * Each case runs twice. Once as the instruction, with events every few
 * nanoseconds of simulated time; once as its definition in cpu/isa.h, written
 * out element by element, every element a load, store or fetch of its own.
 * Both have a pager that keeps three pages and forgets the oldest, so the
 * sequence of faults tells the order of all page visits. Compared: faults,
 * tags, A and D, bytes, registers, TLB counts, and the cycles.
 *
 * A second round has the events take pages away, clear A bits or forbid
 * writing at random; then what was touched and written must still agree.
 */
#include "tests/cpukit.h"

#include "emu/rng.h"

#include <stdio.h>
#include <stdlib.h>

#define BASE	   0x00800000u
#define PAGES	   1024u /* data pages: vpn of BASE + i is in frame DATA + i */
#define RESIDENT   3
#define FAULTS_MAX 65536
#define KHZ	   1694500

/* One instruction and the registers it is run with. */
struct ref_case {
	struct insn in;
	uint64_t r[6]; /* r1..r5 in r[1]..r[5] */
};

/* A pager and what it saw. */
struct pager {
	struct kit *kit;
	bool savage;		     /* events take pages and rights away */
	uint32_t resident[RESIDENT]; /* page index + 1 */
	unsigned oldest;
	uint32_t seen[PAGES]; /* A and D of pages that went away */
	uint64_t faults;
	uint64_t log[FAULTS_MAX]; /* address << 8 | error */
	struct event event;
	struct rng rng;
};

static uint32_t page_index(vaddr va)
{
	uint32_t index = (va - BASE) >> PAGE_SHIFT;

	BUG_ON(index >= PAGES);
	return index;
}

static vaddr page_address(uint32_t index)
{
	return BASE + (index << PAGE_SHIFT);
}

static void unmap(struct pager *p, uint32_t index)
{
	uint32_t *pte = kit_pte(p->kit, page_address(index));

	p->seen[index] |= *pte & (PTE_A | PTE_D);
	*pte = 0;
	mmu_invlpg(&p->kit->cpu.mmu, page_address(index));
}

/* Not present: map, for good manners read-only first if it was a read. */
static void page_in(struct pager *p, uint32_t index, bool write)
{
	uint32_t *slot = &p->resident[p->oldest];

	if (*slot)
		unmap(p, *slot - 1);
	*slot = index + 1;
	p->oldest = (p->oldest + 1) % RESIDENT;
	kit_map(p->kit, page_address(index), KIT_DATA_FRAME + index,
		PTE_US | (write ? PTE_RW : 0));
}

static void fault(struct pager *p, vaddr address, uint8_t error)
{
	uint32_t index = page_index(address);
	uint32_t *pte = kit_pte(p->kit, address);

	BUG_ON(p->faults == FAULTS_MAX);
	p->log[p->faults++] = (uint64_t)address << 8 | error;
	BUG_ON(!(error & PF_USER));
	if (error & PF_PROT) {
		BUG_ON(!(error & PF_WRITE) || (*pte & PTE_RW));
		*pte |= PTE_RW;
		mmu_invlpg(&p->kit->cpu.mmu, address);
		return;
	}
	BUG_ON(*pte & PTE_P);
	for (unsigned i = 0; i < RESIDENT; i++)
		if (p->resident[i] == index + 1)
			p->resident[i] = 0;
	page_in(p, index, error & PF_WRITE);
}

/* Take something away from a resident page, as reclaim would. */
static void harass(struct pager *p)
{
	uint32_t index = p->resident[rng_below(&p->rng, RESIDENT)];
	uint32_t *pte;

	if (!index--)
		return;
	pte = kit_pte(p->kit, page_address(index));
	switch (rng_below(&p->rng, 4)) {
	case 0:
		unmap(p, index);
		break;
	case 1:
		p->seen[index] |= *pte & PTE_A;
		*pte &= ~(uint32_t)PTE_A; /* unflushed: may go unseen */
		break;
	case 2:
		*pte &= ~(uint32_t)PTE_RW;
		mmu_invlpg(&p->kit->cpu.mmu, page_address(index));
		break;
	default:
		mmu_load_cr3(&p->kit->cpu.mmu, 0);
		break;
	}
}

static void tick(void *arg)
{
	struct pager *p = arg;
	simtime next =
		cpu_now(&p->kit->cpu) + 1 + (simtime)rng_below(&p->rng, 40);

	event_post(&p->kit->events, &p->event, next);
	if (p->savage)
		harass(p);
}

static struct pager *pager_new(struct kit *k, uint64_t seed, bool savage)
{
	struct pager *p = xcalloc(1, sizeof(*p));

	p->kit = k;
	p->savage = savage;
	rng_init(&p->rng, seed, "harass");
	event_init(&p->event, tick, p);
	return p;
}

/* Run until the system call behind the instruction. */
static void run(struct pager *p)
{
	for (;;) {
		struct trap t = cpu_run(&p->kit->cpu, &p->kit->regs);

		if (t.kind == TRAP_SYSCALL)
			return;
		if (t.kind == TRAP_EVENT)
			cpu_run_events(&p->kit->cpu);
		else if (t.kind == TRAP_FAULT)
			fault(p, t.address, t.error);
		else
			BUG_ON(t.kind >= TRAP_SYSCALL);
	}
}

static void run_reference(struct pager *p, const struct ref_case *c)
{
	struct kit *k = p->kit;

	memcpy(k->regs.r, c->r, sizeof(c->r));
	kit_code(k, 0, c->in);
	kit_code(k, 1, (struct insn){ .op = ISA_SYSCALL });
	event_post(&k->events, &p->event, 1);
	run(p);
	event_cancel(&k->events, &p->event);
}

/* One element by itself: one-byte load or store of zero, or a fetch. */
static void element(struct pager *p, vaddr va, enum mmu_access access)
{
	struct kit *k = p->kit;

	if (access == MMU_FETCH) {
		struct mmu_result r;

		while ((r = mmu_translate(&k->cpu.mmu, va, MMU_FETCH, true))
			       .fault)
			fault(p, va, r.error);
		return;
	}
	kit_code(k, 0,
		 (struct insn){ .op = access == MMU_WRITE ? ISA_ST1 : ISA_LD1,
				.a = 7,
				.b = 6 });
	kit_code(k, 1, (struct insn){ .op = ISA_SYSCALL });
	k->regs.pc = KIT_CODE;
	k->regs.r[6] = va;
	k->regs.r[7] = 0;
	run(p);
}

static enum mmu_access access_of(const struct insn *in)
{
	if (in->flags & ISA_EXEC)
		return MMU_FETCH;
	return in->flags & ISA_WRITE ? MMU_WRITE : MMU_READ;
}

static uint64_t loop_sweep(struct pager *p, const struct ref_case *c)
{
	uint64_t n = 0;

	for (uint64_t at = c->r[1]; at < c->r[1] + c->r[2]; at += c->r[3])
		n++;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t place = c->in.flags & ISA_DOWN ? n - 1 - i : i;

		element(p, (vaddr)(c->r[1] + place * c->r[3]),
			access_of(&c->in));
	}
	return n;
}

/* All elements of a pointer from its next one on that share its page. */
static uint64_t loop_page(struct pager *p, const struct ref_case *c,
			  uint64_t *done, uint64_t count, bool rising)
{
	uint64_t before = *done;
	vaddr first = 0;

	for (; *done < count; ++*done) {
		vaddr va = (vaddr)(rising ? c->r[1] + *done * c->r[4]
					  : c->r[3] - (*done + 1) * c->r[4]);

		if (*done == before)
			first = va;
		if (va >> PAGE_SHIFT != first >> PAGE_SHIFT)
			break;
		element(p, va, access_of(&c->in));
	}
	return *done - before;
}

static uint64_t loop_sweep2(struct pager *p, const struct ref_case *c)
{
	uint64_t left = 0, right = 0, i = 0, j = 0;

	for (uint64_t at = c->r[1]; at < c->r[2]; at += c->r[4])
		left++;
	for (uint64_t at = c->r[3]; at >= c->r[2] + c->r[4]; at -= c->r[4])
		right++;
	while (i < left || j < right) {
		bool rising = i < left && (j == right || i * right <= j * left);

		loop_page(p, c, rising ? &i : &j, rising ? left : right,
			  rising);
	}
	return left + right;
}

static uint64_t pick(const struct ref_case *c, const struct zipf *z, uint64_t i,
		     uint64_t draw)
{
	if (c->in.op == ISA_ZIPF)
		return zipf_draw(z, draw);
	if (c->in.op == ISA_WSET)
		return (i / (uint64_t)c->in.imm +
			rng_scale(draw, (uint64_t)c->in.imm)) %
		       c->r[2];
	return rng_scale(draw, c->r[2]);
}

static uint64_t loop_draws(struct pager *p, const struct ref_case *c)
{
	struct zipf *z = NULL;
	uint64_t state = c->r[5];

	if (c->in.op == ISA_ZIPF)
		z = zipf_new((uint32_t)c->r[2], (uint32_t)c->in.imm);
	for (uint64_t i = 0; i < c->r[3]; i++) {
		uint64_t draw = rng_step(&state);
		enum mmu_access access = access_of(&c->in);
		uint64_t page = pick(c, z, i, draw);

		if (c->in.flags & ISA_MIXED)
			access = (draw & 0xff) < c->in.k ? MMU_WRITE : MMU_READ;
		element(p, (vaddr)(c->r[1] + page * PAGE_SIZE), access);
	}
	zipf_free(z);
	p->kit->regs.r[5] = state;
	return c->r[3];
}

static uint64_t run_loop(struct pager *p, const struct ref_case *c)
{
	memcpy(p->kit->regs.r, c->r, sizeof(c->r));
	if (c->in.op == ISA_SWEEP)
		return loop_sweep(p, c);
	if (c->in.op == ISA_SWEEP2)
		return loop_sweep2(p, c);
	return loop_draws(p, c);
}

static uint32_t touched(const struct pager *p, uint32_t index)
{
	return p->seen[index] |
	       (*kit_pte(p->kit, page_address(index)) & (PTE_A | PTE_D));
}

static void compare_memory(const struct pager *a, const struct pager *b)
{
	static const uint8_t zeroes[PAGE_SIZE];

	BUG_ON(memcmp(a->kit->regs.r, b->kit->regs.r, sizeof(uint64_t[6])) !=
	       0);
	for (uint32_t i = 0; i < PAGES; i++) {
		pfn frame = KIT_DATA_FRAME + i;
		const uint8_t *bytes = ram_peek(&b->kit->ram, frame);

		BUG_ON(a->kit->ram.tag[frame] != b->kit->ram.tag[frame]);
		BUG_ON(touched(a, i) != touched(b, i));
		BUG_ON(ram_peek(&a->kit->ram, frame));
		BUG_ON(bytes && memcmp(bytes, zeroes, PAGE_SIZE) != 0);
	}
}

static void compare_faults(const struct pager *a, const struct pager *b)
{
	const struct mmu *m = &a->kit->cpu.mmu, *n = &b->kit->cpu.mmu;

	BUG_ON(a->faults != b->faults);
	BUG_ON(memcmp(a->log, b->log, a->faults * sizeof(a->log[0])) != 0);
	BUG_ON(m->dtlb.hits != n->dtlb.hits);
	BUG_ON(m->dtlb.misses != n->dtlb.misses);
}

/* Time of the instruction: its elements, its walks, the system call. */
static void check_time(const struct cpu *cpu, uint64_t elements,
		       const struct ref_case *c)
{
	bool draws = c->in.op != ISA_SWEEP2;
	uint64_t cycles = c->r[draws ? 4 : 5];

	cycles = cycles ? cycles : 1;
	BUG_ON(cpu->account.user !=
	       elements * cycles + cpu->mmu.walks * cpu->walk_cycles + 1);
	BUG_ON(cpu->account.user + cpu->account.irq != cpu->cycles);
	BUG_ON(cpu->instructions != elements + 1);
}

static void run_case(const struct ref_case *c, uint64_t seed, bool savage)
{
	struct kit a, b;
	struct pager *p, *q;
	uint64_t elements;

	kit_init(&a, KHZ, 9);
	kit_init(&b, KHZ, 9);
	p = pager_new(&a, seed, savage);
	q = pager_new(&b, seed, false);
	run_reference(p, c);
	elements = run_loop(q, c);
	compare_memory(p, q);
	if (!savage)
		compare_faults(p, q);
	check_time(&a.cpu, elements, c);
	BUG_ON(a.regs.step || a.regs.left);
	free(p);
	free(q);
	kit_finish(&a);
	kit_finish(&b);
}

static struct ref_case make_sweep(struct rng *r)
{
	static const uint8_t kinds[] = { ISA_READ, ISA_WRITE,
					 ISA_READ | ISA_WRITE, ISA_EXEC };
	uint64_t shift = rng_below(r, 15);
	uint64_t size = rng_below(r, (64ull << shift) + 9000);

	return (struct ref_case){
		.in = { .op = ISA_SWEEP,
			.flags = (uint8_t)(kinds[rng_below(r, 4)] |
					   rng_below(r, 2) * ISA_DOWN),
			.a = 1,
			.b = 2,
			.c = 3,
			.d = 4 },
		.r = { 0, BASE + rng_below(r, 9000), size, 1ull << shift,
		       rng_below(r, 60) },
	};
}

static struct ref_case make_sweep2(struct rng *r)
{
	static const uint8_t kinds[] = { ISA_READ, ISA_WRITE,
					 ISA_READ | ISA_WRITE };
	uint64_t shift = rng_below(r, 14);
	uint64_t lo = BASE + rng_below(r, 9000);
	uint64_t split = lo + rng_below(r, (50ull << shift) + 20000);

	return (struct ref_case){
		.in = { .op = ISA_SWEEP2,
			.flags = kinds[rng_below(r, 3)],
			.a = 1,
			.b = 2,
			.c = 3,
			.d = 4,
			.e = 5 },
		.r = { 0, lo, split,
		       split + rng_below(r, (90ull << shift) + 20000),
		       1ull << shift, rng_below(r, 30) },
	};
}

static struct ref_case make_draws(struct rng *r)
{
	static const uint8_t ops[] = { ISA_UNIFORM, ISA_ZIPF, ISA_WSET };
	static const uint8_t kinds[] = { ISA_READ, ISA_WRITE,
					 ISA_READ | ISA_WRITE, ISA_MIXED,
					 ISA_EXEC };
	uint8_t op = ops[rng_below(r, 3)];
	uint64_t n = 1 + rng_below(r, 20);

	return (struct ref_case){
		.in = { .op = op,
			.flags = kinds[rng_below(r, 5)],
			.a = 1,
			.b = 2,
			.c = 3,
			.d = 4,
			.e = 5,
			.k = (uint8_t)rng_below(r, 256),
			.imm = op == ISA_ZIPF
				       ? (int64_t)rng_below(r, 2049)
				       : (int64_t)(1 + rng_below(r, n)) },
		.r = { 0, BASE + rng_below(r, 4096), n, rng_below(r, 300),
		       rng_below(r, 60), rng_next(r) },
	};
}

int main(void)
{
	const unsigned rounds = 100;
	struct rng r;

	rng_init(&r, 1, "cases");
	for (unsigned i = 0; i < rounds; i++) {
		struct ref_case cases[] = { make_sweep(&r), make_sweep2(&r),
					    make_draws(&r) };

		for (unsigned j = 0; j < 3; j++) {
			run_case(&cases[j], i, false);
			run_case(&cases[j], i, true);
		}
	}
	printf("%u cases, calm and harassed\n", 3 * rounds);
	return 0;
}
