/*
 * Reference instructions: a stretch of a program's work as one instruction.
 *
 * Models      the loops of loads, stores and fetches that cpu/isa.h says they
 *             stand for: the same TLB and table state, the same tags, the
 *             same faults in the same order.
 * Leaves out  the bytes that those stores would write.
 * Seen in     all programs of workloads/; tests/110 runs each beside its loop.
 *
 * The unit of work is a visit: k consecutive elements in one page, one
 * translation, k times the cycles. A visit happens as a whole or faults
 * before it has done anything; its cycles may be interrupted at any point.
 */
#include "cpu/step.h"

#include "emu/bug.h"
#include "emu/rng.h"

#define SPACE_END 0x100000000ull /* first address above the 32-bit space */

/* Keeps k times cycles within 64 bits: some 30 hours at 2.5 GHz. */
#define CYCLES_MAX (1ull << 48)

/* What all elements of an instruction have in common. */
struct touch {
	struct run *run;
	uint64_t cycles; /* per element */
	enum mmu_access access;
};

/* The kind of access that the flags ask for. False: no such kind. */
static bool access_of(const struct insn *in, enum mmu_access *access)
{
	unsigned kinds = in->flags & (ISA_READ | ISA_WRITE | ISA_EXEC);

	*access = kinds & ISA_WRITE ? MMU_WRITE : MMU_READ;
	if (kinds == ISA_EXEC)
		*access = MMU_FETCH;
	else if (kinds & ISA_EXEC)
		return false;
	return kinds != 0;
}

/* Nothing is free: an element of no cycles would never let time pass. */
static bool touch_init(struct touch *t, struct run *run, const struct insn *in,
		       uint64_t cycles)
{
	t->run = run;
	t->cycles = cycles ? cycles : 1;
	return access_of(in, &t->access) && cycles < CYCLES_MAX;
}

/* Visit the page of va for k elements. False on a fault, nothing done. */
static inline __attribute__((always_inline)) bool
visit(const struct touch *t, vaddr va, enum mmu_access access, uint64_t k)
{
	struct cpu *cpu = t->run->cpu;
	struct mmu *m = &cpu->mmu;
	struct mmu_result r = mmu_translate(m, va, access, true);
	uint64_t cost = k * t->cycles;

	if (__builtin_expect(r.walked, 0)) {
		if (r.fault) {
			cpu->cycles += cpu->walk_cycles;
			step_fault(t->run, va, access, r);
			return false;
		}
		cost += cpu->walk_cycles;
	}
	if (access == MMU_FETCH)
		m->itlb.hits += k - 1;
	else
		m->dtlb.hits += k - 1;
	if (access == MMU_WRITE && r.frame < m->ram->frames)
		ram_store(m->ram, r.frame, m->key, va >> PAGE_SHIFT, k);
	cpu->instructions += k;
	step_spend(cpu, t->run->regs, cost);
	return true;
}

/* Is an event due, so that the instruction must be left? */
static inline bool must_stop(const struct touch *t)
{
	return t->run->cpu->cycles >= t->run->cpu->deadline;
}

/* Leave with this progress; whatever stopped us is in run->trap. */
static enum step leave(const struct touch *t, uint64_t step, bool done)
{
	/* the page that instructions come from may have left the ITLB */
	if (t->access == MMU_FETCH)
		t->run->page = RUN_NO_PAGE;
	t->run->regs->step = done ? 0 : step;
	return done ? STEP_DONE : STEP_AGAIN;
}

/* log2 of an element size. False if it is no power of two. */
static bool shift_of(uint64_t element, unsigned *shift)
{
	if (element == 0 || (element & (element - 1)))
		return false;
	*shift = (unsigned)__builtin_ctzll(element);
	return true;
}

/* Elements from va up to the end of its page, va's own included. */
static uint64_t elements_up(uint64_t va, unsigned shift)
{
	uint64_t room = PAGE_SIZE - (va & ~PAGE_MASK);

	return (room + (1ull << shift) - 1) >> shift;
}

