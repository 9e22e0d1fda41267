/*
 * The O(1) scheduler, as an entry of sched_policies.
 */
#pragma once

#include "os/sched.h"

extern const struct sched_ops sched_o1;
