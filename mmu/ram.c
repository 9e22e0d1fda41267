/*
 * Frames of physical memory.
 *
 * Models      contents of RAM at the grain of a page: a tag for all frames,
 *             bytes for those that somebody stored bytes in.
 * Leaves out  parity, refresh, banks, and what is above the last frame.
 * Seen in     every scenario; the host's memory follows the frames that are
 *             real, not the size of the machine.
 */
#include "mmu/ram.h"

#include "emu/bug.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Left-over bytes are given back to the host once so many frames hold some
 * (4 MiB): seldom enough to be cheap, early enough that frames which took
 * turns at being page tables or text do not pile up.
 */
#define STALE_MAX 1024

void ram_init(struct ram *ram, uint32_t frames)
{
	void *bytes;

	BUG_ON(frames == 0 || frames > 1u << 20);
	bytes = mmap(NULL, (size_t)frames * PAGE_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	BUG_ON(bytes == MAP_FAILED);
	*ram = (struct ram){
		.frames = frames,
		.bytes = bytes,
		.tag = xcalloc(frames, sizeof(*ram->tag)),
		.real = xcalloc(frames, sizeof(*ram->real)),
	};
}

void ram_finish(struct ram *ram)
{
	BUG_ON(munmap(ram->bytes, (size_t)ram->frames * PAGE_SIZE) != 0);
	free(ram->tag);
	free(ram->real);
	*ram = (struct ram){ 0 };
}

static uint8_t *frame_bytes(const struct ram *ram, pfn frame)
{
	BUG_ON(frame >= ram->frames);
	return ram->bytes + (size_t)frame * PAGE_SIZE;
}

/* First frame from start on whose state is, or is not, RAM_STALE. */
static pfn next_frame(const struct ram *ram, pfn start, bool stale)
{
	while (start < ram->frames && (ram->real[start] == RAM_STALE) != stale)
		start++;
	return start;
}

/* Give the host's memory behind stale frames back, in runs. */
static void drop_stale(struct ram *ram)
{
	pfn end;

	for (pfn start = next_frame(ram, 0, true); start < ram->frames;
	     start = next_frame(ram, end, true)) {
		size_t size;

		end = next_frame(ram, start, false);
		size = (size_t)(end - start) * PAGE_SIZE;
		/* private and anonymous: it reads as zero from now on */
		BUG_ON(madvise(frame_bytes(ram, start), size, MADV_DONTNEED) !=
		       0);
		memset(ram->real + start, RAM_ZERO, end - start);
		ram->stale -= end - start;
	}
	BUG_ON(ram->stale != 0);
}

void ram_clear(struct ram *ram, pfn frame)
{
	BUG_ON(frame >= ram->frames);
	ram->tag[frame] = 0;
	if (ram->real[frame] != RAM_REAL)
		return;
	ram->real[frame] = RAM_STALE;
	if (++ram->stale > STALE_MAX)
		drop_stale(ram);
}

void ram_copy(struct ram *ram, pfn to, pfn from)
{
	const uint8_t *bytes = ram_peek(ram, from);

	BUG_ON(to == from);
	if (bytes)
		memcpy(ram_poke(ram, to), bytes, PAGE_SIZE);
	else
		ram_clear(ram, to);
	ram->tag[to] = ram->tag[from];
}

const uint8_t *ram_peek(const struct ram *ram, pfn frame)
{
	const uint8_t *bytes = frame_bytes(ram, frame);

	return ram->real[frame] == RAM_REAL ? bytes : NULL;
}

uint8_t *ram_poke(struct ram *ram, pfn frame)
{
	uint8_t *bytes = frame_bytes(ram, frame);

	if (ram->real[frame] == RAM_STALE) {
		BUG_ON(ram->stale == 0);
		ram->stale--;
		memset(bytes, 0, PAGE_SIZE);
	}
	ram->real[frame] = RAM_REAL;
	return bytes;
}
