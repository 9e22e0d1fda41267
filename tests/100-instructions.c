/*
 * Each ordinary instruction: result, cost, where pc is after every trap.
 */
#include "tests/cpukit.h"

#include <stdlib.h>

#define DATA 0x00800000u

struct alu_case {
	uint32_t op;
	unsigned cycles;
	uint64_t x, y;
	uint64_t result;
};

#define MINUS(n) ((uint64_t) - (int64_t)(n))

static const struct alu_case alu_cases[] = {
	{ ISA_ADD, 1, 5, 7, 12 },
	{ ISA_ADD, 1, UINT64_MAX, 2, 1 },
	{ ISA_SUB, 1, 5, 7, MINUS(2) },
	{ ISA_MUL, 1, 0x100000001, 0x100000001, 0x200000001 },
	{ ISA_DIV, 20, MINUS(2), 3, 0x5555555555555554 },
	{ ISA_MOD, 20, 17, 5, 2 },
	{ ISA_AND, 1, 12, 10, 8 },
	{ ISA_OR, 1, 12, 10, 14 },
	{ ISA_XOR, 1, 12, 10, 6 },
	{ ISA_SHL, 1, 1, 63, 1ull << 63 },
	{ ISA_SHL, 1, 3, 64, 3 },
	{ ISA_SHR, 1, MINUS(1), 60, 15 },
	{ ISA_SHR, 1, 8, 67, 1 },
	{ ISA_SAR, 1, MINUS(16), 2, MINUS(4) },
	{ ISA_SAR, 1, MINUS(16), 66, MINUS(4) },
	{ ISA_MSB, 1, 0x8000, 0, 15 },
	{ ISA_MSB, 1, MINUS(1), 0, 63 },
	{ ISA_MSB, 1, 1, 0, 0 },
	{ ISA_MSB, 1, 0, 0, MINUS(1) },
	{ ISA_MOV, 1, 99, 1, 99 },
	{ ISA_NOP, 0, 0, 0, 0 },
};

struct branch_case {
	uint8_t op;
	bool taken;
	uint64_t x, y;
};

static const struct branch_case branch_cases[] = {
	{ ISA_BEQ, true, 1, 1 },	  { ISA_BEQ, false, 1, 2 },
	{ ISA_BNE, false, 1, 1 },	  { ISA_BNE, true, 1, 2 },
	{ ISA_BLT, true, MINUS(1), 0 },	  { ISA_BLT, false, 0, MINUS(1) },
	{ ISA_BLT, false, 3, 3 },	  { ISA_BGE, true, 3, 3 },
	{ ISA_BGE, true, 0, MINUS(1) },	  { ISA_BGE, false, MINUS(1), 0 },
	{ ISA_BLTU, false, MINUS(1), 0 }, { ISA_BLTU, true, 0, MINUS(1) },
	{ ISA_BGEU, true, MINUS(1), 0 },  { ISA_BGEU, true, 3, 3 },
	{ ISA_BGEU, false, 0, 1 },	  { ISA_NOP, false, 0, 0 },
};

/* Run from the start of the code page. */
static struct trap start(struct kit *k)
{
	k->regs.pc = KIT_CODE;
	return cpu_run(&k->cpu, &k->regs);
}

/* Run one instruction and the system call behind it; cycles of the first. */
static uint64_t one(struct kit *k, struct insn in)
{
	uint64_t before = k->cpu.cycles;
	struct trap t;

	kit_code(k, 0, in);
	kit_code(k, 1, (struct insn){ .op = ISA_SYSCALL });
	t = start(k);
	BUG_ON(t.kind != TRAP_SYSCALL);
	BUG_ON(k->regs.pc != KIT_CODE + 2 * ISA_INSN_SIZE);
	return k->cpu.cycles - before - 1;
}

static void test_alu(struct kit *k)
{
	for (const struct alu_case *c = alu_cases; c->op != ISA_NOP; c++) {
		struct insn in = {
			.op = (uint8_t)c->op, .a = 1, .b = 2, .c = 3
		};

		k->regs.r[2] = c->x;
		k->regs.r[3] = c->y;
		BUG_ON(one(k, in) != c->cycles);
		BUG_ON(k->regs.r[1] != c->result);
		if (c->op == ISA_MSB || c->op == ISA_MOV)
			continue;
		in.flags = ISA_IMM;
		in.imm = (int64_t)c->y;
		k->regs.r[3] = 0x5a5a;
		BUG_ON(one(k, in) != c->cycles);
		BUG_ON(k->regs.r[1] != c->result || k->regs.r[2] != c->x);
	}
	BUG_ON(one(k, (struct insn){ .op = ISA_NOP }) != 1);
	BUG_ON(one(k, (struct insn){ .op = ISA_LI, .a = 4, .imm = -3 }) != 1);
	BUG_ON(k->regs.r[4] != MINUS(3));
}

