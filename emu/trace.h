/*
 * The published record: small typed events and those who listen to them.
 *
 * Kinds and the names of their fields stand in one list, below. Counters,
 * the digest, the timeline and tests are subscribers. An event that nobody
 * listens to costs one predicted branch. Listeners only look: they must not
 * change the machine, post events or spend its time.
 */
#pragma once

#include "emu/digest.h"
#include "emu/types.h"

/*
 * X(KIND, digest, "name", "a", "b", "c", "d"): an event of four numbers; an
 * empty field name means unused. digest is 1 for decisive events.
 *
 * process is a pid; page is a virtual page number; pfn a frame; slot a swap
 * slot; reason is an enum of the code that emits it. Short names (image, name,
 * what) are packed eight bytes to a number, see trace_pack.
 */
#define TRACE_KINDS(X)                                                         \
	X(FAULT, 0, "fault", "process", "page", "write", "kind")               \
	X(FAULT_DONE, 0, "fault_done", "process", "page", "major", "result")   \
	X(MAP, 0, "map", "process", "page", "pfn", "writable")                 \
	X(UNMAP, 0, "unmap", "process", "page", "pfn", "reason")               \
	X(LRU_MOVE, 0, "lru_move", "pfn", "from", "to", "reason")              \
	X(REFERENCED, 0, "referenced", "pfn", "count", "token", "")            \
	X(EVICT, 1, "evict", "pfn", "owner", "index", "reason")                \
	X(SWAP_OUT, 1, "swap_out", "pfn", "slot", "owner", "")                 \
	X(SWAP_IN, 1, "swap_in", "process", "page", "slot", "pfn")             \
	X(FILE_IN, 1, "file_in", "process", "inode", "index", "pages")         \
	X(TOKEN_ASK, 0, "token_ask", "process", "holder", "priority", "")      \
	X(TOKEN_GRANT, 1, "token_grant", "process", "from", "reason", "")      \
	X(TOKEN_LOST, 1, "token_lost", "process", "to", "reason", "")          \
	X(SWITCH, 1, "switch", "cpu", "from", "to", "voluntary")               \
	X(WAKE, 0, "wake", "process", "by", "priority", "")                    \
	X(BLOCK, 0, "block", "process", "what", "on", "")                      \
	X(FORK, 1, "fork", "process", "child", "", "")                         \
	X(EXEC, 1, "exec", "process", "image", "image2", "")                   \
	X(EXIT, 1, "exit", "process", "status", "signal", "")                  \
	X(MARK, 1, "mark", "process", "phase", "name", "name2")                \
	X(RQ_QUEUE, 0, "rq_queue", "device", "sector", "sectors", "write")     \
	X(RQ_MERGE, 0, "rq_merge", "device", "sector", "sectors", "write")     \
	X(RQ_DISPATCH, 0, "rq_dispatch", "device", "sector", "sectors",        \
	  "write")                                                             \
	X(DISK_SEEK, 0, "disk_seek", "device", "from_cylinder", "to_cylinder", \
	  "ns")                                                                \
	X(RQ_DONE, 1, "rq_done", "device", "sector", "sectors", "write")       \
	X(KSWAPD_WAKE, 1, "kswapd_wake", "zone", "free", "", "")               \
	X(KSWAPD_SLEEP, 0, "kswapd_sleep", "reclaimed", "", "", "")            \
	X(DIRECT_RECLAIM, 1, "direct_reclaim", "process", "priority",          \
	  "reclaimed", "")                                                     \
	X(OOM_KILL, 1, "oom_kill", "process", "points", "by", "")              \
	X(SYSCTL, 1, "sysctl", "which", "value", "", "")

enum trace_kind {
#define X(kind, ...) TR_##kind,
	TRACE_KINDS(X)
#undef X
		TR_KINDS
};

struct trace_event {
	simtime at;
	enum trace_kind kind;
	uint64_t v[4];
};

struct trace_kind_info {
	const char *name;
	const char *field[4]; /* "" where unused */
	bool digest;
};

extern const struct trace_kind_info trace_kinds[TR_KINDS];

typedef void (*trace_fn)(void *arg, const struct trace_event *ev);

#define TRACE_SUBSCRIBERS 8
#define TRACE_RING	  32

struct trace {
	uint64_t mask;			 /* kinds that somebody wants */
	simtime (*now)(const void *arg); /* the time of an event */
	const void *now_arg;
	struct digest digest; /* over decisive events */
	struct {
		trace_fn fn;
		void *arg;
		uint64_t mask;
	} subscriber[TRACE_SUBSCRIBERS];
	unsigned nr_subscribers;
	struct trace_event ring[TRACE_RING]; /* last events, for BUG_ON */
	unsigned ring_next;
};

/*
 * now(arg) tells the time of an event for as long as the trace lives: asked
 * only for events that somebody listens to. Decisive kinds are always wanted:
 * they go to the digest.
 */
void trace_init(struct trace *t, simtime (*now)(const void *arg),
		const void *arg);

/* A clock that is a variable: arg points at a simtime. */
simtime trace_variable(const void *arg);

/* Call fn for each event whose kind is in mask (bits 1 << TR_KIND). */
void trace_subscribe(struct trace *t, trace_fn fn, void *arg, uint64_t mask);

/* Eight bytes of a name from skip on as a little-endian number. */
static inline uint64_t trace_pack(const char *name, unsigned skip)
{
	uint64_t packed = 0;

	for (unsigned i = 0; i < skip; i++)
		if (!name[i])
			return 0;
	for (unsigned i = 0; i < 8 && name[skip + i]; i++)
		packed |= (uint64_t)(unsigned char)name[skip + i] << (8 * i);
	return packed;
}

/* The slow path of trace_emit. */
void trace_publish(struct trace *t, enum trace_kind kind, uint64_t a,
		   uint64_t b, uint64_t c, uint64_t d);

static inline void trace_emit(struct trace *t, enum trace_kind kind, uint64_t a,
			      uint64_t b, uint64_t c, uint64_t d)
{
	if (__builtin_expect((t->mask >> kind & 1) != 0, 0))
		trace_publish(t, kind, a, b, c, d);
}

/* One line of text, without a newline: "12.345678 fault process=3 ...". */
void trace_format(const struct trace_event *ev, char *out, size_t size);
