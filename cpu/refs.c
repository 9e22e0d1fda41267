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

/*
 * The loops below are compiled once per kind of access, and what they work on
 * is kept in variables whose address stays in the loop's function.
 */
#define INLINE static inline __attribute__((always_inline))

/* What all elements of an instruction have in common. */
struct touch {
	struct run *run;
	struct cpu *cpu;
	uint64_t cycles; /* per element */
	enum mmu_access access;
};

/* How a visit went. */
enum visit {
	VISIT_FAULT, /* nothing was done, the trap says why */
	VISIT_STOP,  /* done, and an event is due */
	VISIT_ON,    /* done */
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
	t->cpu = run->cpu;
	t->cycles = cycles ? cycles : 1;
	if (!access_of(in, &t->access))
		return step_refuse(run, "elements of no kind of access");
	if (cycles >= CYCLES_MAX)
		return step_refuse(run, "too many cycles per element");
	return true;
}

/* Visit the page of va for k elements. */
INLINE enum visit visit(const struct touch *t, vaddr va, enum mmu_access access,
			uint64_t k)
{
	struct mmu *m = &t->cpu->mmu;
	struct mmu_result r = mmu_translate(m, va, access, true);
	uint64_t cost = k * t->cycles;

	if (__builtin_expect(r.walked, 0)) {
		if (r.fault) {
			t->cpu->cycles += t->cpu->walk_cycles;
			step_fault(t->run, va, access, r);
			return VISIT_FAULT;
		}
		cost += t->cpu->walk_cycles;
	}
	if (access == MMU_FETCH)
		m->itlb.hits += k - 1;
	else
		m->dtlb.hits += k - 1;
	if (access == MMU_WRITE && r.frame < m->ram->frames)
		ram_store(m->ram, r.frame, m->key, va >> PAGE_SHIFT, k);
	return step_spend(t->cpu, t->run->regs, cost) ? VISIT_ON : VISIT_STOP;
}

/*
 * Leave with this progress, elements having been done since we came; what
 * stopped us, if anything, is in run->trap.
 */
static enum step leave(const struct touch *t, uint64_t step, uint64_t elements,
		       bool done)
{
	/* the page that instructions come from may have left the ITLB */
	if (t->access == MMU_FETCH)
		t->run->page = RUN_NO_PAGE;
	t->cpu->instructions += elements;
	t->run->regs->step = done ? 0 : step;
	return done ? STEP_DONE : STEP_AGAIN;
}

/* log2 of an element size. False if it is no power of two. */
static bool shift_of(struct run *run, uint64_t element, unsigned *shift)
{
	if (element == 0 || (element & (element - 1)))
		return step_refuse(run, "an element size that is no power of "
					"two");
	*shift = (unsigned)__builtin_ctzll(element);
	return true;
}