/* The sequence of xorshift64* from state 1, worked out apart. */
static void test_rand(struct kit *k)
{
	k->regs.r[2] = 1;
	one(k, (struct insn){ .op = ISA_RAND, .a = 1, .b = 2 });
	BUG_ON(k->regs.r[2] != 0x2000001 ||
	       k->regs.r[1] != 0x2000001 * 0x2545F4914F6CDD1Dull);
}

/* Taken: to the system call at 5, its immediate being 4 past the next. */
static void test_branches(struct kit *k)
{
	for (const struct branch_case *c = branch_cases; c->op != ISA_NOP;
	     c++) {
		vaddr end;

		k->regs.r[1] = c->x;
		k->regs.r[2] = c->y;
		kit_code(k, 0,
			 (struct insn){ .op = c->op,
					.a = 1,
					.b = 2,
					.imm = 4LL * ISA_INSN_SIZE });
		kit_code(k, 1, (struct insn){ .op = ISA_SYSCALL });
		kit_code(k, 5, (struct insn){ .op = ISA_SYSCALL });
		BUG_ON(start(k).kind != TRAP_SYSCALL);
		end = KIT_CODE + (c->taken ? 6 : 2) * ISA_INSN_SIZE;
		BUG_ON(k->regs.pc != end);
	}
}

static struct trap to_place(struct kit *k, struct insn in, unsigned place)
{
	struct trap t;

	kit_code(k, 0, in);
	kit_code(k, 1, (struct insn){ .op = ISA_SYSCALL });
	kit_code(k, place, (struct insn){ .op = ISA_SYSCALL });
	t = start(k);
	BUG_ON(k->regs.pc != KIT_CODE + (place + 1) * ISA_INSN_SIZE);
	return t;
}

static void test_jumps(struct kit *k)
{
	uint64_t saved = KIT_CODE + ISA_INSN_SIZE;

	kit_map(k, DATA, KIT_DATA_FRAME, PTE_US | PTE_RW);
	k->regs.r[ISA_SP] = DATA + 64;
	to_place(k, (struct insn){ .op = ISA_JMP, .imm = 48 }, 4);
	k->regs.r[3] = KIT_CODE + 7 * ISA_INSN_SIZE;
	to_place(k, (struct insn){ .op = ISA_JR, .a = 3 }, 7);
	to_place(k, (struct insn){ .op = ISA_CALL, .imm = 32 }, 3);
	BUG_ON(k->regs.r[ISA_SP] != DATA + 56);
	BUG_ON(memcmp(ram_peek(&k->ram, KIT_DATA_FRAME) + 56, &saved, 8) != 0);
	to_place(k, (struct insn){ .op = ISA_RET }, 1);
	BUG_ON(k->regs.r[ISA_SP] != DATA + 64);
	to_place(k, (struct insn){ .op = ISA_CALLR, .a = 3 }, 7);
	BUG_ON(k->regs.r[ISA_SP] != DATA + 56);
	to_place(k, (struct insn){ .op = ISA_POP, .a = 5 }, 1);
	BUG_ON(k->regs.r[5] != saved || k->regs.r[ISA_SP] != DATA + 64);
	k->regs.r[6] = 0x1122334455667788;
	to_place(k, (struct insn){ .op = ISA_PUSH, .a = 6 }, 1);
	to_place(k, (struct insn){ .op = ISA_POP, .a = 7 }, 1);
	BUG_ON(k->regs.r[7] != 0x1122334455667788);
}

static uint64_t load(struct kit *k, uint8_t op, vaddr va)
{
	k->regs.r[2] = va - 8;
	one(k, (struct insn){ .op = op, .a = 1, .b = 2, .imm = 8 });
	return k->regs.r[1];
}

static void store(struct kit *k, uint8_t op, vaddr va, uint64_t value)
{
	k->regs.r[1] = value;
	k->regs.r[2] = va + 16;
	one(k, (struct insn){ .op = op, .a = 1, .b = 2, .imm = -16 });
}

