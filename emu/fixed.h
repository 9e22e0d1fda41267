/*
 * Logarithm and power of two in fixed point, by integers alone: libm may
 * differ between hosts in the last bit, and a table of weights must not.
 */
#pragma once

#include "emu/types.h"

/* log2(x), in units of 2^-32, rounded down; x at least 1. */
uint64_t fixed_log2(uint64_t x);

/* 2^-y, in units of 2^-62; y in units of 2^-32. 0 for what is too small. */
uint64_t fixed_exp2_neg(uint64_t y);
