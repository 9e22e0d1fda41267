/*
 * Batches of reads and writes; after a read the disk may idle for the next
 * one of the same process.
 */
#pragma once

#include "os/elevator.h"

extern const struct elevator_ops elevator_anticipatory;
