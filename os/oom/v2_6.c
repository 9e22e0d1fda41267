/*
 * The OOM killer of 2.6: the worst by size, forgiven for age and work done.
 *
 * Models      mm/oom_kill.c of vanilla 2.6.18 (badness, select_bad_process,
 *             oom_kill_process).
 * Leaves out  users and capabilities (everybody is an ordinary user, so the
 *             division by four never applies), cpusets, swapoff, threads.
 * Seen in     scenarios/demos/oom.yaml
 *
 * This version has no rate limiter: every call may kill, unless somebody is
 * already dying.
 */
#include "os/kernel.h"
#include "os/oom/killers.h"

#define OOM_DISABLE (-17) /* of oom_adj: never */

static uint64_t square_root(uint64_t n)
{
	uint64_t root = 0;

	for (uint64_t bit = 1ULL << 31; bit; bit >>= 1) {
		uint64_t try = root | bit;

		if (try * try <= n)
			root = try;
	}
	return root;
}

/* SHIFT_HZ of include/linux/jiffies.h: log2 of HZ, rounded */
static unsigned shift_hz(unsigned hz)
{
	unsigned shift = 0;

	while ((2u << shift) * 3 / 4 <= hz)
		shift++;
	return shift;
}

/* CPU time in units of about 8 s */
static uint64_t cpu_units(const struct kernel *k, const struct task *task)
{
	uint64_t cycles = task->self.user_cycles + task->self.system_cycles;
	uint64_t per_tick = (uint64_t)k->cpu->khz * 1000 / k->config.hz;

	return cycles / per_tick >> (shift_hz(k->config.hz) + 3);
}

static uint64_t points_of_children(const struct task *task)
{
	uint64_t points = 0;

	list_each (pos, &task->children) {
		const struct task *child =
			container_of(pos, struct task, sibling);

		if (child->mm && child->mm != task->mm)
			points += child->mm->total_vm / 2 + 1;
	}
	return points;
}

/* badness(): memory it would set free, weighed by what would be lost. */
static uint64_t badness(const struct kernel *k, const struct task *task)
{
	uint64_t points = task->mm->total_vm + points_of_children(task);
	uint64_t seconds = (uint64_t)(kernel_now(k) / NSEC_PER_SEC -
				      task->started / NSEC_PER_SEC);
	uint64_t worked = square_root(cpu_units(k, task));
	/* in units of about 1000 s */
	uint64_t lived = square_root(square_root(seconds >> 10));

	if (worked)
		points /= worked;
	if (lived)
		points /= lived;
	if (task->sched.nice > 0)
		points *= 2;
	if (task->oom_adj > 0)
		points = (points ? points : 1) << task->oom_adj;
	else if (task->oom_adj < 0)
		points >>= -task->oom_adj;
	return points;
}

/*
 * The worst, NULL if there is none to take; or *dying: somebody is on the
 * way out, so that nobody else should go.
 */
static struct task *select_bad(struct kernel *k, uint64_t *most, bool *dying)
{
	struct task *chosen = NULL;

	*dying = false;
	*most = 0;
	list_each (pos, &k->tasks) {
		struct task *task = container_of(pos, struct task, all);
		uint64_t points;

		if (!task->mm || task == k->init ||
		    task->oom_adj == OOM_DISABLE)
			continue;
		if (task->flags & (TF_MEMDIE | TF_EXITING)) {
			*dying = true;
			return NULL;
		}
		points = badness(k, task);
		if (points > *most || !chosen) {
			chosen = task;
			*most = points;
		}
	}
	return chosen;
}

/* A child that does not share its memory goes first, if there is one. */
static struct task *victim_of(struct task *chosen)
{
	list_each (pos, &chosen->children) {
		struct task *child = container_of(pos, struct task, sibling);

		if (child->mm && child->mm != chosen->mm)
			return child;
	}
	return chosen;
}

static void v2_6_out_of_memory(struct kernel *k, void *state)
{
	uint64_t points;
	bool dying;
	struct task *chosen = select_bad(k, &points, &dying);

	(void)state;
	if (chosen)
		oom_kill(k, victim_of(chosen), points);
	else if (!dying)
		kernel_panic(k, "out of memory and no killable processes");
	/* give the victim a chance before the caller tries again */
	if (!(k->current->flags & TF_MEMDIE))
		wait_timeout(k, NULL, 0, WAIT_PLAIN,
			     NSEC_PER_SEC / k->config.hz, "out_of_memory");
}

const struct oom_ops oom_v2_6 = {
	.slot = {
		.name = "v2.6",
		.models = "Linux 2.6.18: by size, age, niceness and children",
	},
	.out_of_memory = v2_6_out_of_memory,
};