static bool range_fits(struct run *run, uint64_t base, uint64_t bytes)
{
	if (base > SPACE_END || bytes > SPACE_END - base)
		return step_refuse(run, "a range that ends beyond 4 GiB");
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

/* A range of elements. */
struct range {
	uint64_t base;
	uint64_t n;	/* elements */
	unsigned shift; /* log2 of the element size */
	bool down;
};

/* Go through it from element step on; returns how far. */
INLINE uint64_t sweep_loop(const struct touch *t, const struct range *e,
			   uint64_t step, enum mmu_access access)
{
	enum visit v = VISIT_ON;

	while (step < e->n && v == VISIT_ON) {
		uint64_t i = e->down ? e->n - 1 - step : step;
		uint64_t va = e->base + (i << e->shift);
		uint64_t k = e->down ? elements_down(va, e->shift)
				     : elements_up(va, e->shift);

		k = min_u64(k, e->n - step);
		v = visit(t, (vaddr)va, access, k);
		step += v == VISIT_FAULT ? 0 : k;
	}
	return step;
}

enum step ref_sweep(struct run *run, const struct insn *in)
{
	const uint64_t *r = run->regs->r;
	struct range e = { .base = r[in->a], .down = in->flags & ISA_DOWN };
	uint64_t bytes = r[in->b];
	uint64_t start = run->regs->step;
	uint64_t step;
	struct touch t;

	if (!touch_init(&t, run, in, r[in->d]) ||
	    !shift_of(run, r[in->c], &e.shift) ||
	    !range_fits(run, e.base, bytes))
		return step_illegal(run);
	e.n = (bytes + r[in->c] - 1) >> e.shift;
	if (t.access == MMU_READ)
		step = sweep_loop(&t, &e, start, MMU_READ);
	else if (t.access == MMU_WRITE)
		step = sweep_loop(&t, &e, start, MMU_WRITE);
	else
		step = sweep_loop(&t, &e, start, MMU_FETCH);
	return leave(&t, step, step - start, step >= e.n);
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

static bool fingers_init(struct fingers *f, struct run *run,
			 const struct insn *in)
{
	const uint64_t *r = run->regs->r;
	uint64_t split = r[in->b];

	f->lo = r[in->a];
	f->hi = r[in->c];
	if (f->lo > split || split > f->hi)
		return step_refuse(run, "a split outside of its range");
	if (!range_fits(run, f->lo, f->hi - f->lo))
		return false;
	if (!shift_of(run, r[in->d], &f->shift))
		return false;
	f->up = run->regs->step & UINT32_MAX;
	f->down = run->regs->step >> 32;
	f->up_count = (split - f->lo + r[in->d] - 1) >> f->shift;
	f->down_count = (f->hi - split) >> f->shift;
	/* progress has 32 bits a pointer: a whole space of single bytes */
	if (f->up_count > UINT32_MAX || f->down_count > UINT32_MAX)
		return step_refuse(run, "2^32 elements");
	return true;
}

/* Visit the next page of the pointer whose turn it is. */
static enum visit fingers_visit(struct fingers *f, const struct touch *t)
{
	bool rising = rising_is_next(f);
	uint64_t va, k;
	enum visit v;

	if (rising) {
		va = f->lo + (f->up << f->shift);
		k = min_u64(elements_up(va, f->shift), f->up_count - f->up);
	} else {
		va = f->hi - ((f->down + 1) << f->shift);
		k = min_u64(elements_down(va, f->shift),
			    f->down_count - f->down);
	}
	v = visit(t, (vaddr)va, t->access, k);
	if (v != VISIT_FAULT)
		*(rising ? &f->up : &f->down) += k;
	return v;
}

static bool fingers_met(const struct fingers *f)
{
	return f->up == f->up_count && f->down == f->down_count;
}

enum step ref_sweep2(struct run *run, const struct insn *in)
{
	struct fingers f;
	struct touch t;
	uint64_t start;

	if (!touch_init(&t, run, in, run->regs->r[in->e]) ||
	    !fingers_init(&f, run, in))
		return step_illegal(run);
	start = f.up + f.down;
	while (!fingers_met(&f) && fingers_visit(&f, &t) == VISIT_ON)
		;
	return leave(&t, f.up | f.down << 32, f.up + f.down - start,
		     fingers_met(&f));
}

/* Random references: base, pages, count and generator of the instruction. */
struct draws {
	struct touch t;
	vaddr base;
	uint64_t n; /* pages */
	uint64_t count;
	uint64_t step;
	uint64_t state; /* as of the last successful draw */
	bool mixed;	/* or as t.access says */
	uint8_t k;	/* mixed: writes in 256 */

	const struct zipf *table; /* zipf */
	uint64_t window;	  /* wset: its size, */
	uint64_t start;		  /* where it is, */
	uint64_t in_window;	  /* and the accesses it has had there */
};

static bool draws_init(struct draws *d, struct run *run, const struct insn *in)
{
	const uint64_t *r = run->regs->r;
	struct insn kind = *in;

	/* the state changes on the way: no other operand may live there */
	if (in->e == in->a || in->e == in->b || in->e == in->c ||
	    in->e == in->d)
		return step_refuse(run, "a generator state in a register that "
					"is also another operand");
	if (in->flags & ISA_MIXED)
		kind.flags |= ISA_READ;
	*d = (struct draws){
		.base = (vaddr)r[in->a],
		.n = r[in->b],
		.count = r[in->c],
		.state = r[in->e],
		.step = run->regs->step,
		.mixed = in->flags & ISA_MIXED,
		.k = in->k,
	};
	if (!touch_init(&d->t, run, &kind, r[in->d]))
		return false;
	if (d->n == 0)
		return step_refuse(run, "a random range of no pages");
	if (d->state == 0)
		return step_refuse(run, "a generator state of 0");
	if (r[in->a] >= SPACE_END ||
	    d->n > (SPACE_END - r[in->a]) >> PAGE_SHIFT)
		return step_refuse(run, "a range that ends beyond 4 GiB");
	return true;
}

/* The page that this draw means to an instruction. */
INLINE uint64_t draws_page(const struct draws *d, enum isa_op op, uint64_t draw)
{
	uint64_t page;

	if (op == ISA_UNIFORM)
		return rng_scale(draw, d->n);
	if (op == ISA_ZIPF)
		return zipf_draw(d->table, draw);
	page = d->start + rng_scale(draw, d->window);
	return page >= d->n ? page - d->n : page;
}

/* After a successful access: the window may move on. */
INLINE void draws_advance(struct draws *d, enum isa_op op)
{
	d->step++;
	if (op != ISA_WSET || ++d->in_window < d->window)
		return;
	d->in_window = 0;
	d->start = d->start + 1 == d->n ? 0 : d->start + 1;
}

/*
 * Draw and touch. A fault leaves the generator as it was, so that the same
 * draw is made again.
 */
INLINE void draws_loop(struct draws *d, enum isa_op op, bool mixed,
		       enum mmu_access access)
{
	enum visit v = VISIT_ON;

	while (d->step < d->count && v == VISIT_ON) {
		uint64_t state = d->state;
		uint64_t draw = rng_step(&state);
		uint64_t page = draws_page(d, op, draw);

		if (mixed)
			access = (draw & 0xff) < d->k ? MMU_WRITE : MMU_READ;
		v = visit(&d->t, d->base + (vaddr)(page << PAGE_SHIFT), access,
			  1);
		if (v == VISIT_FAULT)
			break;
		d->state = state;
		draws_advance(d, op);
	}
}

/* The loop for the kind of access; and leave. */
INLINE enum step draws_run(const struct draws *setup, const struct insn *in,
			   enum isa_op op)
{
	struct draws d = *setup;

	if (d.mixed)
		draws_loop(&d, op, true, MMU_READ);
	else if (d.t.access == MMU_READ)
		draws_loop(&d, op, false, MMU_READ);
	else if (d.t.access == MMU_WRITE)
		draws_loop(&d, op, false, MMU_WRITE);
	else
		draws_loop(&d, op, false, MMU_FETCH);
	d.t.run->regs->r[in->e] = d.state;
	return leave(&setup->t, d.step, d.step - setup->step,
		     d.step >= d.count);
}

enum step ref_uniform(struct run *run, const struct insn *in)
{
	struct draws d;

	if (!draws_init(&d, run, in))
		return step_illegal(run);
	return draws_run(&d, in, ISA_UNIFORM);
}

enum step ref_zipf(struct run *run, const struct insn *in)
{
	struct draws d;

	if (!draws_init(&d, run, in))
		return step_illegal(run);
	if (in->imm < 0 || in->imm > 2048) {
		step_refuse(run, "theta is not within 0 to 2048");
		return step_illegal(run);
	}
	d.table = zipf_cache_get(&run->cpu->zipf, (uint32_t)d.n,
				 (uint32_t)in->imm);
	return draws_run(&d, in, ISA_ZIPF);
}

/* Access i is in the window that starts at page i / window, modulo n. */
enum step ref_wset(struct run *run, const struct insn *in)
{
	struct draws d;

	if (!draws_init(&d, run, in))
		return step_illegal(run);
	d.window = (uint64_t)in->imm;
	if (d.window == 0 || d.window > d.n) {
		step_refuse(run, "a window of no pages, or more than there "
				 "are");
		return step_illegal(run);
	}
	d.start = d.step / d.window % d.n;
	d.in_window = d.step % d.window;
	return draws_run(&d, in, ISA_WSET);
}
