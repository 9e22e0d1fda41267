/*
 * The end of a process, and what its parent learns.
 *
 * Models      kernel/exit.c of 2.6.18: do_exit, reparenting to init,
 *             release_task, wait4.
 * Leaves out  waiting for a certain child or without blocking, stopped
 *             children. init is a program that only sleeps: the kernel reaps
 *             for it, and for the script where there is no init.
 */
#include "os/kernel.h"

#include <stdlib.h>

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void usage_add(struct usage *to, const struct usage *from)
{
	to->user_cycles += from->user_cycles;
	to->system_cycles += from->system_cycles;
	to->minor_faults += from->minor_faults;
	to->major_faults += from->major_faults;
	to->voluntary_switches += from->voluntary_switches;
	to->involuntary_switches += from->involuntary_switches;
	to->blocks_in += from->blocks_in;
	to->blocks_out += from->blocks_out;
	to->max_rss = larger(to->max_rss, from->max_rss);
}

struct usage task_usage(const struct task *task)
{
	struct usage total = task->self;

	if (task->mm)
		total.max_rss = larger(total.max_rss, task->mm->max_rss);
	usage_add(&total, &task->reaped);
	return total;
}

/* A zombie leaves the family; its accounts go to parent (NULL: nobody). */
static void reap(struct task *zombie, struct task *parent)
{
	BUG_ON(zombie->state != TASK_ZOMBIE);
	if (parent) {
		sched_exit(zombie->k, zombie, parent);
		usage_add(&parent->reaped, &zombie->self);
		usage_add(&parent->reaped, &zombie->reaped);
	}
	list_del(&zombie->sibling);
	list_del(&zombie->all);
	zombie->state = TASK_DEAD;
}

static void give_children_to_init(struct task *task)
{
	struct task *init = task->k->init;

	list_each_safe (pos, tmp, &task->children) {
		struct task *child = container_of(pos, struct task, sibling);

		list_del(&child->sibling);
		child->parent = init;
		if (init)
			list_add_tail(&child->sibling, &init->children);
		if (child->state == TASK_ZOMBIE) {
			reap(child, init);
			task_release(child);
		}
	}
}

static void exit_mm(struct task *task)
{
	struct mm *mm = task->mm;

	if (!mm)
		return;
	task->self.max_rss = larger(task->self.max_rss, mm->max_rss);
	/* as exit_mm: out of the killer's sight before the work begins */
	task->mm = NULL;
	mm_put(mm);
}

/* The script hears of it first, then whoever waits. */
static void exit_notify(struct task *task)
{
	struct kernel *k = task->k;

	task->ended = kernel_now(k);
	trace_emit(k->trace, TR_EXIT, (uint64_t)task->pid,
		   (uint64_t)task->exit_status, (uint64_t)task->exit_signal, 0);
	if (task->on_exit)
		task->on_exit(task, task->on_exit_arg);
	task->state = TASK_ZOMBIE;
	if (task->parent && task->parent != k->init)
		wake_up(k, &task->parent->child_exit, 0, WAKE_ALL);
	else
		reap(task, task->parent);
}

void task_exit(struct task *task, int status, int signal)
{
	struct kernel *k = task->k;

	might_sleep(k);
	BUG_ON(task != k->current || task->flags & TF_EXITING);
	if (task == k->init)
		kernel_panic(k, "attempted to kill init");
	task->flags |= TF_EXITING;
	task->exit_status = status;
	task->exit_signal = signal;
	cpu_spend(k->cpu, (uint64_t)k->cost.exit);
	exit_mm(task);
	free(task->files);
	task->files = NULL;
	block_task_exit(k, task);
	give_children_to_init(task);
	exit_notify(task);
	/* the main loop takes the stack, and the task if nobody waits for it */
	schedule(k);
	BUG_ON(true);
	__builtin_unreachable();
}

static struct task *find_zombie(const struct task *task)
{
	list_each (pos, &task->children) {
		struct task *child = container_of(pos, struct task, sibling);

		if (child->state == TASK_ZOMBIE)
			return child;
	}
	return NULL;
}

int task_wait(struct task *task, int *status)
{
	struct kernel *k = task->k;

	might_sleep(k);
	while (!list_empty(&task->children) && !(task->flags & TF_KILLED)) {
		struct task *zombie = find_zombie(task);
		int pid;

		if (!zombie) {
			wait_on(k, &task->child_exit, 0, WAIT_INTERRUPTIBLE,
				"wait");
			continue;
		}
		pid = zombie->pid;
		*status = zombie->exit_status << 8 | zombie->exit_signal;
		reap(zombie, task);
		task_release(zombie);
		return pid;
	}
	return -1;
}