/* Elements from va down to the start of its page, va's own included. */
static uint64_t elements_down(uint64_t va, unsigned shift)
{
	return ((va & ~PAGE_MASK) >> shift) + 1;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

enum step ref_sweep(struct run *run, const struct insn *in)
{
	const uint64_t *r = run->regs->r;
	uint64_t base = r[in->a], bytes = r[in->b];
	uint64_t step = run->regs->step;
	bool down = in->flags & ISA_DOWN;
	unsigned shift;
	struct touch t;
	uint64_t n;

	if (!touch_init(&t, run, in, r[in->d]) || !shift_of(r[in->c], &shift))
		return step_illegal(run);
	if (base > SPACE_END || bytes > SPACE_END - base)
		return step_illegal(run);

	n = (bytes + r[in->c] - 1) >> shift;
	while (step < n) {
		uint64_t i = down ? n - 1 - step : step;
		uint64_t va = base + (i << shift);
		uint64_t k = down ? elements_down(va, shift)
				  : elements_up(va, shift);

		k = min_u64(k, n - step);
		if (!visit(&t, (vaddr)va, t.access, k))
			break;
		step += k;
		if (must_stop(&t))
			break;
	}
	return leave(&t, step, step >= n);
}

/* The two pointers of a sweep2. */
struct fingers {
	uint64_t lo, hi;   /* where they start; hi's first element ends there */
	uint64_t up, down; /* elements done by each */
	uint64_t up_count, down_count; /* elements of each */
	unsigned shift;
};

/*
 * Whose element comes first: up/up_count against down/down_count, ties to
 * the rising pointer. Counts fit 32 bits, so the products fit 64.
 */
static bool rising_is_next(const struct fingers *f)
{
	if (f->up == f->up_count)
		return false;
	return f->down == f->down_count ||
	       f->up * f->down_count <= f->down * f->up_count;
}

static bool fingers_init(struct fingers *f, const struct run *run,
			 const struct insn *in)
{
	const uint64_t *r = run->regs->r;
	uint64_t split = r[in->b];

	f->lo = r[in->a];
	f->hi = r[in->c];
	if (f->lo > split || split > f->hi || f->hi > SPACE_END)
		return false;
	if (!shift_of(r[in->d], &f->shift))
		return false;
	f->up = run->regs->step & UINT32_MAX;
	f->down = run->regs->step >> 32;
	f->up_count = (split - f->lo + r[in->d] - 1) >> f->shift;
	f->down_count = (f->hi - split) >> f->shift;
	/* progress has 32 bits a pointer: a whole space of single bytes */
	return f->up_count <= UINT32_MAX && f->down_count <= UINT32_MAX;
}

/* Visit the next page of the pointer whose turn it is. False on a fault. */
static bool fingers_visit(struct fingers *f, const struct touch *t)
{
	uint64_t va, k;

	if (rising_is_next(f)) {
		va = f->lo + (f->up << f->shift);
		k = min_u64(elements_up(va, f->shift), f->up_count - f->up);
		if (!visit(t, (vaddr)va, t->access, k))
			return false;
		f->up += k;
		return true;
	}
	va = f->hi - ((f->down + 1) << f->shift);
	k = min_u64(elements_down(va, f->shift), f->down_count - f->down);
	if (!visit(t, (vaddr)va, t->access, k))
		return false;
	f->down += k;
	return true;
}

enum step ref_sweep2(struct run *run, const struct insn *in)
{
	struct fingers f;
	struct touch t;
	bool done;

	if (!touch_init(&t, run, in, run->regs->r[in->e]) ||
	    !fingers_init(&f, run, in))
		return step_illegal(run);
	do {
		done = f.up == f.up_count && f.down == f.down_count;
	} while (!done && fingers_visit(&f, &t) && !must_stop(&t));
	done = f.up == f.up_count && f.down == f.down_count;
	return leave(&t, f.up | f.down << 32, done);
}

/* Random references: base, pages, count and generator of the instruction. */
struct draws {
	struct touch t;
	vaddr base;
	uint64_t n; /* pages */
	uint64_t count;
	uint64_t step;
	uint64_t state; /* as of the last successful draw */
	unsigned mixed; /* writes in 256, or 256 for "as t.access says" */
};

#define NOT_MIXED 256

static bool draws_init(struct draws *d, struct run *run, const struct insn *in)
{
	const uint64_t *r = run->regs->r;
	struct insn kind = *in;

	/* the state changes on the way: no other operand may live there */
	if (in->e == in->a || in->e == in->b || in->e == in->c ||
	    in->e == in->d)
		return false;
	if (in->flags & ISA_MIXED)
		kind.flags |= ISA_READ;
	if (!touch_init(&d->t, run, &kind, r[in->d]))
		return false;
	d->base = (vaddr)r[in->a];
	d->n = r[in->b];
	d->count = r[in->c];
	d->state = r[in->e];
	d->step = run->regs->step;
	d->mixed = in->flags & ISA_MIXED ? in->k : NOT_MIXED;
	/* a generator of state 0 is stuck there */
	return d->n > 0 && d->state != 0 && r[in->a] < SPACE_END &&
	       d->n <= (SPACE_END - r[in->a]) >> PAGE_SHIFT;
}

/*
 * Touch a page on behalf of a draw that left the generator in this state. A
 * fault leaves the old state, so that the same draw is made again.
 */
static inline __attribute__((always_inline)) bool
draws_visit(struct draws *d, uint64_t page, uint64_t draw, uint64_t state)
{
	vaddr va = d->base + (vaddr)(page << PAGE_SHIFT);
	enum mmu_access access = d->t.access;

	if (d->mixed != NOT_MIXED)
		access = (draw & 0xff) < d->mixed ? MMU_WRITE : MMU_READ;
	if (!visit(&d->t, va, access, 1))
		return false;
	d->state = state;
	d->step++;
	return !must_stop(&d->t);
}

static enum step draws_leave(const struct draws *d, const struct insn *in)
{
	d->t.run->regs->r[in->e] = d->state;
	return leave(&d->t, d->step, d->step >= d->count);
}

enum step ref_uniform(struct run *run, const struct insn *in)
{
	struct draws d;

	if (!draws_init(&d, run, in))
		return step_illegal(run);
	while (d.step < d.count) {
		uint64_t state = d.state;
		uint64_t draw = rng_step(&state);

		if (!draws_visit(&d, rng_scale(draw, d.n), draw, state))
			break;
	}
	return draws_leave(&d, in);
}

enum step ref_zipf(struct run *run, const struct insn *in)
{
	const struct zipf *table;
	struct draws d;

	if (!draws_init(&d, run, in) || in->imm < 0 || in->imm > 2048)
		return step_illegal(run);
	table = zipf_cache_get(&run->cpu->zipf, (uint32_t)d.n,
			       (uint32_t)in->imm);
	while (d.step < d.count) {
		uint64_t state = d.state;
		uint64_t draw = rng_step(&state);

		if (!draws_visit(&d, zipf_draw(table, draw), draw, state))
			break;
	}
	return draws_leave(&d, in);
}

/* Access i is in the window that starts at page i / window, modulo n. */
enum step ref_wset(struct run *run, const struct insn *in)
{
	uint64_t window = (uint64_t)in->imm;
	uint64_t start, in_window;
	struct draws d;

	if (!draws_init(&d, run, in) || window == 0 || window > d.n)
		return step_illegal(run);
	start = d.step / window % d.n;
	in_window = d.step % window;
	while (d.step < d.count) {
		uint64_t state = d.state;
		uint64_t draw = rng_step(&state);
		uint64_t page = start + rng_scale(draw, window);

		page -= page >= d.n ? d.n : 0;
		if (!draws_visit(&d, page, draw, state))
			break;
		if (++in_window == window) {
			in_window = 0;
			start = start + 1 == d.n ? 0 : start + 1;
		}
	}
	return draws_leave(&d, in);
}
