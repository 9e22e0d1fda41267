/*
 * The way into the kernel and back: faults, system calls, interrupts that
 * come while user code runs.
 */
#pragma once

#include "os/wait.h"

/* Run the user code of the current task, trap after trap, to its end. */
SLEEPS _Noreturn void trap_user_loop(struct task *task);
