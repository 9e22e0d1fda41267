/*
 * The two scalars that every folder shares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Simulated time in nanoseconds since power-on. Never negative. */
typedef int64_t simtime;

#define SIMTIME_MAX   INT64_MAX
#define NSEC_PER_USEC 1000LL
#define NSEC_PER_MSEC 1000000LL
#define NSEC_PER_SEC  1000000000LL
