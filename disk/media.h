/*
 * What is on the platters: a content tag per 4 KiB block and, where bytes
 * are real, the bytes. The device's timing and its content are separate:
 * the driver moves content when a request completes.
 */
#pragma once

#include "disk/disk.h"

struct media;

/* blocks is the capacity in 4 KiB blocks. Lazily backed. */
struct media *media_new(uint64_t blocks);
void media_free(struct media *m);

/*
 * Read a block: its tag, and its 4096 bytes into bytes. False, with bytes
 * untouched, if the block is logically zero.
 */
bool media_read(const struct media *m, uint64_t block, uint64_t *tag,
		void *bytes);

/* Write a block; bytes NULL means logically zero. */
void media_write(struct media *m, uint64_t block, uint64_t tag,
		 const void *bytes);
