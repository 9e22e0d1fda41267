/*
 * Errors of our own making: checked in every build.
 *
 * A failed BUG_ON prints the condition, its place and whatever the program
 * registered with bug_set_hook (simulated time, current task, the last trace
 * events), then aborts. Only for conditions that no input can cause.
 */
#pragma once

#include <stddef.h>

/* Prints the report and aborts. Called by BUG_ON only. */
_Noreturn void bug_report(const char *condition, const char *file, int line);

/*
 * Register what to print besides the condition; NULL removes it. The hook
 * runs once, on the stack of the failure, and must not allocate.
 */
void bug_set_hook(void (*hook)(void *arg), void *arg);

#define BUG_ON(cond)                                           \
	do {                                                   \
		if (__builtin_expect(!!(cond), 0))             \
			bug_report(#cond, __FILE__, __LINE__); \
	} while (0)

/* The structure that holds this member. */
#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* Allocate or abort: a host without memory is not a result. Zeroed. */
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *ptr, size_t size);
char *xstrdup(const char *s);
