/*
 * System calls. Numbers and arguments are an interface of our own, listed in
 * os/syscall.c; workloads/sys.inc has the same for programs.
 */
#pragma once

#include "os/wait.h"

/*
 * The current task's registers ask for something: number in r0, arguments in
 * r1..r5, the result goes to r0; -1 is any error.
 */
SLEEPS void syscall_handle(struct task *task);
