/*
 * Frames: logical zeroes, bytes, tags, copies, and host memory given back.
 */
#include "emu/bug.h"
#include "mmu/ram.h"

#include <stdio.h>
#include <string.h>

#define FRAMES 8192u

static bool all_zero(const uint8_t *bytes)
{
	for (unsigned i = 0; i < PAGE_SIZE; i++)
		if (bytes[i])
			return false;
	return true;
}

static void clear_hides_old_bytes(struct ram *ram)
{
	BUG_ON(ram_peek(ram, 5));
	memset(ram_poke(ram, 5), 0xaa, PAGE_SIZE);
	BUG_ON(ram_peek(ram, 5)[17] != 0xaa);
	ram_store(ram, 5, 3, 9, 2);
	BUG_ON(ram->tag[5] != 2ULL * 3 * 19);
	ram_clear(ram, 5);
	BUG_ON(ram->tag[5] || ram_peek(ram, 5));
	BUG_ON(!all_zero(ram_poke(ram, 5)));
	BUG_ON(!ram_peek(ram, 5));
	ram_clear(ram, 5);
}

static void copy_takes_tag_and_bytes(struct ram *ram)
{
	memset(ram_poke(ram, 6), 0x11, PAGE_SIZE);
	ram_store(ram, 6, 7, 1, 1);
	ram_copy(ram, 7, 6);
	BUG_ON(ram->tag[7] != ram->tag[6]);
	BUG_ON(memcmp(ram_peek(ram, 7), ram_peek(ram, 6), PAGE_SIZE) != 0);

	ram_store(ram, 8, 7, 2, 1); /* a tag without bytes */
	ram_copy(ram, 7, 8);
	BUG_ON(ram->tag[7] != ram->tag[8] || ram_peek(ram, 7));
	ram_clear(ram, 6);
	ram_clear(ram, 7);
}

/* Stores commute, and k at once are k one by one. */
static void tags_add_up(struct ram *ram)
{
	ram_store(ram, 1, 0x123457, 40, 5);
	ram_store(ram, 1, 0x99, 41, 1);
	ram_store(ram, 2, 0x99, 41, 1);
	for (int i = 0; i < 5; i++)
		ram_store(ram, 2, 0x123457, 40, 1);
	BUG_ON(ram->tag[1] != ram->tag[2] || !ram->tag[1]);
	ram_store(ram, 2, 0x123457, 41, 1);
	BUG_ON(ram->tag[1] == ram->tag[2]);
}

/* Frames that took turns being real are zero again, and not kept for long. */
static void stale_frames_are_dropped(struct ram *ram)
{
	uint32_t most = 0;

	for (pfn f = 0; f < FRAMES; f++) {
		memset(ram_poke(ram, f), 0x55, PAGE_SIZE);
		if (f % 3)
			ram_clear(ram, f);
		most = ram->stale > most ? ram->stale : most;
	}
	BUG_ON(most > 1100 || most < 500);
	for (pfn f = 0; f < FRAMES; f++) {
		BUG_ON(f % 3 == 0 && ram_peek(ram, f)[4095] != 0x55);
		BUG_ON(f % 3 &&
		       (ram_peek(ram, f) || !all_zero(ram_poke(ram, f))));
	}
	BUG_ON(ram->stale != 0);
}

int main(void)
{
	struct ram ram;

	ram_init(&ram, FRAMES);
	clear_hides_old_bytes(&ram);
	copy_takes_tag_and_bytes(&ram);
	tags_add_up(&ram);
	stale_frames_are_dropped(&ram);
	ram_finish(&ram);
	return 0;
}
