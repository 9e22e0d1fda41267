/*
 * Out of memory: the killer is a policy of os/oom/; here is what all of them
 * need, and the record of what they did.
 *
 * Models      mm/oom_kill.c of 2.6.18 (__oom_kill_task).
 * Leaves out  memory policies and cpusets.
 */
#include "os/oom.h"

#include "os/kernel.h"
#include "os/oom/killers.h"

#include <stdlib.h>
#include <string.h>

const struct oom_ops *const oom_killers[] = { &oom_v2_6, NULL };

void oom_init(struct kernel *k)
{
	struct oom *oom = &k->oom;

	oom->ops = k->config.oom ? k->config.oom : oom_killers[0];
	if (oom->ops->slot.size)
		oom->state = xcalloc(1, oom->ops->slot.size);
	if (oom->state && k->config.oom_options)
		memcpy(oom->state, k->config.oom_options, oom->ops->slot.size);
	else if (oom->state && oom->ops->slot.params)
		param_defaults(oom->ops->slot.params, oom->state);
	if (oom->ops->init)
		oom->ops->init(k, oom->state);
}

void oom_finish(struct kernel *k)
{
	while (k->oom_records) {
		struct oom_record *record = k->oom_records;

		k->oom_records = record->next;
		free(record);
	}
	free(k->oom.state);
	k->oom.state = NULL;
}

void out_of_memory(struct kernel *k)
{
	might_sleep(k);
	k->oom.ops->out_of_memory(k, k->oom.state);
}

static void record_kill(struct kernel *k, const struct task *task,
			uint64_t points)
{
	struct oom_record *record = xcalloc(1, sizeof(*record));

	record->at = kernel_now(k);
	record->pid = task->pid;
	memcpy(record->name, task->name, sizeof(record->name));
	record->points = points;
	record->by = k->current->pid;
	record->free_pages = nr_free_pages(k);
	record->swap_free = k->swap ? k->swap->free : 0;
	record->next = k->oom_records;
	k->oom_records = record;
}

void oom_kill(struct kernel *k, struct task *task, uint64_t points)
{
	BUG_ON(task == k->init || !task->mm);
	record_kill(k, task, points);
	k->vmstat.oom_kill++;
	trace_emit(k->trace, TR_OOM_KILL, (uint64_t)task->pid, points,
		   (uint64_t)k->current->pid, 0);
	/* a slice of a second and all reserves, to be gone soon */
	task->sched.slice = k->config.hz;
	task->flags |= TF_MEMDIE;
	task_kill(task, 9);
}
