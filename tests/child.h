/*
 * For tests of what must not happen: do it in a child and see it die.
 */
#pragma once

#include "emu/bug.h"
#include "emu/types.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a child that runs fn(arg) ends; its messages are dropped. */
static inline int child_status(void (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	BUG_ON(pid < 0);
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDERR_FILENO);
		fn(arg);
		_exit(0);
	}
	BUG_ON(waitpid(pid, &status, 0) != pid);
	return status;
}

/* A BUG_ON in it fires. */
static inline bool child_aborts(void (*fn)(void *arg), void *arg)
{
	int status = child_status(fn, arg);

	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* It dies, of a signal or by the hand of a sanitizer. */
static inline bool child_dies(void (*fn)(void *arg), void *arg)
{
	int status = child_status(fn, arg);

	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}
