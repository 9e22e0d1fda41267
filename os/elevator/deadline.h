/*
 * One way across the disk, in batches, with a deadline for each request.
 */
#pragma once

#include "os/elevator.h"

extern const struct elevator_ops elevator_deadline;
