/*
 * Inside the processor: what one cpu_run shares with the instructions. For
 * the files of this folder only.
 */
#pragma once

#include "cpu/cpu.h"

/* How a step ended. */
enum step {
	STEP_DONE,  /* retired: go on with the instruction at pc */
	STEP_TRAP,  /* retired, and run.trap says why user code stops */
	STEP_AGAIN, /* not retired: as STEP_TRAP, with pc back at it */
};

/* One cpu_run. trap.kind is TRAP_EVENT until something else happens. */
struct run {
	struct cpu *cpu;
	struct cpu_regs *regs; /* pc is already behind the instruction */
	struct trap trap;

	/* the page that instructions come from, while nothing can change it */
	uint32_t page; /* its number, RUN_NO_PAGE when it must be fetched */
	pfn frame;
	const uint8_t *code;
};

#define RUN_NO_PAGE UINT32_MAX

/* Reference instructions, cpu/refs.c. */
enum step ref_sweep(struct run *run, const struct insn *in);
enum step ref_sweep2(struct run *run, const struct insn *in);
enum step ref_uniform(struct run *run, const struct insn *in);
enum step ref_zipf(struct run *run, const struct insn *in);
enum step ref_wset(struct run *run, const struct insn *in);

/* Zipf tables in use, cpu/zipf.c. NULL is an empty cache. */
const struct zipf *zipf_cache_get(struct zipf_cache **cache, uint32_t n,
				  uint32_t theta_1024);
void zipf_cache_free(struct zipf_cache *cache);

/* Bring the deadline, and the start of this second, up to date. */
void cpu_refresh(struct cpu *cpu);

/* The reason was given by step_refuse. */
static inline enum step step_illegal(struct run *run)
{
	run->trap.kind = TRAP_ILLEGAL;
	return STEP_AGAIN;
}

/* Say why an instruction is illegal. Always false, for checks to return. */
static inline bool step_refuse(struct run *run, const char *why)
{
	run->trap.why = why;
	return false;
}

static inline enum step step_fault(struct run *run, vaddr va,
				   enum mmu_access access, struct mmu_result r)
{
	run->trap.kind = TRAP_FAULT;
	run->trap.address = va;
	run->trap.error = r.error;
	run->trap.access = access;
	return STEP_AGAIN;
}

/*
 * Spend cycles of user time before the next step, up to the next event;
 * what remains is kept in regs.left. False if the event is due now.
 */
static inline bool step_spend(struct cpu *cpu, struct cpu_regs *regs,
			      uint64_t cycles)
{
	uint64_t room = cpu->deadline - cpu->cycles;

	if (__builtin_expect(cycles < room, 1)) {
		cpu->cycles += cycles;
		return true;
	}
	cpu->cycles = cpu->deadline;
	regs->left = cycles - room;
	return false;
}