static void test_memory(struct kit *k)
{
	const vaddr edge = DATA + PAGE_SIZE - 3;
	uint64_t tag0, tag1;

	kit_map(k, DATA, KIT_DATA_FRAME, PTE_US | PTE_RW);
	kit_map(k, DATA + PAGE_SIZE, KIT_DATA_FRAME + 1, PTE_US | PTE_RW);
	ram_clear(&k->ram, KIT_DATA_FRAME);
	ram_clear(&k->ram, KIT_DATA_FRAME + 1);
	BUG_ON(load(k, ISA_LD8, DATA) || ram_peek(&k->ram, KIT_DATA_FRAME));

	store(k, ISA_ST8, DATA + 8, 0x8877665544332211);
	BUG_ON(load(k, ISA_LD8, DATA + 8) != 0x8877665544332211);
	BUG_ON(load(k, ISA_LD4, DATA + 12) != 0x88776655);
	BUG_ON(load(k, ISA_LD1, DATA + 15) != 0x88);
	store(k, ISA_ST1, DATA + 9, 0xfff);
	store(k, ISA_ST4, DATA + 12, 0x1aabbccdd);
	BUG_ON(load(k, ISA_LD8, DATA + 8) != 0xaabbccdd4433ff11);
	tag0 = 3 * KIT_KEY * (2 * (DATA >> PAGE_SHIFT) + 1);
	BUG_ON(k->ram.tag[KIT_DATA_FRAME] != tag0);

	/* across the edge: both pages get bytes and one store each */
	store(k, ISA_ST8, edge, 0x0807060504030201);
	BUG_ON(load(k, ISA_LD8, edge) != 0x0807060504030201);
	BUG_ON(load(k, ISA_LD4, edge + 2) != 0x06050403);
	BUG_ON(ram_peek(&k->ram, KIT_DATA_FRAME + 1)[4] != 8);
	tag0 += KIT_KEY * (2 * (DATA >> PAGE_SHIFT) + 1);
	tag1 = KIT_KEY * (2 * ((DATA >> PAGE_SHIFT) + 1) + 1);
	BUG_ON(k->ram.tag[KIT_DATA_FRAME] != tag0);
	BUG_ON(k->ram.tag[KIT_DATA_FRAME + 1] != tag1);
}

/* Nowhere: a frame above RAM reads zero and takes what is stored. */
static void test_nowhere(struct kit *k)
{
	kit_map(k, DATA, KIT_FRAMES + 5, PTE_US | PTE_RW);
	store(k, ISA_ST8, DATA, 77);
	BUG_ON(load(k, ISA_LD8, DATA) != 0);
}

static void expect_fault(struct kit *k, struct insn in, vaddr address,
			 uint8_t error)
{
	const struct cpu_regs before = k->regs;
	struct trap t;

	kit_code(k, 0, in);
	t = start(k);
	BUG_ON(t.kind != TRAP_FAULT);
	BUG_ON(t.address != address || k->cpu.mmu.cr2 != address);
	BUG_ON(t.error != error);
	BUG_ON(t.access != (error & PF_WRITE ? MMU_WRITE : MMU_READ));
	BUG_ON(k->regs.pc != KIT_CODE);
	BUG_ON(memcmp(k->regs.r, before.r, sizeof(before.r)) != 0);
}

static void test_faults(struct kit *k)
{
	const vaddr edge = DATA + PAGE_SIZE - 4;
	struct insn ld = { .op = ISA_LD8, .a = 1, .b = 2 };
	struct insn st = { .op = ISA_ST8, .a = 1, .b = 2 };
	uint64_t tag;

	kit_map(k, DATA, KIT_DATA_FRAME, PTE_US | PTE_RW);
	*kit_pte(k, DATA + PAGE_SIZE) = 0;
	mmu_invlpg(&k->cpu.mmu, DATA + PAGE_SIZE);
	tag = k->ram.tag[KIT_DATA_FRAME];
	k->regs.r[2] = edge;
	k->regs.r[ISA_SP] = edge + 8;
	expect_fault(k, ld, DATA + PAGE_SIZE, PF_USER);
	expect_fault(k, st, DATA + PAGE_SIZE, PF_USER | PF_WRITE);
	expect_fault(k, (struct insn){ .op = ISA_PUSH, .a = 1 },
		     DATA + PAGE_SIZE, PF_USER | PF_WRITE);
	expect_fault(k, (struct insn){ .op = ISA_CALL, .imm = 160 },
		     DATA + PAGE_SIZE, PF_USER | PF_WRITE);
	BUG_ON(k->ram.tag[KIT_DATA_FRAME] != tag);
	k->regs.r[ISA_SP] = DATA + PAGE_SIZE;
	expect_fault(k, (struct insn){ .op = ISA_POP, .a = 1 },
		     DATA + PAGE_SIZE, PF_USER);
	expect_fault(k, (struct insn){ .op = ISA_RET }, DATA + PAGE_SIZE,
		     PF_USER);
	kit_map(k, DATA, KIT_DATA_FRAME, PTE_US);
	k->regs.r[2] = DATA;
	expect_fault(k, st, DATA, PF_USER | PF_WRITE | PF_PROT);
}

