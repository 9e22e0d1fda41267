/*
 * Read-only files, placed from the run's seed.
 *
 * Models      what the page cache sees of ext2 with 4 KiB blocks: names,
 *             sizes, data blocks with their indirect blocks in between.
 * Leaves out  directories, inode tables, bitmaps; writing.
 */
#include "os/fs.h"

#include "emu/bytes.h"
#include "os/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECT_BLOCKS 12   /* EXT2_NDIR_BLOCKS */
#define MAP_BLOCKS    1024 /* block numbers in an indirect block */

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
	uint32_t nr_taken;
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

	while (i < fs->nr_taken && fs->taken[i].end <= start)
		i++;
	*at = i;
	return end <= fs->first + fs->blocks &&
	       (i == fs->nr_taken || fs->taken[i].start >= end);
}

static void take_extent(struct fs *fs, uint64_t start, uint64_t end,
			uint32_t at)
{
	fs->taken =
		xrealloc(fs->taken, (fs->nr_taken + 1) * sizeof(*fs->taken));
	memmove(&fs->taken[at + 1], &fs->taken[at],
		(fs->nr_taken - at) * sizeof(*fs->taken));
	fs->taken[at] = (struct extent){ start, end };
	fs->nr_taken++;
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
	for (uint32_t i = 0; i <= fs->nr_taken; i++) {
		if (extent_free(fs, *start, *start + blocks, &at)) {
			take_extent(fs, *start, *start + blocks, at);
			return true;
		}
		if (i < fs->nr_taken)
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

/*
 * Pages of a file's map: page 0 is the indirect block, page 1 the double
 * indirect one, page 2 and on what the latter names.
 */
static uint32_t map_size(uint32_t pages)
{
	if (pages <= DIRECT_BLOCKS)
		return 0;
	if (pages <= DIRECT_BLOCKS + MAP_BLOCKS)
		return 1;
	pages -= DIRECT_BLOCKS + MAP_BLOCKS;
	return 2 + (pages + MAP_BLOCKS - 1) / MAP_BLOCKS;
}

unsigned fs_map_pages(const struct inode *inode, uint32_t index,
		      uint32_t page[2])
{
	uint32_t group;

	if (!inode->map || index < DIRECT_BLOCKS)
		return 0;
	group = (index - DIRECT_BLOCKS) / MAP_BLOCKS;
	if (!group) {
		page[0] = 0;
		return 1;
	}
	page[0] = 1;
	page[1] = group + 1;
	return 2;
}

/* Each map page lies just before the first data block that needs it. */
static uint64_t map_block(const struct inode *map, uint32_t index)
{
	uint32_t group = index > 1 ? index - 1 : index;
	uint64_t data = fs_block(map->maps, DIRECT_BLOCKS + group * MAP_BLOCKS);

	return data - (index == 1 ? 2 : 1);
}

uint64_t fs_block(const struct inode *inode, uint32_t index)
{
	uint32_t group;

	if (inode->maps)
		return map_block(inode, index);
	if (index < DIRECT_BLOCKS)
		return inode->first_block + index;
	group = (index - DIRECT_BLOCKS) / MAP_BLOCKS;
	return inode->first_block + index + 1 + group + (group > 0);
}

/* A page of a file: its bytes, or NULL for a page of zeroes. */
static void write_page(struct fs *fs, const struct inode *inode, uint32_t page,
		       const void *bytes)
{
	media_write(fs->media, fs_block(inode, page), fs_tag(inode, page),
		    bytes);
}

/* The last page has n bytes; zeroes fill it up. */
static void write_last_page(struct fs *fs, const struct inode *inode,
			    uint32_t page, const uint8_t *bytes, uint64_t n)
{
	uint8_t block[PAGE_SIZE] = { 0 };

	write_page(fs, inode, page, memcpy(block, bytes, n));
}

static void write_content(struct fs *fs, const struct inode *inode,
			  const uint8_t *bytes, uint64_t length)
{
	for (uint32_t i = 0; i < inode->pages; i++) {
		uint64_t at = (uint64_t)i * PAGE_SIZE;
		uint64_t n = at < length ? length - at : 0;

		if (!n || bytes_zero(bytes + at, n < PAGE_SIZE ? n : PAGE_SIZE))
			write_page(fs, inode, i, NULL);
		else if (n >= PAGE_SIZE)
			write_page(fs, inode, i, bytes + at);
		else
			write_last_page(fs, inode, i, bytes + at, n);
	}
}

/* An inode without blocks; its number is its place in the table. */
static struct inode *new_inode(struct fs *fs, const char *name, uint64_t size)
{
	struct inode *inode = xcalloc(1, sizeof(*inode));

	inode->k = fs->k;
	inode->number = fs->count + 1;
	snprintf(inode->name, sizeof(inode->name), "%s", name);
	inode->size = size;
	inode->pages = (uint32_t)((size + PAGE_SIZE - 1) >> PAGE_SHIFT);
	list_init(&inode->mappings);
	inode->cache = xcalloc(inode->pages + 1u, sizeof(*inode->cache));
	for (uint32_t i = 0; i < inode->pages; i++)
		inode->cache[i] = PFN_NONE;
	fs->inode = xrealloc(fs->inode, (fs->count + 1) * sizeof(void *));
	fs->inode[fs->count++] = inode;
	return inode;
}

struct inode *fs_install(struct fs *fs, const char *name, const void *bytes,
			 uint64_t length, uint64_t size)
{
	uint32_t pages = (uint32_t)((size + PAGE_SIZE - 1) >> PAGE_SHIFT);
	uint32_t maps = map_size(pages);
	struct inode *inode;
	uint64_t first;

	BUG_ON(length > size);
	if (!place(fs, pages + maps ? pages + maps : 1, &first))
		return NULL;
	inode = new_inode(fs, name, size);
	inode->first_block = first;
	write_content(fs, inode, bytes, length);
	if (maps) {
		inode->map = new_inode(fs, "", (uint64_t)maps * PAGE_SIZE);
		inode->map->maps = inode;
		write_content(fs, inode->map, NULL, 0);
	}
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
