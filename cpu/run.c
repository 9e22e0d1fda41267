/*
 * The interpreter: fetch, decode, execute.
 *
 * Models      the ordinary instructions of cpu/isa.h, one at a time, with
 *             every fetch, load and store through the MMU at user level.
 * Leaves out  pipelines, caches and alignment traps. A fetch is made once
 *             per stay in a page, not per instruction.
 * Seen in     every program. cpu/refs.c has the reference instructions.
 *
 * Physical addresses above the last frame are nowhere: loads from there read
 * zero, stores vanish.
 */
#include "cpu/step.h"

#include "emu/bug.h"
#include "emu/rng.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "instructions and data are used as they lie in memory");
_Static_assert(sizeof(struct insn) == ISA_INSN_SIZE, "no padding");

#define DIVIDE_CYCLES 20

/* What a frame without bytes shows to a fetch: a page of NOPs. */
static const uint8_t zero_page[PAGE_SIZE] __attribute__((aligned(16)));

static inline bool translate(struct run *run, vaddr va, enum mmu_access access,
			     struct mmu_result *r)
{
	*r = mmu_translate(&run->cpu->mmu, va, access, true);
	if (r->walked)
		run->cpu->cycles += run->cpu->walk_cycles;
	if (!r->fault)
		return true;
	step_fault(run, va, access, *r);
	return false;
}

static bool is_real(const struct ram *ram, pfn frame)
{
	return frame < ram->frames && ram->real[frame] == RAM_REAL;
}

/* Bytes within one page, from where a translation led. */
static inline void read_bytes(const struct run *run, struct mmu_result at,
			      void *to, unsigned size)
{
	const struct ram *ram = run->cpu->mmu.ram;

	if (is_real(ram, at.frame))
		memcpy(to, ram->bytes + at.address, size);
}

/* Bytes within one page; one store to its tag. */
static inline void write_bytes(struct run *run, vaddr va, struct mmu_result at,
			       const void *from, unsigned size)
{
	struct mmu *m = &run->cpu->mmu;

	if (at.frame >= m->ram->frames)
		return;
	if (!is_real(m->ram, at.frame))
		ram_poke(m->ram, at.frame);
	memcpy(m->ram->bytes + at.address, from, size);
	ram_store(m->ram, at.frame, m->key, va >> PAGE_SHIFT, 1);
	if (at.frame == run->frame)
		run->page = RUN_NO_PAGE;
}

static unsigned room_in_page(vaddr va)
{
	return PAGE_SIZE - (va & ~PAGE_MASK);
}

/* A load that goes on in the next page: two accesses. */
static bool load_across(struct run *run, vaddr va, unsigned size,
			uint64_t *value)
{
	unsigned room = room_in_page(va);
	struct mmu_result r;
	uint8_t bytes[8] = { 0 };

	if (!translate(run, va, MMU_READ, &r))
		return false;
	read_bytes(run, r, bytes, room);
	if (!translate(run, va + room, MMU_READ, &r))
		return false;
	read_bytes(run, r, bytes + room, size - room);
	memcpy(value, bytes, sizeof(bytes));
	return true;
}

/* Both pages of a store are translated before either is written. */
static bool store_across(struct run *run, vaddr va, unsigned size,
			 uint64_t value)
{
	unsigned room = room_in_page(va);
	struct mmu_result r, r2;
	uint8_t bytes[8];

	memcpy(bytes, &value, sizeof(bytes));
	if (!translate(run, va, MMU_WRITE, &r) ||
	    !translate(run, va + room, MMU_WRITE, &r2))
		return false;
	write_bytes(run, va, r, bytes, room);
	write_bytes(run, va + room, r2, bytes + room, size - room);
	return true;
}

/* A load of size bytes, zero-extended. Inline: the size is a constant. */
static inline bool load(struct run *run, vaddr va, unsigned size,
			uint64_t *value)
{
	struct mmu_result r;

	if (size > room_in_page(va))
		return load_across(run, va, size, value);
	if (!translate(run, va, MMU_READ, &r))
		return false;
	*value = 0;
	read_bytes(run, r, value, size);
	return true;
}

static inline bool store(struct run *run, vaddr va, unsigned size,
			 uint64_t value)
{
	struct mmu_result r;

	if (size > room_in_page(va))
		return store_across(run, va, size, value);
	if (!translate(run, va, MMU_WRITE, &r))
		return false;
	write_bytes(run, va, r, &value, size);
	return true;
}

