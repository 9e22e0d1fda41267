/*
 * The processor's clock and accounts.
 *
 * Models      time as cycles of a fixed frequency; one account per kind of
 *             time; interrupts at the time of their event.
 * Leaves out  frequency scaling, pipelines and caches (except as costs),
 *             halting with a wake-up latency.
 * Seen in     every scenario. cpu/run.c runs programs.
 */
#include "cpu/cpu.h"

#include "cpu/step.h"
#include "emu/bug.h"

/* Cycles of one second: exact, since the frequency is a whole kHz. */
static uint64_t second_of(const struct cpu *cpu)
{
	return (uint64_t)cpu->khz * 1000;
}

/* What is soldered to a CPU stands in one place, the machine's. */
/* NOLINTNEXTLINE(readability-function-size) */
void cpu_init(struct cpu *cpu, unsigned id, int64_t khz, uint32_t walk_cycles,
	      struct events *events, struct ram *ram, struct tlb_geometry itlb,
	      struct tlb_geometry dtlb)
{
	/* the upper limit keeps cycles * 10^6 of a second within 64 bits */
	BUG_ON(khz <= 0 || khz > 1000LL * 1000 * 1000);
	*cpu = (struct cpu){
		.id = id,
		.khz = khz,
		.events = events,
		.deadline = UINT64_MAX,
		.deadline_ns = SIMTIME_MAX,
		.walk_cycles = walk_cycles,
	};
	cpu->task_user = &cpu->nobody[0];
	cpu->task_system = &cpu->nobody[1];
	mmu_init(&cpu->mmu, ram, itlb, dtlb);
}

void cpu_finish(struct cpu *cpu)
{
	zipf_cache_free(cpu->zipf);
	mmu_finish(&cpu->mmu);
	*cpu = (struct cpu){ 0 };
}

simtime cpu_now(const struct cpu *cpu)
{
	uint64_t rest = cpu->cycles - cpu->second_cycles;
	simtime whole = cpu->second_ns;

	/* long kernel work or idleness since the last refresh */
	if (rest >= second_of(cpu)) {
		whole += (simtime)(rest / second_of(cpu)) * NSEC_PER_SEC;
		rest %= second_of(cpu);
	}
	return whole + (simtime)(rest * 1000000 / (uint64_t)cpu->khz);
}

uint64_t cpu_cycles_of(const struct cpu *cpu, simtime ns)
{
	uint64_t part = (uint64_t)(ns % NSEC_PER_SEC) * (uint64_t)cpu->khz;

	BUG_ON(ns < 0);
	return (uint64_t)(ns / NSEC_PER_SEC) * second_of(cpu) +
	       (part + 999999) / 1000000;
}

void cpu_refresh(struct cpu *cpu)
{
	simtime next = event_next(cpu->events);
	uint64_t rest = cpu->cycles - cpu->second_cycles;

	if (rest >= second_of(cpu)) {
		uint64_t seconds = rest / second_of(cpu);

		cpu->second_cycles += seconds * second_of(cpu);
		cpu->second_ns += (simtime)seconds * NSEC_PER_SEC;
	}
	if (next == cpu->deadline_ns)
		return;
	cpu->deadline_ns = next;
	cpu->deadline =
		next == SIMTIME_MAX ? UINT64_MAX : cpu_cycles_of(cpu, next);
}

static void run_one_event(struct cpu *cpu)
{
	cpu->irq_depth++;
	BUG_ON(!event_run_one(cpu->events));
	cpu->irq_depth--;
}

/* A callback's own charges may make more events due. */
void cpu_run_due(struct cpu *cpu)
{
	cpu_refresh(cpu);
	while (cpu->cycles >= cpu->deadline) {
		run_one_event(cpu);
		cpu_refresh(cpu);
	}
}

void cpu_spend(struct cpu *cpu, uint64_t cycles)
{
	cpu_run_events(cpu);
	while (cycles >= cpu->deadline - cpu->cycles) {
		uint64_t room = cpu->deadline - cpu->cycles;

		cpu_charge(cpu, room);
		cycles -= room;
		cpu_run_events(cpu);
	}
	cpu_charge(cpu, cycles);
}

bool cpu_idle(struct cpu *cpu, bool iowait)
{
	uint64_t *account = iowait ? &cpu->account.iowait : &cpu->account.idle;

	BUG_ON(cpu->irq_depth);
	cpu_refresh(cpu);
	if (cpu->deadline_ns == SIMTIME_MAX)
		return false;
	if (cpu->deadline > cpu->cycles) {
		*account += cpu->deadline - cpu->cycles;
		cpu->cycles = cpu->deadline;
	}
	run_one_event(cpu);
	return true;
}
