/*
 * Files: names, inodes, blocks on the file device. Read-only content,
 * installed before power-on and placed from the run's seed.
 *
 * A file's blocks lie one after the other as ext2 allocates them: 12 that the
 * inode names itself, then, before each further 1024, the indirect block that
 * names them. To find a block the kernel must have read its indirect block;
 * those are cached like a file's pages, under an inode of their own.
 */
#pragma once

#include "disk/media.h"
#include "os/mm.h"

struct queue;

/* A file. The page cache is its array of frames. Owner: struct fs. */
struct inode {
	struct kernel *k;
	uint32_t number;
	char name[32];
	uint64_t size;	      /* bytes */
	uint32_t pages;	      /* size in pages, rounded up */
	uint64_t first_block; /* 4 KiB block on the file device */
	struct inode *map;    /* its indirect blocks; NULL: needs none */
	struct inode *maps;   /* this is the map of that file; or NULL */
	pfn *cache;	      /* per page: frame or PFN_NONE */
	uint32_t cached;      /* frames in cache */
	struct list mappings; /* vma.file_link */
};

/* State of sequential access through one open file (file_ra_state). */
struct readahead {
	uint32_t start, size;
	uint32_t ahead_start, ahead_size;
	int64_t previous; /* page, -1 at first */
	uint32_t flags;
	uint32_t cache_hit;
};

struct open_file {
	struct inode *inode;
	uint64_t position; /* bytes */
	struct readahead ra;
};

struct fs;

struct fs *fs_new(struct kernel *k, struct queue *queue, struct media *media,
		  uint64_t first_block, uint64_t blocks, uint64_t seed);
void fs_free(struct fs *fs);

/*
 * Install a file of size bytes: the first length bytes are bytes, the rest
 * is zero but tagged. NULL: no room. Before power-on only.
 */
struct inode *fs_install(struct fs *fs, const char *name, const void *bytes,
			 uint64_t length, uint64_t size);

struct inode *fs_find(struct fs *fs, const char *name);

/* By number, from 1 to fs_count. */
struct inode *fs_inode(struct fs *fs, uint32_t number);
uint32_t fs_count(const struct fs *fs);

/* Where a page of a file, or of a map, is on the file device. */
uint64_t fs_block(const struct inode *inode, uint32_t index);

/*
 * Which pages of inode->map name the block of a page: 0 to 2 of them, in the
 * order in which they must be read.
 */
unsigned fs_map_pages(const struct inode *inode, uint32_t index,
		      uint32_t page[2]);

/* The content tag that a page of a file has on the disk. */
uint64_t fs_tag(const struct inode *inode, uint32_t index);

/*
 * Read from a file into kernel memory, through the page cache: bytes read,
 * -1 for a bad medium or no memory. wanted is what the caller is going to
 * read from here in all, size or more: readahead goes by it.
 */
SLEEPS int64_t file_read(struct task *task, struct open_file *file, void *to,
			 uint64_t size, uint64_t wanted);
void file_open(struct open_file *file, struct inode *inode);