/* The third operand of a three-operand instruction. */
static uint64_t third(const struct run *run, const struct insn *in)
{
	return in->flags & ISA_IMM ? (uint64_t)in->imm : run->regs->r[in->c];
}

static enum step op_nop(struct run *run, const struct insn *in)
{
	(void)run;
	(void)in;
	return STEP_DONE;
}

static enum step op_li(struct run *run, const struct insn *in)
{
	run->regs->r[in->a] = (uint64_t)in->imm;
	return STEP_DONE;
}

static enum step op_mov(struct run *run, const struct insn *in)
{
	run->regs->r[in->a] = run->regs->r[in->b];
	return STEP_DONE;
}

/* An operation on x = r[b] and y = the third operand. */
#define ALU(name, expression)                                              \
	static enum step op_##name(struct run *run, const struct insn *in) \
	{                                                                  \
		uint64_t x = run->regs->r[in->b];                          \
		uint64_t y = third(run, in);                               \
                                                                           \
		run->regs->r[in->a] = (expression);                        \
		return STEP_DONE;                                          \
	}

ALU(add, x + y)
ALU(sub, x - y)
ALU(mul, x *y)
ALU(and, x &y)
ALU(or, x | y)
ALU(xor, x ^ y)
ALU(shl, x << (y & 63))
ALU(shr, x >> (y & 63))
ALU(sar, (uint64_t)((int64_t)x >> (y & 63)))

static enum step divide(struct run *run, const struct insn *in, bool modulo)
{
	uint64_t x = run->regs->r[in->b];
	uint64_t y = third(run, in);

	if (y == 0) {
		run->trap.kind = TRAP_DIVIDE;
		return STEP_AGAIN;
	}
	run->regs->r[in->a] = modulo ? x % y : x / y;
	return STEP_DONE;
}

static enum step op_div(struct run *run, const struct insn *in)
{
	return divide(run, in, false);
}

static enum step op_mod(struct run *run, const struct insn *in)
{
	return divide(run, in, true);
}

static enum step op_msb(struct run *run, const struct insn *in)
{
	uint64_t x = run->regs->r[in->b];

	run->regs->r[in->a] =
		x ? 63u - (unsigned)__builtin_clzll(x) : UINT64_MAX;
	return STEP_DONE;
}

static enum step op_rand(struct run *run, const struct insn *in)
{
	run->regs->r[in->a] = rng_step(&run->regs->r[in->b]);
	return STEP_DONE;
}

static vaddr memory_operand(const struct run *run, const struct insn *in)
{
	return (vaddr)(run->regs->r[in->b] + (uint64_t)in->imm);
}

static inline enum step load_op(struct run *run, const struct insn *in,
				unsigned size)
{
	uint64_t value;

	if (!load(run, memory_operand(run, in), size, &value))
		return STEP_AGAIN;
	run->regs->r[in->a] = value;
	return STEP_DONE;
}

static inline enum step store_op(struct run *run, const struct insn *in,
				 unsigned size)
{
	if (!store(run, memory_operand(run, in), size, run->regs->r[in->a]))
		return STEP_AGAIN;
	return STEP_DONE;
}

#define MEMORY(size)                                                         \
	static enum step op_ld##size(struct run *run, const struct insn *in) \
	{                                                                    \
		return load_op(run, in, size);                               \
	}                                                                    \
	static enum step op_st##size(struct run *run, const struct insn *in) \
	{                                                                    \
		return store_op(run, in, size);                              \
	}

MEMORY(1)
MEMORY(4)
MEMORY(8)

static enum step jump(struct run *run, const struct insn *in, bool taken)
{
	if (taken)
		run->regs->pc += (vaddr)in->imm;
	return STEP_DONE;
}

/* A branch on x = r[a] and y = r[b]. */
#define BRANCH(name, condition)                                            \
	static enum step op_##name(struct run *run, const struct insn *in) \
	{                                                                  \
		uint64_t x = run->regs->r[in->a];                          \
		uint64_t y = run->regs->r[in->b];                          \
                                                                           \
		return jump(run, in, condition);                           \
	}

BRANCH(beq, x == y)
BRANCH(bne, x != y)
BRANCH(blt, (int64_t)x < (int64_t)y)
BRANCH(bge, (int64_t)x >= (int64_t)y)
BRANCH(bltu, x < y)
BRANCH(bgeu, x >= y)

