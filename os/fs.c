/*
 * Read-only files in one extent each, placed from the run's seed.
 *
 * Models      what the page cache sees of ext2: names, sizes, blocks.
 * Leaves out  directories and metadata blocks; writing.
 */
#include "os/fs.h"

#include "os/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fs {
	struct kernel *k;
	struct media *media;
	uint64_t first, blocks; /* on the device */
	struct inode **inode;	/* by number - 1 */
	uint32_t count;
	struct rng rng;
	struct extent { /* taken, sorted by start */
		uint64_t start, end;
	} * taken;
};

struct fs *fs_new(struct kernel *k, struct queue *queue, struct media *media,
		  uint64_t first_block, uint64_t blocks, uint64_t seed)
{
	struct fs *fs = xcalloc(1, sizeof(*fs));

	BUG_ON(!queue || !media);
	fs->k = k;
	fs->media = media;
	fs->first = first_block;
	fs->blocks = blocks;
	rng_init(&fs->rng, seed, "file placement");
	return fs;
}

void fs_free(struct fs *fs)
{
	if (!fs)
		return;
	for (uint32_t i = 0; i < fs->count; i++) {
		BUG_ON(fs->inode[i]->cached);
		free(fs->inode[i]->cache);
		free(fs->inode[i]);
	}
	free(fs->inode);
	free(fs->taken);
	free(fs);
}

/* Is [start, end) free? at gets the place where it would be inserted. */
static bool extent_free(const struct fs *fs, uint64_t start, uint64_t end,
			uint32_t *at)
{
	uint32_t i = 0;

	while (i < fs->count && fs->taken[i].end <= start)
		i++;
	*at = i;
	return end <= fs->first + fs->blocks &&
	       (i == fs->count || fs->taken[i].start >= end);
}

static void take_extent(struct fs *fs, uint64_t start, uint64_t end,
			uint32_t at)
{
	fs->taken = xrealloc(fs->taken, (fs->count + 1) * sizeof(*fs->taken));
	memmove(&fs->taken[at + 1], &fs->taken[at],
		(fs->count - at) * sizeof(*fs->taken));
	fs->taken[at] = (struct extent){ start, end };
}

/*
 * A place for so many blocks: drawn among groups of 8192 blocks (as a block
 * group of ext2 at 4 KiB), a few tries, then the first gap.
 */
static bool place(struct fs *fs, uint64_t blocks, uint64_t *start)
{
	uint64_t groups = fs->blocks / 8192 + 1;
	uint32_t at;

	for (int try = 0; try < 16; try++) {
		*start = fs->first + rng_below(&fs->rng, groups) * 8192 +
			 rng_below(&fs->rng, 2048);
		if (extent_free(fs, *start, *start + blocks, &at)) {
			take_extent(fs, *start, *start + blocks, at);
			return true;
		}
	}
	*start = fs->first;
	for (uint32_t i = 0; i <= fs->count; i++) {
		if (extent_free(fs, *start, *start + blocks, &at)) {
			take_extent(fs, *start, *start + blocks, at);
			return true;
		}
		if (i < fs->count)
			*start = fs->taken[i].end;
	}
	return false;
}

uint64_t fs_tag(const struct inode *inode, uint32_t index)
{
	uint64_t x = (uint64_t)inode->number << 32 | index;

	x = (x ^ x >> 31) * 0x9E3779B97F4A7C15ULL;
	return (x ^ x >> 29) * 0xBF58476D1CE4E5B9ULL;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static void write_content(struct fs *fs, const struct inode *inode,
			  const uint8_t *bytes, uint64_t length)
{
	for (uint32_t i = 0; i < inode->pages; i++) {
		uint64_t at = (uint64_t)i * PAGE_SIZE;
		uint64_t n = at < length ? length - at : 0;
		uint8_t block[PAGE_SIZE] = { 0 };

		n = n < PAGE_SIZE ? n : PAGE_SIZE;
		if (n)
			memcpy(block, bytes + at, n);
		media_write(fs->media, inode->first_block + i, fs_tag(inode, i),
			    is_zero(block, n) ? NULL : block);
	}
}

struct inode *fs_install(struct fs *fs, const char *name, const void *bytes,
			 uint64_t length, uint64_t size)
{
	struct inode *inode = xcalloc(1, sizeof(*inode));

	BUG_ON(length > size);
	inode->k = fs->k;
	inode->number = fs->count + 1;
	snprintf(inode->name, sizeof(inode->name), "%s", name);
	inode->size = size;
	inode->pages = (uint32_t)((size + PAGE_SIZE - 1) >> PAGE_SHIFT);
	list_init(&inode->mappings);
	if (!place(fs, inode->pages ? inode->pages : 1, &inode->first_block)) {
		free(inode);
		return NULL;
	}
	inode->cache = xcalloc(inode->pages + 1u, sizeof(*inode->cache));
	for (uint32_t i = 0; i < inode->pages; i++)
		inode->cache[i] = PFN_NONE;
	fs->inode = xrealloc(fs->inode, (fs->count + 1) * sizeof(*fs->inode));
	fs->inode[fs->count++] = inode;
	write_content(fs, inode, bytes, length);
	return inode;
}

struct inode *fs_find(struct fs *fs, const char *name)
{
	for (uint32_t i = 0; i < fs->count; i++)
		if (strcmp(fs->inode[i]->name, name) == 0)
			return fs->inode[i];
	return NULL;
}

struct inode *fs_inode(struct fs *fs, uint32_t number)
{
	BUG_ON(!number || number > fs->count);
	return fs->inode[number - 1];
}

uint32_t fs_count(const struct fs *fs)
{
	return fs->count;
}
