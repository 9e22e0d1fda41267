/*
 * A host for testing drives: keeps a number of requests in a drive and notes
 * the responses. Workloads and drive are those of the oracle runs, see
 * docs/disk.md.
 */
#pragma once

#include "disk/ide.h"
#include "emu/bug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_DEPTH 32u

struct host_load {
	const char *name; /* swapmix..., seq..., others: what is generated */
	uint64_t seed;
	sector start;
	uint64_t span;
	uint32_t size;
	uint32_t write_pct;
	uint32_t requests;
	uint32_t depth;
};

struct host {
	const struct host_load *load;
	struct disk *disk;
	struct events events;
	uint64_t random, cursor;
	uint32_t issued, done;
	simtime *response; /* in the order of issue */
	struct disk_request rq[HOST_DEPTH];
	uint32_t number[HOST_DEPTH]; /* of the request in rq[i] */
};

/* SplitMix64, as the oracle's generator. */
static inline uint64_t host_draw(struct host *h)
{
	uint64_t z = h->random += 0x9E3779B97F4A7C15ULL;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
	return z ^ (z >> 31);
}

static inline uint64_t host_blocks(const struct host_load *l)
{
	return l->span / 8 - l->size / 8 + 1;
}

static inline void host_make_swap(struct host *h, struct disk_request *rq)
{
	const struct host_load *l = h->load;
	uint64_t offset;

	if (host_draw(h) % 100 < l->write_pct) {
		if (h->cursor + 256 > l->span)
			h->cursor = 0;
		rq->start = l->start + h->cursor;
		rq->sectors = 256;
		rq->write = true;
		h->cursor += 256;
		return;
	}
	offset = 8 * (host_draw(h) % host_blocks(l));
	rq->start = l->start + offset / l->size * l->size;
	rq->sectors = l->size;
	rq->write = false;
}

static inline void host_make(struct host *h, struct disk_request *rq)
{
	const struct host_load *l = h->load;

	rq->sectors = l->size;
	rq->write = l->write_pct == 100;
	if (strncmp(l->name, "swapmix", 7) == 0) {
		host_make_swap(h, rq);
	} else if (strncmp(l->name, "seq", 3) == 0) {
		rq->start = l->start + h->cursor;
		h->cursor += l->size;
	} else {
		rq->start = l->start + 8 * (host_draw(h) % host_blocks(l));
		if (l->write_pct > 0 && l->write_pct < 100)
			rq->write = host_draw(h) % 100 < l->write_pct;
	}
}

static inline void host_issue(struct host *h, struct disk_request *rq)
{
	if (h->issued == h->load->requests)
		return;
	h->number[rq - h->rq] = h->issued++;
	host_make(h, rq);
	disk_submit(h->disk, rq, h->events.now);
}

static inline void host_done(struct disk_request *rq, enum disk_error error)
{
	struct host *h = rq->owner;

	BUG_ON(error);
	h->response[h->number[rq - h->rq]] = h->events.now - rq->arrived;
	h->done++;
	host_issue(h, rq);
}

/*
 * Run a load on a new drive of this spec. response gets load->requests
 * responses; returns the time of the last completion.
 */
static inline simtime host_run(const struct drive_spec *spec,
			       const struct host_load *load, simtime *response,
			       struct disk_stats *stats)
{
	struct host h = { .load = load, .random = load->seed };
	simtime end;

	h.response = response;
	BUG_ON(load->depth > HOST_DEPTH || load->depth > spec->depth);
	events_init(&h.events);
	h.disk = ide_new(spec, 0, 0, &h.events, NULL);
	for (uint32_t i = 0; i < load->depth; i++) {
		h.rq[i].done = host_done;
		h.rq[i].owner = &h;
		host_issue(&h, &h.rq[i]);
	}
	while (h.done < load->requests)
		BUG_ON(!event_run_one(&h.events));
	if (stats)
		*stats = h.disk->stats;
	disk_free(h.disk);
	end = h.events.now;
	events_finish(&h.events);
	return end;
}

