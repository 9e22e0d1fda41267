/*
 * First come, first served, with the dispatch list's sorting.
 */
#pragma once

#include "os/elevator.h"

extern const struct elevator_ops elevator_noop;
