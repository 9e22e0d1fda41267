/*
 * What is on the platters.
 *
 * A tag per block in one large mapping that the host backs with memory only
 * where it was written; and real bytes, for the few blocks that have them,
 * in a hash map from block to a 4 KiB cell. The map is only ever asked about
 * one block, never walked, so its order cannot reach a result.
 *
 * Leaves out: when a block gets there (the driver moves content when a
 * request completes) and damage (the device reports an error instead).
 */
#include "disk/media.h"

#include "emu/bug.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK_SIZE	4096u
#define CELLS_PER_CHUNK 64u
#define FIRST_ROOM	64u

/* One place of the map; block is the number + 1, 0 for an empty place. */
struct place {
	uint64_t block;
	uint32_t cell;
};

struct media {
	uint64_t blocks;
	uint64_t *tags;

	struct place *place; /* linear probing, at most 3/4 full */
	uint32_t room;	     /* a power of two */
	uint32_t used;

	unsigned char **chunk; /* CELLS_PER_CHUNK cells each */
	uint32_t nr_chunks;
	uint32_t cells;	 /* handed out so far, free ones included */
	uint32_t *spare; /* numbers of cells that were given back */
	uint32_t nr_spare;
};

struct media *media_new(uint64_t blocks)
{
	struct media *m = xcalloc(1, sizeof(*m));
	void *tags;

	BUG_ON(blocks == 0);
	tags = mmap(NULL, blocks * sizeof(*m->tags), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	BUG_ON(tags == MAP_FAILED);
	m->blocks = blocks;
	m->tags = tags;
	m->room = FIRST_ROOM;
	m->place = xcalloc(m->room, sizeof(*m->place));
	return m;
}

void media_free(struct media *m)
{
	if (!m)
		return;
	munmap(m->tags, m->blocks * sizeof(*m->tags));
	for (uint32_t i = 0; i < m->nr_chunks; i++)
		free(m->chunk[i]);
	free(m->chunk);
	free(m->spare);
	free(m->place);
	free(m);
}

static uint32_t media_home(const struct media *m, uint64_t key)
{
	return (uint32_t)((key * 0x9E3779B97F4A7C15ULL) >> 32) & (m->room - 1);
}

/* The place of a block: its own, or the empty one where it would go. */
static uint32_t media_probe(const struct media *m, uint64_t block)
{
	uint32_t i = media_home(m, block + 1);

	while (m->place[i].block && m->place[i].block != block + 1)
		i = (i + 1) & (m->room - 1);
	return i;
}

static unsigned char *media_cell(const struct media *m, uint32_t cell)
{
	return m->chunk[cell / CELLS_PER_CHUNK] +
	       (size_t)(cell % CELLS_PER_CHUNK) * BLOCK_SIZE;
}

static uint32_t media_cell_new(struct media *m)
{
	if (m->nr_spare)
		return m->spare[--m->nr_spare];
	if (m->cells == m->nr_chunks * CELLS_PER_CHUNK) {
		uint32_t n = m->nr_chunks + 1;

		m->chunk = xrealloc(m->chunk, n * sizeof(*m->chunk));
		m->chunk[n - 1] = xcalloc(CELLS_PER_CHUNK, BLOCK_SIZE);
		m->spare = xrealloc(m->spare, (size_t)n * CELLS_PER_CHUNK *
						      sizeof(*m->spare));
		m->nr_chunks = n;
	}
	return m->cells++;
}

static void media_grow(struct media *m)
{
	struct place *old = m->place;
	uint32_t old_room = m->room;

	m->room *= 2;
	m->place = xcalloc(m->room, sizeof(*m->place));
	for (uint32_t i = 0; i < old_room; i++)
		if (old[i].block)
			m->place[media_probe(m, old[i].block - 1)] = old[i];
	free(old);
}

/* Give the bytes of place i back and close the gap it leaves. */
static void media_forget(struct media *m, uint32_t i)
{
	uint32_t mask = m->room - 1, j = i;

	m->spare[m->nr_spare++] = m->place[i].cell;
	m->used--;
	for (;;) {
		uint32_t home;

		j = (j + 1) & mask;
		if (!m->place[j].block)
			break;
		home = media_home(m, m->place[j].block);
		if (((j - home) & mask) < ((j - i) & mask))
			continue; /* would be moved before its home */
		m->place[i] = m->place[j];
		i = j;
	}
	m->place[i].block = 0;
}

bool media_read(const struct media *m, uint64_t block, uint64_t *tag,
		void *bytes)
{
	uint32_t i;

	BUG_ON(block >= m->blocks);
	*tag = m->tags[block];
	i = media_probe(m, block);
	if (!m->place[i].block)
		return false;
	memcpy(bytes, media_cell(m, m->place[i].cell), BLOCK_SIZE);
	return true;
}

void media_write(struct media *m, uint64_t block, uint64_t tag,
		 const void *bytes)
{
	uint32_t i;

	BUG_ON(block >= m->blocks);
	m->tags[block] = tag;
	i = media_probe(m, block);
	if (!bytes) {
		if (m->place[i].block)
			media_forget(m, i);
		return;
	}
	if (!m->place[i].block) {
		if (m->used >= m->room / 4 * 3) {
			media_grow(m);
			i = media_probe(m, block);
		}
		m->place[i] = (struct place){ block + 1, media_cell_new(m) };
		m->used++;
	}
	memcpy(media_cell(m, m->place[i].cell), bytes, BLOCK_SIZE);
}
