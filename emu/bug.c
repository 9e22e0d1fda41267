/*
 * Reports of our own errors, and allocation that cannot fail.
 *
 * Models      nothing: this is the host's side.
 * Leaves out  any recovery; the core file is the answer.
 *
 * The hook is per thread, the one exception to "everything hangs from the
 * machine": a failure has no argument from which the machine could be found.
 */
#include "emu/bug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bug_hook {
	void (*fn)(void *arg);
	void *arg;
};

static _Thread_local struct bug_hook bug_hook;

void bug_set_hook(void (*hook)(void *arg), void *arg)
{
	bug_hook.fn = hook;
	bug_hook.arg = arg;
}

_Noreturn void bug_report(const char *condition, const char *file, int line)
{
	struct bug_hook hook = bug_hook;

	fflush(stdout);
	fprintf(stderr, "%s:%d: BUG: %s\n", file, line, condition);

	/* The hook may fail too: it must not be called for that again. */
	bug_set_hook(NULL, NULL);
	if (hook.fn)
		hook.fn(hook.arg);

	fflush(stderr);
	abort();
}

static void *must_have(void *ptr)
{
	if (ptr)
		return ptr;
	fputs("faultline: the host is out of memory\n", stderr);
	abort();
}

void *xcalloc(size_t count, size_t size)
{
	/* calloc(0) may give NULL, which is no failure. */
	return must_have(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *ptr, size_t size)
{
	return must_have(realloc(ptr, size ? size : 1));
}

char *xstrdup(const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(xcalloc(1, size), s, size);
}