static enum step op_jmp(struct run *run, const struct insn *in)
{
	return jump(run, in, true);
}

static enum step op_jr(struct run *run, const struct insn *in)
{
	run->regs->pc = (vaddr)run->regs->r[in->a];
	return STEP_DONE;
}

static bool push(struct run *run, uint64_t value)
{
	uint64_t sp = run->regs->r[ISA_SP] - 8;

	if (!store(run, (vaddr)sp, 8, value))
		return false;
	run->regs->r[ISA_SP] = sp;
	return true;
}

static bool pop(struct run *run, uint64_t *value)
{
	if (!load(run, (vaddr)run->regs->r[ISA_SP], 8, value))
		return false;
	run->regs->r[ISA_SP] += 8;
	return true;
}

static enum step op_call(struct run *run, const struct insn *in)
{
	if (!push(run, run->regs->pc))
		return STEP_AGAIN;
	return jump(run, in, true);
}

static enum step op_callr(struct run *run, const struct insn *in)
{
	vaddr target = (vaddr)run->regs->r[in->a];

	if (!push(run, run->regs->pc))
		return STEP_AGAIN;
	run->regs->pc = target;
	return STEP_DONE;
}

static enum step op_ret(struct run *run, const struct insn *in)
{
	uint64_t target;

	(void)in;
	if (!pop(run, &target))
		return STEP_AGAIN;
	run->regs->pc = (vaddr)target;
	return STEP_DONE;
}

static enum step op_push(struct run *run, const struct insn *in)
{
	return push(run, run->regs->r[in->a]) ? STEP_DONE : STEP_AGAIN;
}

/* pop of the stack pointer itself leaves the popped value in it. */
static enum step op_pop(struct run *run, const struct insn *in)
{
	uint64_t value;

	if (!pop(run, &value))
		return STEP_AGAIN;
	run->regs->r[in->a] = value;
	return STEP_DONE;
}

static enum step op_syscall(struct run *run, const struct insn *in)
{
	(void)in;
	run->trap.kind = TRAP_SYSCALL;
	return STEP_TRAP;
}

static enum step op_compute(struct run *run, const struct insn *in)
{
	step_spend(run->cpu, run->regs, third(run, in));
	return STEP_DONE;
}

static enum step op_mark(struct run *run, const struct insn *in)
{
	run->trap.kind = TRAP_MARK;
	memcpy(run->trap.name, (const uint8_t *)in + 2, ISA_MARK_MAX);
	run->trap.name[ISA_MARK_MAX] = '\0';
	return STEP_TRAP;
}

/* What it does, and its cycles where it does not spend them itself. */
struct op {
	enum step (*fn)(struct run *run, const struct insn *in);
	uint8_t cycles;
	uint8_t retires; /* instructions; 0: counts its elements itself */
};

static const struct op ops[ISA_OP_COUNT] = {
	[ISA_NOP] = { op_nop, 1, 1 },
	[ISA_LI] = { op_li, 1, 1 },
	[ISA_MOV] = { op_mov, 1, 1 },
	[ISA_ADD] = { op_add, 1, 1 },
	[ISA_SUB] = { op_sub, 1, 1 },
	[ISA_MUL] = { op_mul, 1, 1 },
	[ISA_DIV] = { op_div, DIVIDE_CYCLES, 1 },
	[ISA_MOD] = { op_mod, DIVIDE_CYCLES, 1 },
	[ISA_AND] = { op_and, 1, 1 },
	[ISA_OR] = { op_or, 1, 1 },
	[ISA_XOR] = { op_xor, 1, 1 },
	[ISA_SHL] = { op_shl, 1, 1 },
	[ISA_SHR] = { op_shr, 1, 1 },
	[ISA_SAR] = { op_sar, 1, 1 },
	[ISA_MSB] = { op_msb, 1, 1 },
	[ISA_LD1] = { op_ld1, 1, 1 },
	[ISA_LD4] = { op_ld4, 1, 1 },
	[ISA_LD8] = { op_ld8, 1, 1 },
	[ISA_ST1] = { op_st1, 1, 1 },
	[ISA_ST4] = { op_st4, 1, 1 },
	[ISA_ST8] = { op_st8, 1, 1 },
	[ISA_BEQ] = { op_beq, 1, 1 },
	[ISA_BNE] = { op_bne, 1, 1 },
	[ISA_BLT] = { op_blt, 1, 1 },
	[ISA_BGE] = { op_bge, 1, 1 },
	[ISA_BLTU] = { op_bltu, 1, 1 },
	[ISA_BGEU] = { op_bgeu, 1, 1 },
	[ISA_JMP] = { op_jmp, 1, 1 },
	[ISA_JR] = { op_jr, 1, 1 },
	[ISA_CALL] = { op_call, 1, 1 },
	[ISA_CALLR] = { op_callr, 1, 1 },
	[ISA_RET] = { op_ret, 1, 1 },
	[ISA_PUSH] = { op_push, 1, 1 },
	[ISA_POP] = { op_pop, 1, 1 },
	[ISA_SYSCALL] = { op_syscall, 1, 1 },
	[ISA_COMPUTE] = { op_compute, 0, 1 },
	[ISA_MARK] = { op_mark, 0, 1 },
	[ISA_RAND] = { op_rand, 1, 1 },
	[ISA_SWEEP] = { ref_sweep, 0, 0 },
	[ISA_SWEEP2] = { ref_sweep2, 0, 0 },
	[ISA_UNIFORM] = { ref_uniform, 0, 0 },
	[ISA_ZIPF] = { ref_zipf, 0, 0 },
	[ISA_WSET] = { ref_wset, 0, 0 },
};

