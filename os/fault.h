/*
 * Page faults, by kind; models mm/memory.c of 2.6.18.
 */
#pragma once

#include "os/mm.h"

enum fault_result {
	FAULT_MINOR,
	FAULT_MAJOR,
	FAULT_OOM,  /* no memory: the caller kills or retries */
	FAULT_SEGV, /* no such address, or no right to it */
	FAULT_BUS,  /* beyond the end of the file, or a media error */
};

/*
 * Handle a fault of the current task at va: takes mmap_sem for reading for
 * as long as it takes, counts it for the task.
 */
SLEEPS enum fault_result fault_handle(struct task *task, vaddr va,
				      enum mmu_access access);
