/*
 * The OOM killers, as entries of oom_killers.
 */
#pragma once

#include "os/oom.h"

extern const struct oom_ops oom_v2_6;
