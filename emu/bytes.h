/*
 * Questions about plain memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Are all size bytes zero? No byte is too few: size is at least 1. */
static inline bool bytes_zero(const void *bytes, size_t size)
{
	const unsigned char *b = bytes;

	/* the first is zero, and each equals the one before it */
	return !b[0] && memcmp(b, b + 1, size - 1) == 0;
}
