/*
 * Time on a CPU: exact at odd frequencies, every cycle in one account, events
 * at their own time whatever the CPU is doing.
 */
#include "tests/cpukit.h"

#include "emu/rng.h"

__extension__ typedef unsigned __int128 wide;

#define WALK_CYCLES 17

/* floor(cycles * 10^6 / kHz), the long way. */
static simtime exact_ns(const struct cpu *cpu)
{
	return (simtime)((wide)cpu->cycles * 1000000 / (wide)cpu->khz);
}

/* An event that comes again and again and checks that it is on time. */
struct ticker {
	struct kit *kit;
	struct event event;
	struct rng rng;
	simtime due;
	uint64_t mean; /* ns between two */
	uint64_t fired;
	uint64_t late; /* in kernel work that does not let events in */
};

static void tick(void *arg)
{
	struct ticker *t = arg;
	struct cpu *cpu = &t->kit->cpu;
	uint64_t first = cpu_cycles_of(cpu, t->due);

	BUG_ON(t->kit->events.now != t->due);
	BUG_ON(cpu_now(cpu) != exact_ns(cpu) || cpu->cycles < first);
	/* the first cycle whose time is not before the event's */
	BUG_ON((wide)first * 1000000 / (wide)cpu->khz < (wide)t->due);
	BUG_ON(first &&
	       (wide)(first - 1) * 1000000 / (wide)cpu->khz >= (wide)t->due);
	t->late += cpu->cycles - first;
	t->fired++;
	cpu_charge(cpu, rng_below(&t->rng, 50));
	t->due = cpu_now(cpu) + 1 + (simtime)rng_below(&t->rng, 2 * t->mean);
	event_post(&t->kit->events, &t->event, t->due);
}

static void ticker_start(struct ticker *t, struct kit *k, uint64_t mean)
{
	*t = (struct ticker){ .kit = k, .due = 1, .mean = mean };
	rng_init(&t->rng, 7, "ticker");
	event_init(&t->event, tick, t);
	event_post(&k->events, &t->event, t->due);
}

/* A loop without end: compute, divide, sweep over code, jump back. */
static void write_program(struct kit *k)
{
	kit_code(k, 0,
		 (struct insn){
			 .op = ISA_COMPUTE, .flags = ISA_IMM, .imm = 12345 });
	kit_code(k, 1, (struct insn){ .op = ISA_DIV, .a = 5, .b = 1, .c = 1 });
	kit_code(k, 2,
		 (struct insn){ .op = ISA_SWEEP,
				.flags = ISA_READ,
				.a = 1,
				.b = 2,
				.c = 3,
				.d = 4 });
	kit_code(k, 3,
		 (struct insn){ .op = ISA_JMP, .imm = -4LL * ISA_INSN_SIZE });
	k->regs.r[1] = KIT_CODE;
	k->regs.r[2] = PAGE_SIZE;
	k->regs.r[3] = 8;
	k->regs.r[4] = 21;
}

static uint64_t account_sum(const struct cpu_account *a)
{
	return a->user + a->system + a->irq + a->idle + a->iowait;
}

/* A kernel that does everything at random for a while of simulated time. */
static void live(struct kit *k, struct ticker *t, simtime until)
{
	struct cpu *cpu = &k->cpu;
	uint64_t task[2] = { 0, 0 };
	struct trap trap;

	while (cpu_now(cpu) < until) {
		BUG_ON(cpu_now(cpu) != exact_ns(cpu));
		cpu->task_user = &task[0];
		cpu->task_system = &task[1];
		switch (rng_below(&t->rng, 4)) {
		case 0:
			trap = cpu_run(cpu, &k->regs);
			BUG_ON(trap.kind != TRAP_EVENT);
			break;
		case 1:
			cpu_spend(cpu, rng_below(&t->rng, 100000));
			break;
		case 2:
			cpu_charge(cpu, rng_below(&t->rng, 300));
			cpu_run_events(cpu);
			break;
		default:
			BUG_ON(!cpu_idle(cpu, rng_below(&t->rng, 2)));
			break;
		}
	}
	BUG_ON(account_sum(&cpu->account) != cpu->cycles);
	BUG_ON(task[0] != cpu->account.user);
	BUG_ON(task[1] != cpu->account.system);
	cpu->task_user = &cpu->nobody[0];
	cpu->task_system = &cpu->nobody[1];
}

static void check_identity(int64_t khz, uint64_t mean, simtime until)
{
	struct ticker t;
	struct kit k;

	kit_init(&k, khz, WALK_CYCLES);
	write_program(&k);
	ticker_start(&t, &k, mean);
	live(&k, &t, until);
	BUG_ON(t.fired < 100);
	BUG_ON(!k.cpu.account.user || !k.cpu.account.iowait);
	BUG_ON(!k.cpu.account.irq || !k.cpu.account.idle);
	kit_finish(&k);
}

