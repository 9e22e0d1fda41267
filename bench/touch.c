/*
 * How many page touches a second the CPU and MMU make.
 *
 * Prints millions a second of CPU time, best and median of 5 rounds: touches
 * that hit a TLB of 64 entries, in 4 ways; touches that miss it and walk the
 * tables, in 64 MB and in 3.5 GB; ordinary instructions. Everything is
 * mapped: there are no faults.
 */
#include "bench/rounds.h"
#include "cpu/cpu.h"
#include "emu/bug.h"

#include <string.h>

#define TOUCHES	 20000000
#define CODE	 0xf0000000u /* one page, in a table of its own */
#define PDE_BITS (PTE_P | PTE_RW | PTE_US)

struct bench {
	struct ram ram;
	struct events events;
	struct cpu cpu;
	struct cpu_regs regs;
	pfn next_table;
};

static uint32_t *pte_of(struct bench *b, vaddr va)
{
	uint32_t *pde = ram_word(&b->ram, va >> 22 << 2);

	if (!(*pde & PTE_P)) {
		ram_poke(&b->ram, b->next_table);
		*pde = b->next_table++ << PAGE_SHIFT | PDE_BITS;
	}
	return ram_word(&b->ram, (*pde & PAGE_MASK) | (va >> PAGE_SHIFT & 0x3ff)
							      << 2);
}

/* Maps pages from address 0 on, to frames in an order that jumps about. */
static void bench_init(struct bench *b, uint32_t pages)
{
	const struct tlb_geometry geometry = { 64, 4 };
	uint32_t tables = pages / 1024 + 4;
	uint32_t frame = 0;

	memset(b, 0, sizeof(*b));
	ram_init(&b->ram, pages + tables);
	events_init(&b->events);
	cpu_init(&b->cpu, 0, 1694500, 20, &b->events, &b->ram, geometry,
		 geometry);
	ram_poke(&b->ram, 0);
	b->next_table = 1;
	for (uint32_t i = 0; i < pages; i++) {
		/* a prime above the number of pages: each frame once */
		frame = (uint32_t)((uint64_t)i * 1000003 % pages);
		*pte_of(b, i << PAGE_SHIFT) =
			(tables + frame) << PAGE_SHIFT | PDE_BITS;
	}
	*pte_of(b, CODE) = (tables - 1) << PAGE_SHIFT | PTE_P | PTE_US;
	mmu_load_cr3(&b->cpu.mmu, 0);
	BUG_ON(b->next_table >= tables);
}

static void bench_finish(struct bench *b)
{
	cpu_finish(&b->cpu);
	events_finish(&b->events);
	ram_finish(&b->ram);
}

static void code(struct bench *b, unsigned index, struct insn in)
{
	pfn frame = *pte_of(b, CODE) >> PAGE_SHIFT;

	memcpy(ram_poke(&b->ram, frame) + (size_t)index * ISA_INSN_SIZE, &in,
	       sizeof(in));
}

static void run(struct bench *b)
{
	struct trap t;

	b->regs.pc = CODE;
	do
		t = cpu_run(&b->cpu, &b->regs);
	while (t.kind == TRAP_EVENT);
	BUG_ON(t.kind != TRAP_SYSCALL);
}

static void measure(struct bench *b, const char *what, struct target t)
{
	struct rounds rounds = { 0 };
	uint64_t before;

	run(b); /* the host's own caches and page tables */
	while (rounds_left(&rounds)) {
		before = b->cpu.instructions;
		run(b);
		round_done(&rounds, b->cpu.instructions - before);
	}
	rounds_print(&rounds, what, t);
}

/* TOUCHES draws from this many pages. */
static void measure_draws(struct bench *b, struct insn in, uint64_t pages,
			  const char *what, struct target t)
{
	in.a = 1;
	in.b = 2;
	in.c = 3;
	in.d = 4;
	in.e = 5;
	code(b, 0, in);
	code(b, 1, (struct insn){ .op = ISA_SYSCALL });
	b->regs.r[1] = 0;
	b->regs.r[2] = pages;
	b->regs.r[3] = TOUCHES;
	b->regs.r[4] = 5;
	b->regs.r[5] = 1;
	measure(b, what, t);
}

