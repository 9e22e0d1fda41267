/*
 * The drive's buffer memory: segments that hold what was read (and what is
 * being read ahead), and dirty extents that wait to be written.
 */
#pragma once

#include "disk/drive.h"

/* Sectors first..end-1. */
struct extent {
	sector first, end;
};

/* Sectors that were read, all in the buffer. used 0: empty. */
struct segment {
	struct extent data;
	uint64_t used; /* stamp of the last use */
};

struct buffer {
	struct segment *segment;
	unsigned nr_segments; /* 0: no read buffer */
	uint32_t segment_sectors;
	uint64_t stamp;

	struct extent *dirty; /* ascending, never adjacent or overlapping */
	unsigned nr_dirty, dirty_room;
	uint64_t dirty_sectors; /* sum over dirty */
	uint64_t dirty_limit;
};

void buffer_init(struct buffer *b, const struct drive_spec *spec);
void buffer_finish(struct buffer *b);

/*
 * The segment that holds sector s, or ends right before it; NULL if none.
 * The most recently used one if there are several.
 */
struct segment *buffer_find(struct buffer *b, sector s);

/* Mark as used just now. */
void buffer_touch(struct buffer *b, struct segment *seg);

/* Start a segment at sector s, empty so far; the least recently used goes. */
struct segment *buffer_start(struct buffer *b, sector s);

/* The segment now ends here; its oldest sectors go when it is too long. */
void buffer_extend(const struct buffer *b, struct segment *seg, sector end);

/* Forget what was read of these sectors; they were overwritten. */
void buffer_invalidate(struct buffer *b, sector first, uint32_t sectors);

/* Remember sectors as dirty; merged with their neighbours. */
void buffer_dirty(struct buffer *b, sector first, uint32_t sectors);

/* Are all of these dirty? */
bool buffer_is_dirty(const struct buffer *b, sector first, uint32_t sectors);

/* These are dirty no longer: written, or overwritten on the platter. */
void buffer_clean(struct buffer *b, sector first, uint32_t sectors);

/* Take at most so many sectors from the start of the i-th dirty extent. */
struct extent buffer_take(struct buffer *b, unsigned i, uint32_t most);
