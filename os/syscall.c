/*
 * System calls.
 *
 * Models      the calls of 2.6.18 that our programs need, with Linux's
 *             meaning but numbers of our own and one error value, -1.
 * Leaves out  error codes, writing to files, seeking, pipes.
 *
 *   1 exit(status)            9 mmap(address, bytes, prot, fd or -1, page)
 *   2 fork() -> pid, 0       10 munmap(address, bytes)
 *   3 read(fd, to, bytes)    11 getpid()
 *   4 open(path) -> fd       12 sleep(ns)
 *   5 close(fd)              13 nice(increment) -> nice value + 20
 *   6 wait(status or 0)      14 yield()
 *   7 exec(command)          15 mlockall()
 *   8 brk(address or 0)      16 kill(pid, signal)
 *                            17 uptime() -> ns
 *
 * prot is 1 read, 2 write, 4 execute. wait stores 8 bytes: exit status << 8 |
 * signal.
 */
#include "os/syscall.h"

#include "os/kernel.h"

#include <string.h>

#define PATH_ROOM    64
#define COMMAND_ROOM 256
#define SIGNAL_MAX   64

typedef int64_t (*syscall_fn)(struct task *task, const uint64_t *arg);

static int64_t sys_exit(struct task *task, const uint64_t *arg)
{
	task_exit(task, (int)(arg[0] & 0xff), 0);
}

static int64_t sys_fork(struct task *task, const uint64_t *arg)
{
	const struct task *child = task_fork(task);

	(void)arg;
	return child ? child->pid : -1;
}

static struct open_file *file_of(const struct task *task, uint64_t fd)
{
	if (fd >= TASK_FILES || !task->files || !task->files[fd].inode)
		return NULL;
	return &task->files[fd];
}

static bool user_range(uint64_t start, uint64_t size)
{
	return start < USER_TOP && size <= USER_TOP - start;
}

/*
 * One piece of a read of wanted bytes, through a buffer of the kernel's; bytes,
 * or -1. The cost of the copy is file_read's.
 */
static int64_t read_piece(struct task *task, struct open_file *file, vaddr to,
			  uint64_t size, uint64_t wanted)
{
	uint8_t buffer[PAGE_SIZE];
	int64_t got = file_read(task, file, buffer, size, wanted);

	if (got <= 0)
		return got;
	if (!mm_write_user(task, to, buffer, (size_t)got))
		return -1;
	return got;
}

static int64_t sys_read(struct task *task, const uint64_t *arg)
{
	struct open_file *file = file_of(task, arg[0]);
	uint64_t done = 0;

	if (!file || !user_range(arg[1], arg[2]))
		return -1;
	while (done < arg[2] && !(task->flags & TF_KILLED)) {
		vaddr to = (vaddr)(arg[1] + done);
		uint64_t piece = PAGE_SIZE - file->position % PAGE_SIZE;
		int64_t got;

		if (piece > arg[2] - done)
			piece = arg[2] - done;
		got = read_piece(task, file, to, piece, arg[2] - done);
		if (got < 0)
			return done ? (int64_t)done : -1;
		if (got == 0)
			break;
		done += (uint64_t)got;
		cond_resched(task->k);
	}
	return (int64_t)done;
}

static int64_t sys_open(struct task *task, const uint64_t *arg)
{
	char path[PATH_ROOM];
	const char *name;
	struct inode *inode;

	if (arg[0] >= USER_TOP ||
	    !mm_read_string(task, (vaddr)arg[0], path, sizeof(path)))
		return -1;
	name = strrchr(path, '/');
	inode = fs_find(task->k->fs, name ? name + 1 : path);
	if (!inode)
		return -1;
	if (!task->files)
		task->files = xcalloc(TASK_FILES, sizeof(*task->files));
	for (int fd = 0; fd < TASK_FILES; fd++) {
		if (task->files[fd].inode)
			continue;
		file_open(&task->files[fd], inode);
		return fd;
	}
	return -1;
}

static int64_t sys_close(struct task *task, const uint64_t *arg)
{
	struct open_file *file = file_of(task, arg[0]);

	if (!file)
		return -1;
	file->inode = NULL;
	return 0;
}

static int64_t sys_wait(struct task *task, const uint64_t *arg)
{
	int status = 0;
	int pid = task_wait(task, &status);
	uint64_t word = (uint64_t)status;

	if (pid < 0 || !arg[0])
		return pid;
	if (!user_range(arg[0], sizeof(word)) ||
	    !mm_write_user(task, (vaddr)arg[0], &word, sizeof(word)))
		return -1;
	return pid;
}

static int64_t sys_exec(struct task *task, const uint64_t *arg)
{
	char command[COMMAND_ROOM];

	if (arg[0] >= USER_TOP ||
	    !mm_read_string(task, (vaddr)arg[0], command, sizeof(command)))
		return -1;
	/* the new program begins with 0 in r0 */
	return task_exec(task, command) ? 0 : -1;
}