/*
 * A computation of known length, chopped by events: nothing is lost. The
 * events' own time comes on top, and cpu_run never runs past an event.
 */
static void check_interrupted_compute(void)
{
	const uint64_t length = 1000000;
	struct ticker t;
	struct kit k;

	kit_init(&k, 1694500, 0);
	kit_code(&k, 0,
		 (struct insn){ .op = ISA_COMPUTE,
				.flags = ISA_IMM,
				.imm = (int64_t)length });
	kit_code(&k, 1, (struct insn){ .op = ISA_SYSCALL });
	ticker_start(&t, &k, 1000);
	while (cpu_run(&k.cpu, &k.regs).kind == TRAP_EVENT) {
		BUG_ON(k.cpu.cycles != k.cpu.deadline);
		cpu_run_events(&k.cpu);
	}
	BUG_ON(k.cpu.account.user != length + 1);
	BUG_ON(k.cpu.account.irq + length + 1 != k.cpu.cycles);
	BUG_ON(t.late != 0 || t.fired < 400 || k.regs.left);
	kit_finish(&k);
}

/*
 * User code comes back after a stretch even if no event is due, as often as
 * it takes, and that changes nothing in what it does.
 */
static void check_stretches(void)
{
	const uint64_t length = 3 * CPU_STRETCH + 5;
	struct kit k;
	unsigned stops = 0;

	kit_init(&k, 1694500, 0);
	kit_code(&k, 0,
		 (struct insn){ .op = ISA_COMPUTE,
				.flags = ISA_IMM,
				.imm = (int64_t)length });
	kit_code(&k, 1, (struct insn){ .op = ISA_SYSCALL });
	while (cpu_run(&k.cpu, &k.regs).kind == TRAP_EVENT) {
		stops++;
		BUG_ON(k.cpu.deadline != UINT64_MAX);
		BUG_ON(k.cpu.cycles != stops * CPU_STRETCH);
	}
	BUG_ON(stops != 3);
	BUG_ON(k.cpu.account.user != length + 1 || k.regs.left);
	kit_finish(&k);
}

/* cpu_spend lets each event in at its own time, user code too. */
static void check_spend_is_punctual(void)
{
	struct ticker t;
	struct kit k;

	kit_init(&k, 550007, 0);
	ticker_start(&t, &k, 500);
	cpu_spend(&k.cpu, 10000000);
	BUG_ON(t.late != 0 || t.fired < 1000);
	BUG_ON(k.cpu.account.system != 10000000);
	kit_finish(&k);
}

/* An event already due at entry is reported before anything runs. */
static void check_due_at_entry(void)
{
	struct ticker t;
	struct kit k;

	kit_init(&k, 1000000, 0);
	write_program(&k);
	ticker_start(&t, &k, 100);
	cpu_charge(&k.cpu, 5000);
	BUG_ON(cpu_run(&k.cpu, &k.regs).kind != TRAP_EVENT);
	BUG_ON(k.cpu.account.user || k.regs.pc != KIT_CODE || t.fired);
	cpu_run_events(&k.cpu);
	BUG_ON(t.fired == 0);
	kit_finish(&k);
}

/* A simulated day in steps of odd length; and one step of a whole day. */
static void check_day(void)
{
	const uint64_t step = 7919ull * 1000 * 1000;
	struct kit k;
	simtime day;

	kit_init(&k, 1694500, 0);
	for (uint64_t c = 0; c < 86400ull * 1694500000; c += step) {
		cpu_spend(&k.cpu, step);
		BUG_ON(cpu_now(&k.cpu) != exact_ns(&k.cpu));
	}
	day = cpu_now(&k.cpu);
	BUG_ON(day < 86400 * NSEC_PER_SEC || day > 86405 * NSEC_PER_SEC);
	cpu_charge(&k.cpu, 86400ull * 1694500000);
	BUG_ON(cpu_now(&k.cpu) != day + 86400 * NSEC_PER_SEC);
	BUG_ON(cpu_idle(&k.cpu, false));
	kit_finish(&k);
}

int main(void)
{
	check_identity(1694500, 20000, 2 * NSEC_PER_SEC);
	check_identity(1000000, 100, 3 * NSEC_PER_MSEC);
	check_identity(550007, 3000000, 300 * NSEC_PER_SEC);
	check_identity(3, 3000000000, 3600 * NSEC_PER_SEC);
	check_interrupted_compute();
	check_stretches();
	check_spend_is_punctual();
	check_due_at_entry();
	check_day();
	return 0;
}
