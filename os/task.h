/*
 * A process or kernel thread: registers, address space, family, accounts.
 * Owner: os/task.c. Freed when its parent has reaped it.
 */
#pragma once

#include "cpu/cpu.h"
#include "emu/coro.h"
#include "os/sched.h"

struct mm;
struct open_file;
struct elevator_context;

enum task_state {
	TASK_RUNNING,
	TASK_INTERRUPTIBLE,
	TASK_UNINTERRUPTIBLE,
	TASK_ZOMBIE, /* exited, not reaped */
	TASK_DEAD,
};

enum task_flag {
	TF_KTHREAD = 1 << 0,
	TF_MEMALLOC = 1 << 1,  /* may use reserves: it is freeing memory */
	TF_SWAPWRITE = 1 << 2, /* writes out even to a congested device */
	TF_MEMDIE = 1 << 3,    /* killed for memory: may use all reserves */
	TF_EXITING = 1 << 4,
	TF_KILLED = 1 << 5, /* SIGKILL pending: dies at the next exit to user */
	TF_IOWAIT = 1 << 6, /* its present sleep counts as iowait */
	TF_LESS_THROTTLE = 1 << 7,
	TF_NO_TOKEN = 1 << 9, /* its scan does not heed the swap token */
};

/* What time(1) reports. Cycles are converted when read. */
struct usage {
	uint64_t user_cycles;
	uint64_t system_cycles;
	uint64_t minor_faults;
	uint64_t major_faults;
	uint64_t voluntary_switches;
	uint64_t involuntary_switches;
	uint64_t max_rss;   /* pages, the largest of any one process */
	uint64_t blocks_in; /* 512-byte blocks read for it */
	uint64_t blocks_out;
};

/* What a process did that ended it. */
struct task_death {
	const char *why; /* static; NULL: nothing, or a signal from outside */
	vaddr pc;	 /* of the instruction */
	vaddr address;	 /* if at_address: what it touched */
	bool at_address;
};

#define TASK_FILES 16

struct task {
	struct kernel *k;
	int pid;
	char name[16];
	uint32_t flags; /* enum task_flag */
	enum task_state state;
	unsigned marks; /* phases it has started */

	/* execution */
	struct coro *co;
	void (*kthread)(void *arg); /* TF_KTHREAD: its body */
	char *command;		    /* task_start: what to execute; owned */
	void *kthread_arg;
	struct cpu_regs regs;
	struct mm *mm; /* NULL for kernel threads */
	struct sched_task sched;
	struct waiter *waiting; /* what it sleeps on, or NULL; os/wait.c */
	const char *wait_what;	/* name of that wait */

	struct open_file *files; /* TASK_FILES, inode NULL: closed; or NULL */

	/* family */
	struct task *parent;
	struct list children; /* through sibling */
	struct list sibling;
	struct list all; /* in kernel.tasks, by age */
	struct wait_queue child_exit;
	int exit_status;	 /* as WEXITSTATUS */
	int exit_signal;	 /* 0, or the signal that ended it */
	struct task_death death; /* set before exit_signal's exit */

	/* accounts */
	struct usage self;
	struct usage reaped; /* of children that were waited for */
	simtime started;
	simtime ended;
	void (*on_exit)(struct task *task, void *arg); /* for the script */
	void *on_exit_arg;
	simtime blocked; /* total time asleep uninterruptibly */
	simtime blocked_since;

	/* the block layer's: os/elevator.c */
	struct elevator_context *io;
	simtime batching_until; /* may take requests of a full queue */
	unsigned batch_left;

	/* the OOM killer's */
	int oom_adj; /* -17..15; -17: never killed for memory */
};

/* A kernel thread, runnable. Body may sleep; returning ends it. */
struct task *kthread_new(struct kernel *k, const char *name,
			 void (*fn)(void *arg), void *arg);

/*
 * A process started by the script: a thread of the kernel execs command
 * ("qsbench -n 9000000"), child of init if there is one. on_exit is called
 * once, when it has exited and its usage is final; the task is freed soon
 * after. A command that can not be executed exits with status 127.
 *
 * The first program whose name is init or begins with init- becomes pid 1:
 * it inherits orphans, is spared for memory, and must not exit.
 */
struct task *task_start(struct kernel *k, const char *command, int nice,
			void (*on_exit)(struct task *task, void *arg),
			void *arg);

/* The running task; NULL while idle. */
struct task *task_current(const struct kernel *k);

/* fork(2): the child returns 0 from the system call. NULL: no memory. */
SLEEPS struct task *task_fork(struct task *parent);

/* execve(2). False: no such image or no memory; the task goes on. */
SLEEPS bool task_exec(struct task *task, const char *command);

/* exit(2): frees everything; does not return. */
SLEEPS _Noreturn void task_exit(struct task *task, int status, int signal);

/*
 * wait(2) for any child; fills status; returns its pid, -1 if there is no
 * child.
 */
SLEEPS int task_wait(struct task *task, int *status);

/* Any signal kills (there are no handlers): dies when it next leaves the
 * kernel; ends interruptible sleep. */
void task_kill(struct task *task, int signal);

/* Free a task that is dead and off its stack. For the main loop. */
void task_release(struct task *task);

/*
 * Take all tasks away, wherever they are, without giving their memory back:
 * for kernel_free. From the host's stack.
 */
void task_finish_all(struct kernel *k);

/* Call it something, cut to what fits. */
void task_set_name(struct task *task, const char *name);

struct task *task_find(struct kernel *k, int pid);

/* Usage including the reaped children's, as wait4(2) tells a parent. */
struct usage task_usage(const struct task *task);