/* Make run->code the page of pc. False on a fault. */
static bool fetch_page(struct run *run)
{
	const struct ram *ram = run->cpu->mmu.ram;
	vaddr pc = run->regs->pc;
	struct mmu_result r;

	if (!translate(run, pc, MMU_FETCH, &r))
		return false;
	run->page = pc >> PAGE_SHIFT;
	run->frame = r.frame;
	run->code = zero_page;
	if (is_real(ram, r.frame))
		run->code = ram->bytes + ((size_t)r.frame << PAGE_SHIFT);
	return true;
}

/*
 * The instruction at pc, or NULL if there is none: a wild pc, an unknown
 * operation, a register beyond r15 (MARK has its name in those bytes).
 */
static const struct insn *decode(const struct run *run, vaddr pc)
{
	const struct insn *in =
		(const void *)(run->code + (pc & ~PAGE_MASK & ~15u));
	unsigned registers = in->a | in->b | in->c | in->d | in->e;

	if (pc % ISA_INSN_SIZE || in->op >= ISA_OP_COUNT)
		return NULL;
	if (registers >= ISA_REGS && in->op != ISA_MARK)
		return NULL;
	return in;
}

/* Run until something traps; run->trap says what. */
static void execute(struct run *run)
{
	struct cpu *cpu = run->cpu;
	struct cpu_regs *regs = run->regs;

	while (cpu->cycles < cpu->deadline) {
		const struct insn *in;
		const struct op *op;
		enum step step;

		if (regs->pc >> PAGE_SHIFT != run->page && !fetch_page(run))
			return;
		in = decode(run, regs->pc);
		if (!in) {
			step_refuse(run, "not an instruction");
			step_illegal(run);
			return;
		}
		op = &ops[in->op];
		regs->pc += ISA_INSN_SIZE;
		step = op->fn(run, in);
		if (step == STEP_AGAIN) {
			regs->pc -= ISA_INSN_SIZE;
			return;
		}
		cpu->cycles += op->cycles;
		cpu->instructions += op->retires;
		if (step == STEP_TRAP)
			return;
	}
}

struct trap cpu_run(struct cpu *cpu, struct cpu_regs *regs)
{
	struct run run = {
		.cpu = cpu,
		.regs = regs,
		.trap.kind = TRAP_EVENT,
		.page = RUN_NO_PAGE,
		.frame = PFN_NONE,
		.code = zero_page,
	};
	uint64_t start = cpu->cycles;
	uint64_t left = regs->left;
	uint64_t due;

	BUG_ON(cpu->irq_depth);
	cpu_refresh(cpu);
	due = cpu->deadline;
	if (start >= due)
		return run.trap;
	if (due - start > CPU_STRETCH)
		cpu->deadline = start + CPU_STRETCH;
	regs->left = 0;
	step_spend(cpu, regs, left);
	execute(&run);
	cpu->deadline = due;
	cpu->account.user += cpu->cycles - start;
	*cpu->task_user += cpu->cycles - start;
	return run.trap;
}