/* All pages in order, several times; touches are counted, not elements. */
static void measure_sweep(struct bench *b, uint32_t pages, const char *what,
			  struct target t)
{
	unsigned loops = TOUCHES / pages;

	code(b, 0,
	     (struct insn){ .op = ISA_SWEEP,
			    .flags = ISA_READ,
			    .a = 1,
			    .b = 2,
			    .c = 3,
			    .d = 4 });
	code(b, 1,
	     (struct insn){ .op = ISA_SUB,
			    .flags = ISA_IMM,
			    .a = 6,
			    .b = 6,
			    .imm = 1 });
	code(b, 2,
	     (struct insn){ .op = ISA_BNE,
			    .a = 6,
			    .b = 7,
			    .imm = -3LL * ISA_INSN_SIZE });
	/* r6 is 0 again: ready for the next round */
	code(b, 3, (struct insn){ .op = ISA_LI, .a = 6, .imm = loops });
	code(b, 4, (struct insn){ .op = ISA_SYSCALL });
	b->regs.r[1] = 0;
	b->regs.r[2] = (uint64_t)pages << PAGE_SHIFT;
	b->regs.r[3] = PAGE_SIZE;
	b->regs.r[4] = 5;
	b->regs.r[6] = loops;
	b->regs.r[7] = 0;
	measure(b, what, t);
}

static void measure_instructions(struct bench *b, struct insn in,
				 const char *what)
{
	code(b, 0, in);
	code(b, 1,
	     (struct insn){ .op = ISA_SUB,
			    .flags = ISA_IMM,
			    .a = 6,
			    .b = 6,
			    .imm = 1 });
	code(b, 2,
	     (struct insn){ .op = ISA_BNE,
			    .a = 6,
			    .b = 7,
			    .imm = -3LL * ISA_INSN_SIZE });
	code(b, 3, (struct insn){ .op = ISA_LI, .a = 6, .imm = TOUCHES / 3 });
	code(b, 4, (struct insn){ .op = ISA_SYSCALL });
	b->regs.r[1] = 0;
	b->regs.r[6] = TOUCHES / 3;
	b->regs.r[7] = 0;
	measure(b, what, NO_TARGET);
}

/* Thousands a second. */
static const struct target hit = { 150000, 300000 };
static const struct target walk = { 50000, 100000 };
static const struct target far_walk = { 25000, 50000 };

static const struct insn uniform_r = { .op = ISA_UNIFORM, .flags = ISA_READ };
static const struct insn uniform_w = { .op = ISA_UNIFORM, .flags = ISA_WRITE };
static const struct insn uniform_m = { .op = ISA_UNIFORM,
				       .flags = ISA_MIXED,
				       .k = 64 };
static const struct insn zipf_r = { .op = ISA_ZIPF,
				    .flags = ISA_READ,
				    .imm = 819 };

int main(void)
{
	struct bench b;

	bench_init(&b, 16384);
	measure_draws(&b, uniform_r, 48, "TLB hits, 48 pages, reads", hit);
	measure_draws(&b, uniform_w, 48, "TLB hits, 48 pages, writes", hit);
	measure_draws(&b, uniform_m, 48, "TLB hits, 48 pages, 1/4 writes", hit);
	measure_draws(&b, uniform_r, 16384, "walks, 64 MB, reads", walk);
	measure_draws(&b, uniform_w, 16384, "walks, 64 MB, writes", walk);
	measure_draws(&b, zipf_r, 16384, "zipf 0.8, 64 MB, reads", NO_TARGET);
	measure_sweep(&b, 16384, "walks in order, 64 MB, reads", walk);
	measure_instructions(&b, (struct insn){ .op = ISA_NOP },
			     "instructions, nop sub bne");
	measure_instructions(&b, (struct insn){ .op = ISA_LD8, .b = 1 },
			     "instructions, ld8 sub bne");
	measure_instructions(&b, (struct insn){ .op = ISA_ST8, .b = 1 },
			     "instructions, st8 sub bne");
	bench_finish(&b);

	bench_init(&b, 917504);
	measure_draws(&b, uniform_r, 917504, "walks, 3.5 GB, reads", far_walk);
	measure_draws(&b, uniform_w, 917504, "walks, 3.5 GB, writes", far_walk);
	measure_sweep(&b, 917504, "walks in order, 3.5 GB, reads", far_walk);
	bench_finish(&b);
	return 0;
}