static inline FILE *host_open(const char *root, const char *name)
{
	char path[4096];
	FILE *f;

	BUG_ON(snprintf(path, sizeof(path), "%s/tests/data/%s", root, name) >=
	       (int)sizeof(path));
	f = fopen(path, "r");
	BUG_ON(!f);
	return f;
}

/* The t42-class drive with the measured seek curve; no overhead, no buffer. */
static inline void host_t42_ideal(struct drive_spec *spec, const char *root)
{
	FILE *f = host_open(root, "t42-seek.csv");
	struct diag *d = diag_new();
	struct diag_place nowhere = { NULL, 0, 0 };
	char line[256];

	drive_defaults(spec);
	spec->seek = SEEK_TABLE;
	spec->switch_settle = spec->write_settle;
	spec->overhead = 0;
	spec->bus_sector = 0;
	spec->segments = 0;
	spec->read_ahead = false;
	spec->write_cache = false;
	while (fgets(line, sizeof(line), f)) {
		char *end;

		if (line[0] == '#')
			continue;
		BUG_ON(spec->nr_points == DRIVE_SEEK_POINTS);
		spec->point[spec->nr_points++] =
			(struct seek_point){ (uint32_t)strtoul(line, &end, 10),
					     strtoll(end + 1, NULL, 10) };
	}
	fclose(f);
	BUG_ON(!drive_check(spec, d, nowhere));
	diag_free(d);
}

/* The oracle's variants: "t42-ideal", "t42-nc" and "t42" with its buffer. */
static inline void host_t42(struct drive_spec *spec, const char *root,
			    const char *variant)
{
	host_t42_ideal(spec, root);
	if (strcmp(variant, "t42-ideal") == 0)
		return;
	spec->overhead = 300 * NSEC_PER_USEC;
	spec->bus_sector = 5120;
	if (strcmp(variant, "t42-nc") == 0)
		return;
	spec->segments = 16;
	spec->read_ahead = true;
}

/* One request by itself, for tests that look at a single answer. */
struct probe {
	struct disk_request rq; /* first */
	struct events *events;
	simtime at; /* of the answer */
	enum disk_error error;
	bool answered;
};

static inline void probe_done(struct disk_request *rq, enum disk_error error)
{
	struct probe *p = rq->owner;

	BUG_ON(p->answered);
	p->answered = true;
	p->at = p->events->now;
	p->error = error;
}

/* Submit now, do not wait. */
static inline void probe_submit(struct probe *p, struct disk *disk,
				sector start, uint32_t sectors, bool write)
{
	*p = (struct probe){ .events = disk->events };
	p->rq = (struct disk_request){ .start = start,
				       .sectors = sectors,
				       .write = write,
				       .done = probe_done,
				       .owner = p };
	disk_submit(disk, &p->rq, disk->events->now);
}

/* Let time pass until the answer is there. */
static inline void probe_wait(struct probe *p)
{
	while (!p->answered)
		BUG_ON(!event_run_one(p->events));
}

/* Submit, wait, and return the response time. */
static inline simtime probe(struct disk *disk, sector start, uint32_t sectors,
			    bool write, enum disk_error *error)
{
	struct probe p;
	simtime from = disk->events->now;

	probe_submit(&p, disk, start, sectors, write);
	probe_wait(&p);
	if (error)
		*error = p.error;
	else
		BUG_ON(p.error != DISK_OK);
	return p.at - from;
}

/* An event that does nothing: to get to a time. */
static inline void host_nothing(void *arg)
{
	*(bool *)arg = true;
}

static inline void host_pass_time(struct events *events, simtime span)
{
	struct event ev;
	bool over = false;

	event_init(&ev, host_nothing, &over);
	event_post(events, &ev, events->now + span);
	while (!over)
		BUG_ON(!event_run_one(events));
}

static inline bool host_near(simtime a, simtime b, simtime most)
{
	return a - b <= most && b - a <= most;
}

static inline int64_t host_mean(const simtime *t, uint32_t n)
{
	int64_t sum = 0;

	BUG_ON(n == 0);
	for (uint32_t i = 0; i < n; i++)
		sum += t[i];
	return sum / n;
}
