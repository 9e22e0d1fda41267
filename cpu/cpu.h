/*
 * A processor: runs the steps of a user program until something traps, and
 * is the place where simulated time is spent.
 *
 * Time on a CPU is counted in cycles since power-on. Nanoseconds follow from
 * them exactly (floor of cycles * 10^6 / kHz): nothing drifts, and the hot
 * path never divides. Every cycle goes into exactly one account.
 *
 * User code stops (TRAP_EVENT) as soon as the next event is due, and after a
 * stretch without one. Kernel code spends time in two ways: cpu_charge inside
 * work that is half done, and cpu_spend where interrupts may come in.
 */
#pragma once

#include "cpu/isa.h"
#include "emu/bug.h"
#include "emu/event.h"
#include "mmu/mmu.h"

/*
 * Cycles that user code runs at most before cpu_run returns: a fraction of a
 * second of the host's time, so that its user can interrupt a run. Longer
 * than a tick of the clock on any machine of 3 GHz at 50 Hz: those never
 * notice.
 */
#define CPU_STRETCH (1ull << 26)

struct cpu_account {
	uint64_t user; /* all in cycles */
	uint64_t system;
	uint64_t irq;
	uint64_t idle;
	uint64_t iowait;
};

/* What a program is: its registers. Owned by the task. */
struct cpu_regs {
	uint64_t r[ISA_REGS];
	vaddr pc;
	/*
	 * Progress of the reference instruction at pc, 0 if it has none:
	 * elements done; for sweep2 those of the upper pointer in the high
	 * half. Opaque to the kernel: exec clears it, signals save it.
	 */
	uint64_t step;
	uint64_t left; /* cycles to spend before the next step is taken */
};

enum trap_kind {
	TRAP_EVENT,   /* run the events that are due, maybe reschedule */
	TRAP_FAULT,   /* page fault: address, error, access */
	TRAP_SYSCALL, /* pc already points behind the instruction */
	TRAP_MARK,    /* phase: name; pc already points behind */
	TRAP_ILLEGAL, /* unknown instruction or operand */
	TRAP_DIVIDE,
};

struct trap {
	enum trap_kind kind;
	vaddr address;		     /* TRAP_FAULT */
	uint8_t error;		     /* TRAP_FAULT: PF_ bits */
	enum mmu_access access;	     /* TRAP_FAULT */
	const char *why;	     /* TRAP_ILLEGAL: what is wrong */
	char name[ISA_MARK_MAX + 1]; /* TRAP_MARK */
};

struct cpu {
	unsigned id;
	int64_t khz;
	struct events *events;
	struct mmu mmu;

	uint64_t cycles;	/* since power-on */
	uint64_t deadline;	/* cycles at which the next event is due */
	simtime deadline_ns;	/* that event's time */
	uint64_t second_cycles; /* cycles at the start of this second */
	simtime second_ns;	/* and its time */

	struct cpu_account account;
	/* where the running task's own time is counted; never NULL */
	uint64_t *task_user;
	uint64_t *task_system;
	uint64_t nobody[2]; /* what they point at with no task */

	unsigned irq_depth;    /* > 0 while an event callback runs */
	bool need_resched;     /* owned by the kernel */
	uint32_t walk_cycles;  /* user cycles of one table walk */
	uint64_t instructions; /* retired, reference elements included */

	struct zipf_cache *zipf; /* tables in use, by (n, theta) */
};

/*
 * events and ram outlive the CPU. khz is at least 1; walk_cycles are what
 * one table walk by user code costs.
 */
void cpu_init(struct cpu *cpu, unsigned id, int64_t khz, uint32_t walk_cycles,
	      struct events *events, struct ram *ram, struct tlb_geometry itlb,
	      struct tlb_geometry dtlb);
void cpu_finish(struct cpu *cpu);

/* The CPU's time, ns. One division. */
simtime cpu_now(const struct cpu *cpu);

/*
 * Cycles of a span of ns, rounded up: cpu_now first says ns or more when so
 * many cycles have gone by since power-on.
 */
uint64_t cpu_cycles_of(const struct cpu *cpu, simtime ns);

/*
 * Run user code from *regs until a trap; time and tags are accounted for,
 * regs say where to go on. The mmu must have the task's CR3 and key. Returns
 * TRAP_EVENT at once if an event is already due, and after CPU_STRETCH cycles
 * even if none is. On TRAP_FAULT, TRAP_ILLEGAL and TRAP_DIVIDE pc is that of
 * the instruction, which has had no effect.
 */
struct trap cpu_run(struct cpu *cpu, struct cpu_regs *regs);

/*
 * Spend kernel time (irq time inside an event callback) without letting
 * events in: for work that is half done.
 */
static inline void cpu_charge(struct cpu *cpu, uint64_t cycles)
{
	cpu->cycles += cycles;
	if (cpu->irq_depth) {
		cpu->account.irq += cycles;
	} else {
		cpu->account.system += cycles;
		*cpu->task_system += cycles;
	}
}

/* What cpu_run_events leaves to it: the queue has changed, or one is due. */
void cpu_run_due(struct cpu *cpu);

/* Run the events that are due by now. Not inside event callbacks. */
static inline void cpu_run_events(struct cpu *cpu)
{
	BUG_ON(cpu->irq_depth);
	if (event_next(cpu->events) != cpu->deadline_ns ||
	    cpu->cycles >= cpu->deadline)
		cpu_run_due(cpu);
}

/*
 * Spend kernel time and run the events that are due by its end, as
 * interrupts on the present stack, each at its own time: what they charge
 * comes on top. Anything that an event may change must be read again
 * afterwards. Not inside event callbacks.
 */
void cpu_spend(struct cpu *cpu, uint64_t cycles);

/*
 * Nothing to do: let time pass to the next event, count it as idle or
 * iowait, and run that event (one only: look for work in between). False if
 * there is no event left.
 */
bool cpu_idle(struct cpu *cpu, bool iowait);
