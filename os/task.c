/*
 * Processes: how they begin, who their family is, how they are told to end.
 *
 * Models      kernel/fork.c and kernel/signal.c of 2.6.18.
 * Leaves out  threads and vfork, signal handlers (any signal kills), process
 *             groups and sessions, users and their rights.
 *
 * See also os/exec.c (a new program) and os/exit.c (the end).
 */
#include "os/task.h"

#include "os/kernel.h"
#include "os/trap.h"

#include <stdlib.h>
#include <string.h>

#define PID_INIT 1

void task_set_name(struct task *task, const char *name)
{
	size_t room = sizeof(task->name) - 1;

	memset(task->name, 0, sizeof(task->name));
	memcpy(task->name, name, strnlen(name, room));
}

/* A task of this family, on no list yet. */
static struct task *task_new(struct kernel *k, const char *name,
			     struct task *parent)
{
	struct task *task = xcalloc(1, sizeof(*task));

	task->k = k;
	task->state = TASK_RUNNING;
	task->parent = parent;
	task->started = kernel_now(k);
	task_set_name(task, name);
	list_init(&task->children);
	list_init(&task->sibling);
	list_init(&task->all);
	wait_queue_init(&task->child_exit);
	if (k->next_pid <= PID_INIT)
		k->next_pid = PID_INIT + 1;
	task->pid = k->next_pid++;
	return task;
}

/* It exists: on the lists, runnable. forked: by its parent's fork. */
static void task_begin(struct task *task, bool forked)
{
	struct kernel *k = task->k;

	list_add_tail(&task->all, &k->tasks);
	if (task->parent)
		list_add_tail(&task->sibling, &task->parent->children);
	trace_emit(k->trace, TR_FORK,
		   task->parent ? (uint64_t)task->parent->pid : 0,
		   (uint64_t)task->pid, 0, 0);
	sched_wake_new(k, task, forked ? task->parent : NULL);
}

static void kthread_main(void *arg)
{
	struct task *task = arg;

	task->kthread(task->kthread_arg);
	task_exit(task, 0, 0);
}

struct task *kthread_new(struct kernel *k, const char *name,
			 void (*fn)(void *arg), void *arg)
{
	struct task *task = task_new(k, name, NULL);

	task->flags = TF_KTHREAD;
	task->kthread = fn;
	task->kthread_arg = arg;
	task->co = coro_new(k->coros, kthread_main, task);
	sched_fork(k, task, NULL);
	task_begin(task, false);
	return task;
}

static void start_main(void *arg)
{
	struct task *task = arg;

	if (!task_exec(task, task->command))
		task_exit(task, 127, 0);
	trap_user_loop(task);
}

/* init, or a variant of it: init-locked */
static bool names_init(const char *command)
{
	return strncmp(command, "init", 4) == 0 &&
	       (!command[4] || command[4] == ' ' || command[4] == '-');
}

struct task *task_start(struct kernel *k, const char *command, int nice,
			void (*on_exit)(struct task *task, void *arg),
			void *arg)
{
	struct task *task = task_new(k, "", k->init);

	/* until exec knows better */
	for (size_t i = 0; i + 1 < sizeof(task->name); i++) {
		if (!command[i] || command[i] == ' ')
			break;
		task->name[i] = command[i];
	}
	task->command = xstrdup(command);
	task->on_exit = on_exit;
	task->on_exit_arg = arg;
	task->co = coro_new(k->coros, start_main, task);
	if (!k->init && names_init(command)) {
		task->pid = PID_INIT;
		k->next_pid--;
		k->init = task;
	}
	sched_fork(k, task, NULL);
	if (nice)
		sched_set_nice(k, task, nice);
	task_begin(task, false);
	return task;
}

static void fork_main(void *arg)
{
	trap_user_loop(arg);
}

struct task *task_fork(struct task *parent)
{
	struct kernel *k = parent->k;
	struct task *child;

	might_sleep(k);
	BUG_ON(parent != k->current || !parent->mm);
	cpu_spend(k->cpu, (uint64_t)k->cost.fork);
	child = task_new(k, parent->name, parent);
	sched_fork(k, child, parent);
	child->mm = mm_fork(child, parent->mm);
	if (!child->mm) {
		free(child);
		return NULL;
	}
	child->regs = parent->regs;
	child->regs.r[0] = 0;
	child->oom_adj = parent->oom_adj;
	if (parent->files) {
		child->files = xcalloc(TASK_FILES, sizeof(*child->files));
		memcpy(child->files, parent->files,
		       TASK_FILES * sizeof(*child->files));
	}
	child->co = coro_new(k->coros, fork_main, child);
	task_begin(child, true);
	return child;
}

struct task *task_current(const struct kernel *k)
{
	return k->current;
}

struct task *task_find(struct kernel *k, int pid)
{
	list_each (pos, &k->tasks) {
		struct task *task = container_of(pos, struct task, all);

		if (task->pid == pid)
			return task;
	}
	return NULL;
}

void task_kill(struct task *task, int signal)
{
	/* pid 1 has no default actions; a kernel thread takes no signals */
	if (task == task->k->init || task->flags & TF_KTHREAD)
		return;
	if (task->state == TASK_ZOMBIE || task->state == TASK_DEAD)
		return;
	if (!(task->flags & TF_KILLED)) {
		task->flags |= TF_KILLED;
		task->exit_signal = signal;
	}
	if (task->state == TASK_INTERRUPTIBLE)
		wait_abort(task->k, task);
}

static void task_free(struct task *task)
{
	coro_free(task->co);
	free(task->command);
	free(task->files);
	free(task);
}

void task_release(struct task *task)
{
	BUG_ON(!list_empty(&task->all) || !list_empty(&task->children));
	BUG_ON(task->sched.array);
	task_free(task);
}

void task_finish_all(struct kernel *k)
{
	BUG_ON(coro_current(k->coros));
	list_each_safe (pos, tmp, &k->tasks) {
		struct task *task = container_of(pos, struct task, all);

		wait_forget(k, task);
		list_del(&task->all);
		task_free(task);
	}
	k->current = NULL;
	k->init = NULL;
}