static int64_t sys_brk(struct task *task, const uint64_t *arg)
{
	struct mm *mm = task->mm;
	vaddr brk = arg[0] < USER_TOP ? (vaddr)arg[0] : 0;
	int64_t result;

	rwsem_write(task->k, &mm->mmap_sem);
	result = (int64_t)mm_brk(mm, brk);
	rwsem_write_done(task->k, &mm->mmap_sem);
	return result;
}

static int64_t sys_mmap(struct task *task, const uint64_t *arg)
{
	const struct open_file *file = NULL;
	struct mm *mm = task->mm;
	uint32_t flags = (uint32_t)arg[2] & (VM_READ | VM_WRITE | VM_EXEC);
	uint64_t size;
	vaddr start;

	if (!arg[1] || !user_range(arg[0], arg[1]) || arg[0] % PAGE_SIZE)
		return -1;
	if ((int64_t)arg[3] != -1) {
		file = file_of(task, arg[3]);
		if (!file || arg[4] >= UINT32_MAX)
			return -1;
	}
	size = (arg[1] + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);
	rwsem_write(task->k, &mm->mmap_sem);
	start = mm_map(mm, (vaddr)arg[0], size, flags,
		       file ? file->inode : NULL, file ? (uint32_t)arg[4] : 0);
	rwsem_write_done(task->k, &mm->mmap_sem);
	return start ? (int64_t)start : -1;
}

static int64_t sys_munmap(struct task *task, const uint64_t *arg)
{
	struct mm *mm = task->mm;
	uint64_t size = (arg[1] + PAGE_SIZE - 1) & ~(uint64_t)(PAGE_SIZE - 1);

	if (!arg[1] || !user_range(arg[0], arg[1]) || arg[0] % PAGE_SIZE)
		return -1;
	rwsem_write(task->k, &mm->mmap_sem);
	mm_unmap(mm, (vaddr)arg[0], size);
	rwsem_write_done(task->k, &mm->mmap_sem);
	return 0;
}

static int64_t sys_getpid(struct task *task, const uint64_t *arg)
{
	(void)arg;
	return task->pid;
}

static int64_t sys_sleep(struct task *task, const uint64_t *arg)
{
	/* longer than any run: for ever, without overflow of the clock */
	const simtime ever = 1000000 * NSEC_PER_SEC;
	simtime span = (simtime)arg[0];

	if (span < 0)
		return -1;
	if (span)
		sleep_for(task->k, span < ever ? span : ever,
			  WAIT_INTERRUPTIBLE, "nanosleep");
	return 0;
}

static int64_t sys_nice(struct task *task, const uint64_t *arg)
{
	int64_t by = (int64_t)arg[0];

	if (by < -40 || by > 40)
		return -1;
	sched_set_nice(task->k, task, task->sched.nice + (int)by);
	return task->sched.nice + 20;
}

static int64_t sys_yield(struct task *task, const uint64_t *arg)
{
	(void)arg;
	sched_yield_cpu(task->k);
	return 0;
}

static int64_t sys_mlockall(struct task *task, const uint64_t *arg)
{
	(void)arg;
	return mm_lock_all(task->mm) ? 0 : -1;
}

static int64_t sys_kill(struct task *task, const uint64_t *arg)
{
	struct task *victim;

	if (arg[0] > INT32_MAX || !arg[1] || arg[1] > SIGNAL_MAX)
		return -1;
	victim = task_find(task->k, (int)arg[0]);
	if (!victim)
		return -1;
	task_kill(victim, (int)arg[1]);
	return 0;
}

static int64_t sys_uptime(struct task *task, const uint64_t *arg)
{
	(void)arg;
	return kernel_uptime(task->k);
}

static const syscall_fn syscall_table[] = {
	[1] = sys_exit,	   [2] = sys_fork,    [3] = sys_read,
	[4] = sys_open,	   [5] = sys_close,   [6] = sys_wait,
	[7] = sys_exec,	   [8] = sys_brk,     [9] = sys_mmap,
	[10] = sys_munmap, [11] = sys_getpid, [12] = sys_sleep,
	[13] = sys_nice,   [14] = sys_yield,  [15] = sys_mlockall,
	[16] = sys_kill,   [17] = sys_uptime,
};

#define SYSCALLS (sizeof(syscall_table) / sizeof(*syscall_table))

void syscall_handle(struct task *task)
{
	uint64_t number = task->regs.r[0];
	int64_t result = -1;

	might_sleep(task->k);
	if (number < SYSCALLS && syscall_table[number]) {
		uint64_t arg[5];

		memcpy(arg, &task->regs.r[1], sizeof(arg));
		result = syscall_table[number](task, arg);
	}
	task->regs.r[0] = (uint64_t)result;
}
