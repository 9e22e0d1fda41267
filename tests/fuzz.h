/*
 * The shape of a fuzz target. The name is libFuzzer's; a target returns 0,
 * keeps nothing between calls, and lets every error end as a diagnostic.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
