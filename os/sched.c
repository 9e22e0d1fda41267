/*
 * The CPU's main loop, and how a task leaves the CPU and comes back.
 *
 * Models      schedule(), try_to_wake_up() and panic() of 2.6.18, apart from
 *             the choice itself, which is a policy of os/sched/.
 * Leaves out  kernel preemption: kernel code is left at voluntary points.
 *
 * Stacks switch between the main loop and a task only. A task that finds
 * another one to run makes it current and yields; the main loop resumes
 * whoever is current. With nobody runnable current is NULL and the main loop
 * lets time pass. Kernel threads have no address space: they leave the last
 * one's tables in place (lazy TLB).
 */
#include "os/sched.h"

#include "os/kernel.h"
#include "os/sched/o1.h"

#include <stdlib.h>
#include <string.h>

const struct sched_ops *const sched_policies[] = { &sched_o1, NULL };

struct sched {
	const struct sched_ops *ops;
	void *state;
	unsigned nr_running; /* runnable tasks, the running one included */
};

void sched_init(struct kernel *k)
{
	struct sched *s = xcalloc(1, sizeof(*s));

	s->ops = k->config.sched ? k->config.sched : sched_policies[0];
	s->state = xcalloc(1, s->ops->slot.size);
	if (k->config.sched_options)
		memcpy(s->state, k->config.sched_options, s->ops->slot.size);
	k->sched = s;
	s->ops->init(k, s->state);
}

void sched_finish(struct kernel *k)
{
	if (!k->sched)
		return;
	free(k->sched->state);
	free(k->sched);
	k->sched = NULL;
}

unsigned sched_nr_running(const struct kernel *k)
{
	return k->sched->nr_running;
}

void sched_fork(struct kernel *k, struct task *child, struct task *parent)
{
	list_init(&child->sched.link);
	child->sched.array = NULL;
	child->sched.nice = parent ? parent->sched.nice : 0;
	k->sched->ops->fork(k, k->sched->state, child, parent);
}

void sched_wake_new(struct kernel *k, struct task *child, struct task *parent)
{
	BUG_ON(child->state != TASK_RUNNING);
	k->sched->nr_running++;
	k->sched->ops->wake_new(k, k->sched->state, child, parent);
}

void sched_exit(struct kernel *k, struct task *task, struct task *parent)
{
	BUG_ON(task->state != TASK_ZOMBIE);
	k->sched->ops->release(k->sched->state, task, parent);
}

void sched_wake(struct kernel *k, struct task *task, bool sync)
{
	bool disk = task->state == TASK_UNINTERRUPTIBLE;

	if (!disk && task->state != TASK_INTERRUPTIBLE)
		return;
	cpu_charge(k->cpu, (uint64_t)k->cost.wake);
	if (disk)
		task->blocked += kernel_now(k) - task->blocked_since;
	task->state = TASK_RUNNING;
	/* woken before it left the CPU: it is still counted and queued */
	if (!task->sched.array) {
		k->sched->nr_running++;
		k->sched->ops->wake(k, k->sched->state, task, sync, disk);
	}
	trace_emit(k->trace, TR_WAKE, (uint64_t)task->pid,
		   k->current ? (uint64_t)k->current->pid : 0,
		   (uint64_t)task->sched.prio, 0);
}

void sched_set_nice(struct kernel *k, struct task *task, int nice)
{
	if (nice < -20)
		nice = -20;
	if (nice > 19)
		nice = 19;
	task->sched.nice = nice;
	k->sched->ops->nice(k, k->sched->state, task);
}

void sched_tick(struct kernel *k)
{
	cpu_charge(k->cpu, (uint64_t)k->cost.tick);
	if (k->current)
		k->sched->ops->tick(k, k->sched->state, k->current);
}

/* From now on the CPU's time is next's (NULL: nobody's). */
static void charge_to(struct cpu *cpu, struct task *next)
{
	cpu->task_user = next ? &next->self.user_cycles : &cpu->nobody[0];
	cpu->task_system = next ? &next->self.system_cycles : &cpu->nobody[1];
}

static uint64_t pid_of(const struct task *task)
{
	return task ? (uint64_t)task->pid : 0;
}

/* The CPU changes hands: either may be NULL, the idle task, but not both. */
static void switch_to(struct kernel *k, struct task *prev, struct task *next)
{
	bool voluntary = !prev || prev->state != TASK_RUNNING;

	BUG_ON(prev == next);
	BUG_ON(next && next->state != TASK_RUNNING);
	k->context_switches++;
	if (prev && voluntary)
		prev->self.voluntary_switches++;
	else if (prev)
		prev->self.involuntary_switches++;
	trace_emit(k->trace, TR_SWITCH, k->cpu->id, pid_of(prev), pid_of(next),
		   voluntary);
	k->current = next;
	charge_to(k->cpu, next);
	cpu_charge(k->cpu, (uint64_t)k->cost.context_switch);
	if (next && next->mm)
		mm_activate(k, next->mm);
}

/* The policy's choice; prev (NULL: idle) has stopped running. */
static struct task *pick(struct kernel *k, struct task *prev)
{
	struct sched *s = k->sched;

	cpu_charge(k->cpu, (uint64_t)k->cost.schedule);
	k->cpu->need_resched = false;
	if (prev && prev->state != TASK_RUNNING) {
		BUG_ON(!s->nr_running);
		s->nr_running--;
	}
	return s->ops->pick(k, s->state, prev);
}

void schedule(struct kernel *k)
{
	struct task *prev = k->current;
	struct task *next;

	might_sleep(k);
	next = pick(k, prev);
	if (next == prev)
		return;
	switch_to(k, prev, next);
	coro_yield(prev->co);
	BUG_ON(k->current != prev || prev->state != TASK_RUNNING);
}

/* Is the run to stop here? The host's interruption is a reason from now on. */
static inline bool must_stop(struct kernel *k)
{
	if (k->interrupt && *k->interrupt)
		k->stop = true;
	return k->stop;
}

void sched_pause(struct kernel *k)
{
	struct task *task = k->current;

	while (must_stop(k))
		coro_yield(task->co);
}

void cond_resched(struct kernel *k)
{
	might_sleep(k);
	cpu_run_events(k->cpu);
	sched_pause(k);
	if (k->cpu->need_resched)
		schedule(k);
}

void sched_yield_cpu(struct kernel *k)
{
	might_sleep(k);
	k->sched->ops->yield(k, k->sched->state, k->current);
	schedule(k);
}

void kernel_panic(struct kernel *k, const char *why)
{
	k->panicked = why;
	for (;;) {
		k->stop = true;
		sched_pause(k);
	}
}

/* current gave the CPU to the main loop: what has ended leaves its stack. */
static void after_run(struct task *task)
{
	if (task->state == TASK_ZOMBIE) {
		coro_free(task->co);
		task->co = NULL;
	} else if (task->state == TASK_DEAD) {
		task_release(task);
	}
}

bool sched_run(struct kernel *k)
{
	BUG_ON(coro_current(k->coros));
	if (!k->current)
		charge_to(k->cpu, NULL);

	while (!must_stop(k)) {
		struct task *task = k->current;

		if (task) {
			coro_resume(task->co);
			after_run(task);
			continue;
		}
		if (k->sched->nr_running)
			switch_to(k, NULL, pick(k, NULL));
		else if (!cpu_idle(k->cpu, k->nr_iowait > 0))
			return false;
	}
	return true;
}