static void expect_trap(struct kit *k, struct insn in, enum trap_kind kind)
{
	uint64_t before = k->cpu.cycles;

	kit_code(k, 0, in);
	BUG_ON(start(k).kind != kind);
	BUG_ON(k->regs.pc != KIT_CODE || k->cpu.cycles != before);
}

static void test_traps(struct kit *k)
{
	struct trap t;
	uint64_t before = k->cpu.cycles;

	k->regs.r[3] = 0;
	expect_trap(k, (struct insn){ .op = ISA_OP_COUNT }, TRAP_ILLEGAL);
	expect_trap(k, (struct insn){ .op = 255 }, TRAP_ILLEGAL);
	expect_trap(k, (struct insn){ .op = ISA_MOV, .b = 16 }, TRAP_ILLEGAL);
	expect_trap(k, (struct insn){ .op = ISA_NOP, .e = 99 }, TRAP_ILLEGAL);
	expect_trap(k, (struct insn){ .op = ISA_DIV, .c = 3 }, TRAP_DIVIDE);
	expect_trap(k, (struct insn){ .op = ISA_MOD, .flags = ISA_IMM },
		    TRAP_DIVIDE);
	expect_trap(k, (struct insn){ .op = ISA_SWEEP }, TRAP_ILLEGAL);

	kit_code(k, 0, (struct insn){ .op = ISA_MARK });
	memcpy(ram_poke(&k->ram, KIT_CODE_FRAME) + 2, "fourteen bytes", 14);
	t = start(k);
	BUG_ON(t.kind != TRAP_MARK || strcmp(t.name, "fourteen bytes") != 0);
	BUG_ON(k->regs.pc != KIT_CODE + ISA_INSN_SIZE);
	BUG_ON(k->cpu.cycles != before);

	k->regs.pc = KIT_CODE + 8;
	BUG_ON(cpu_run(&k->cpu, &k->regs).kind != TRAP_ILLEGAL);
}

/* Code that rewrites itself, and code whose page goes away. */
static void test_fetch(struct kit *k)
{
	struct insn li = { .op = ISA_LI, .a = 5, .imm = 1234 };
	uint64_t half[2];
	struct trap t;

	memcpy(half, &li, sizeof(half));
	kit_map(k, KIT_CODE, KIT_CODE_FRAME, PTE_US | PTE_RW);
	kit_code(k, 0, (struct insn){ .op = ISA_ST8, .a = 1, .b = 3 });
	kit_code(k, 1,
		 (struct insn){ .op = ISA_ST8, .a = 2, .b = 3, .imm = 8 });
	kit_code(k, 2, (struct insn){ .op = ISA_NOP });
	kit_code(k, 3, (struct insn){ .op = ISA_SYSCALL });
	k->regs.r[1] = half[0];
	k->regs.r[2] = half[1];
	k->regs.r[3] = KIT_CODE + 2 * ISA_INSN_SIZE;
	BUG_ON(start(k).kind != TRAP_SYSCALL || k->regs.r[5] != 1234);
	kit_map(k, KIT_CODE, KIT_CODE_FRAME, PTE_US);

	*kit_pte(k, KIT_CODE + PAGE_SIZE) = 0;
	kit_code(k, 255, (struct insn){ .op = ISA_NOP });
	k->regs.pc = KIT_CODE + 255 * ISA_INSN_SIZE;
	t = cpu_run(&k->cpu, &k->regs);
	BUG_ON(t.kind != TRAP_FAULT || t.access != MMU_FETCH);
	BUG_ON(t.address != KIT_CODE + PAGE_SIZE || t.error != PF_USER);
	BUG_ON(k->regs.pc != KIT_CODE + PAGE_SIZE);
}

/* An operation that nobody wrote would be a NULL call: try them all. */
static void test_every_op(struct kit *k)
{
	for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
		for (unsigned i = 0; i < ISA_REGS; i++)
			k->regs.r[i] = DATA + 64;
		kit_code(k, 0, (struct insn){ .op = (uint8_t)op });
		kit_code(k, 1, (struct insn){ .op = ISA_SYSCALL });
		start(k);
		k->regs.step = 0;
		k->regs.left = 0;
	}
}

int main(void)
{
	struct kit k;

	kit_init(&k, 1000000, 0);
	test_alu(&k);
	test_rand(&k);
	test_branches(&k);
	test_jumps(&k);
	test_memory(&k);
	test_nowhere(&k);
	test_faults(&k);
	test_traps(&k);
	test_fetch(&k);
	test_every_op(&k);
	kit_finish(&k);
	return 0;
}
