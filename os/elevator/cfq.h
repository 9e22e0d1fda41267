/*
 * Completely fair queueing: time slices of the disk for each process.
 */
#pragma once

#include "os/elevator.h"

extern const struct elevator_ops elevator_cfq;
