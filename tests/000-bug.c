/*
 * BUG_ON: silent while all is well, and a report with the hook's words and an
 * abort when not; a hook that fails itself does not go on for ever.
 */
#include "emu/bug.h"
#include "tests/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char words[] = "the hook's words\n";

static void hook(void *arg)
{
	fputs(arg, stderr);
}

static void bad_hook(void *arg)
{
	BUG_ON(arg);
}

static void fail(void *arg)
{
	BUG_ON(arg != NULL);
}

static void fail_with_hook(void *arg)
{
	int *pipe_end = arg;

	dup2(*pipe_end, STDERR_FILENO);
	bug_set_hook(hook, words);
	BUG_ON(pipe_end != NULL);
}

static void fail_twice(void *arg)
{
	bug_set_hook(bad_hook, arg);
	BUG_ON(arg != NULL);
}

static void test_report(void)
{
	char text[1024] = "";
	int fd[2];
	ssize_t n;

	BUG_ON(pipe(fd));
	BUG_ON(!child_aborts(fail_with_hook, &fd[1]));
	n = read(fd[0], text, sizeof(text) - 1);
	BUG_ON(n <= 0);
	BUG_ON(!strstr(text, "000-bug.c:"));
	BUG_ON(!strstr(text, "BUG: pipe_end != NULL\nthe hook's words\n"));
	close(fd[0]);
	close(fd[1]);
}

static void test_memory(void)
{
	char *zeroed = xcalloc(3, 5);
	char *copy = xstrdup("copy");

	for (int i = 0; i < 15; i++)
		BUG_ON(zeroed[i]);
	copy = xrealloc(copy, 64);
	BUG_ON(strcmp(copy, "copy") != 0);
	free(zeroed);
	free(copy);
}

int main(void)
{
	int here;

	BUG_ON(child_aborts(fail, NULL));
	BUG_ON(!child_aborts(fail, &here));
	BUG_ON(!child_aborts(fail_twice, &here));
	test_report();
	test_memory();
	return 0;
}
