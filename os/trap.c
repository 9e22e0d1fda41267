/*
 * The way into the kernel and back.
 *
 * Models      arch/i386/kernel/entry.S and arch/i386/mm/fault.c of 2.6.18.
 * Leaves out  signal handlers: what would raise a signal ends the process.
 *
 * A trap's cost is spent on entry, where nothing is half done. On the way out
 * the task may die or give up the CPU; both before it sees user code again.
 */
#include "os/trap.h"

#include "os/fault.h"
#include "os/kernel.h"
#include "os/syscall.h"

enum { SIG_ILL = 4, SIG_BUS = 7, SIG_FPE = 8, SIG_KILL = 9, SIG_SEGV = 11 };

/* A signal that the program's own instruction raised. */
static _Noreturn void trap_kill(struct task *task, int signal, const char *why)
{
	task->death.why = why;
	task->death.pc = task->regs.pc;
	task_exit(task, 0, signal);
}

static _Noreturn void trap_kill_at(struct task *task, int signal,
				   const struct trap *trap)
{
	static const char *const reasons[] = {
		[MMU_READ] = "reading",
		[MMU_WRITE] = "writing",
		[MMU_FETCH] = "running code",
	};

	task->death.address = trap->address;
	task->death.at_address = true;
	trap_kill(task, signal, reasons[trap->access]);
}

/*
 * do_page_fault of 2.6.18, label out_of_memory: pid 1 steps aside and tries
 * again, anybody else is killed. Not the OOM killer, which ran before.
 */
static void trap_out_of_memory(struct task *task, const struct trap *trap)
{
	if (task != task->k->init)
		trap_kill_at(task, SIG_KILL, trap);
	sched_yield_cpu(task->k);
}

static void trap_fault(struct task *task, const struct trap *trap)
{
	switch (fault_handle(task, trap->address, trap->access)) {
	case FAULT_MINOR:
	case FAULT_MAJOR:
		break;
	case FAULT_OOM:
		trap_out_of_memory(task, trap);
		break;
	case FAULT_SEGV:
		trap_kill_at(task, SIG_SEGV, trap);
	case FAULT_BUS:
		trap_kill_at(task, SIG_BUS, trap);
	}
}

/* A program marks the start of a phase: for the record, at no cost. */
static void trap_mark(struct task *task, const char *name)
{
	struct kernel *k = task->k;

	task->marks++;
	trace_emit(k->trace, TR_MARK, (uint64_t)task->pid, task->marks,
		   trace_pack(name, 0), trace_pack(name, 8));
	if (k->on_mark)
		k->on_mark(task, name, k->on_mark_arg);
}

static void trap_handle(struct task *task, const struct trap *trap)
{
	struct kernel *k = task->k;

	switch (trap->kind) {
	case TRAP_EVENT:
		cpu_run_events(k->cpu);
		break;
	case TRAP_FAULT:
		cpu_spend(k->cpu, (uint64_t)k->cost.trap);
		trap_fault(task, trap);
		break;
	case TRAP_SYSCALL:
		cpu_spend(k->cpu, (uint64_t)k->cost.syscall);
		syscall_handle(task);
		break;
	case TRAP_MARK:
		trap_mark(task, trap->name);
		break;
	case TRAP_ILLEGAL:
		trap_kill(task, SIG_ILL, trap->why);
	case TRAP_DIVIDE:
		trap_kill(task, SIG_FPE, "division by zero");
	}
}

/* The way out. Whatever happens here may make more of it necessary. */
static void trap_leave(struct task *task)
{
	struct kernel *k = task->k;

	for (;;) {
		sched_pause(k);
		if (task->flags & TF_KILLED)
			task_exit(task, 0, task->exit_signal);
		if (!k->cpu->need_resched)
			return;
		schedule(k);
	}
}

void trap_user_loop(struct task *task)
{
	struct kernel *k = task->k;

	for (;;) {
		struct trap trap;

		trap_leave(task);
		BUG_ON(k->current != task || !task->mm);
		trap = cpu_run(k->cpu, &task->regs);
		trap_handle(task, &trap);
	}
}
