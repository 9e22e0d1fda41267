/*
 * A run as a Perfetto timeline.
 *
 * Models      the trace event format: B/E slices, C counters, i instants,
 *             s/t/f flows, b/e for the token; times in us with three digits.
 * Leaves out  every fault and page: a record has those. A slice of a drive
 *             with tagged queuing spans all commands inside it.
 * Seen in     --timeline FILE.json.
 *
 * Tracks: process 1 is the machine, with a thread per CPU and disk; emulated
 * process n is process PID_BASE + n. Events go to a passing file first, so
 * that the names, known only at the end, can stand at the head of the file.
 */
#include "emu/run/timeline.h"

#include "emu/bug.h"

#include <stdlib.h>
#include <string.h>

#define PID_MACHINE 1
#define PID_BASE    1000
#define TID_CPU	    1
#define TID_DISK    10 /* + device */

/* How often counters are written at most. */
#define COUNTER_PERIOD (10 * NSEC_PER_MSEC)

/* An emulated process as a track. */
struct track {
	int pid;
	char name[16];
	bool open;     /* a slice is: running, or blocked */
	uint64_t flow; /* of the last request it queued; 0 none */
	bool served;   /* that request is done: the next wake-up is its end */
};

/* A request that was queued and is not done. */
struct flight {
	uint64_t device, start; /* start sector */
	uint64_t flow;
	int pid;
};

struct timeline {
	struct machine *m;
	struct kernel *k;
	FILE *body, *out;
	int64_t size, limit;
	bool cut; /* the limit was reached, at this time: */
	simtime cut_at;
	simtime last;	  /* time of the latest event: they never go back */
	simtime counters; /* when they were written last */
	int running;	  /* pid on the CPU, 0 idle */
	unsigned inside[UNITS]; /* commands at each disk */
	uint64_t flows, tenures;
	bool token_open;
	struct track *track;
	unsigned nr_tracks;
	struct flight *flight;
	unsigned nr_flights;
};

static void put_us(FILE *to, simtime ns)
{
	fprintf(to, "%lld.%03lld", (long long)(ns / NSEC_PER_USEC),
		(long long)(ns % NSEC_PER_USEC));
}

/* A name as a JSON string. */
static void put_name(FILE *to, const char *s)
{
	fputc('"', to);
	for (; *s; s++)
		if (*s >= 0x20 && *s != '"' && *s != '\\')
			fputc(*s, to);
	fputc('"', to);
}

/*
 * Begin an event: everything but what is special to its phase. False when
 * the file is full. end_event closes it.
 */
static bool begin_event(struct timeline *t, char phase, int pid, int tid,
			const char *name)
{
	if (t->size >= t->limit) {
		if (!t->cut)
			t->cut_at = t->last;
		t->cut = true;
		return false;
	}
	fprintf(t->body,
		",\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"ts\":", phase, pid,
		tid);
	put_us(t->body, t->last);
	if (name) {
		fputs(",\"name\":", t->body);
		put_name(t->body, name);
	}
	return true;
}

static void end_event(struct timeline *t)
{
	fputc('}', t->body);
	t->size = ftell(t->body);
}

static void simple_event(struct timeline *t, char phase, int pid, int tid,
			 const char *name)
{
	if (begin_event(t, phase, pid, tid, name))
		end_event(t);
}

static void put_flow(struct timeline *t, char phase, int pid, int tid,
		     uint64_t flow)
{
	if (!begin_event(t, phase, pid, tid, "request"))
		return;
	fprintf(t->body, ",\"cat\":\"io\",\"id\":%llu",
		(unsigned long long)flow);
	if (phase == 'f')
		fputs(",\"bp\":\"e\"", t->body);
	end_event(t);
}

static void put_instant(struct timeline *t, const char *name, int pid)
{
	if (!begin_event(t, 'i', pid ? PID_BASE + pid : PID_MACHINE,
			 pid ? pid : TID_CPU, name))
		return;
	fputs(",\"s\":\"t\"", t->body);
	end_event(t);
}

/*
 * Tracks
 */

static struct track *find_track(struct timeline *t, int pid)
{
	const struct task *task;
	struct track *track = NULL;

	for (unsigned i = 0; i < t->nr_tracks && !track; i++)
		if (t->track[i].pid == pid)
			track = &t->track[i];
	if (!track) {
		t->track =
			xrealloc(t->track, (t->nr_tracks + 1) * sizeof(*track));
		track = &t->track[t->nr_tracks++];
		memset(track, 0, sizeof(*track));
		track->pid = pid;
	}
	/* exec changes it: the last name stands in the file */
	task = task_find(t->k, pid);
	if (task)
		memcpy(track->name, task->name, sizeof(track->name));
	return track;
}

static void open_slice(struct timeline *t, struct track *track,
		       const char *name)
{
	if (track->open)
		simple_event(t, 'E', PID_BASE + track->pid, track->pid, NULL);
	simple_event(t, 'B', PID_BASE + track->pid, track->pid, name);
	track->open = true;
}

static void close_slice(struct timeline *t, struct track *track)
{
	if (!track->open)
		return;
	simple_event(t, 'E', PID_BASE + track->pid, track->pid, NULL);
	track->open = false;
}

static void on_switch(struct timeline *t, int from, int to)
{
	struct track *track;

	/* one that blocked has a slice of its sleep by now */
	if (from && from == t->running)
		close_slice(t, find_track(t, from));
	if (t->running)
		simple_event(t, 'E', PID_MACHINE, TID_CPU, NULL);
	t->running = to;
	if (!to)
		return;
	track = find_track(t, to);
	simple_event(t, 'B', PID_MACHINE, TID_CPU, track->name);
	open_slice(t, track, "running");
}

/* The name that the event packed into a number, eight bytes at most. */
static void unpack(uint64_t packed, char out[9])
{
	for (unsigned i = 0; i < 8; i++)
		out[i] = (char)(packed >> (8 * i) & 0xff);
	out[8] = '\0';
}

static void on_block(struct timeline *t, const struct trace_event *ev)
{
	struct track *track = find_track(t, (int)ev->v[0]);
	char what[9];

	unpack(ev->v[1], what);
	open_slice(t, track, what);
	if (t->running == track->pid)
		t->running = 0;
	else
		return;
	simple_event(t, 'E', PID_MACHINE, TID_CPU, NULL);
}

static void on_wake(struct timeline *t, int pid)
{
	struct track *track = find_track(t, pid);

	if (track->flow && track->served) {
		put_flow(t, 'f', PID_BASE + pid, pid, track->flow);
		track->flow = 0;
	}
	if (pid != t->running)
		close_slice(t, track);
}

/*
 * Requests
 */

static struct flight *find_flight(struct timeline *t, uint64_t device,
				  uint64_t start)
{
	for (unsigned i = 0; i < t->nr_flights; i++)
		if (t->flight[i].device == device &&
		    t->flight[i].start == start)
			return &t->flight[i];
	return NULL;
}

static void on_queue(struct timeline *t, const struct trace_event *ev)
{
	struct track *track;

	if (!t->running || find_flight(t, ev->v[0], ev->v[1]))
		return;
	track = find_track(t, t->running);
	track->flow = ++t->flows;
	track->served = false;
	t->flight =
		xrealloc(t->flight, (t->nr_flights + 1) * sizeof(*t->flight));
	t->flight[t->nr_flights++] =
		(struct flight){ ev->v[0], ev->v[1], track->flow, track->pid };
	put_flow(t, 's', PID_BASE + track->pid, track->pid, track->flow);
}

static void on_dispatch(struct timeline *t, const struct trace_event *ev)
{
	int tid = TID_DISK + (int)ev->v[0];
	struct flight *f = find_flight(t, ev->v[0], ev->v[1]);

	if (ev->v[0] >= UNITS)
		return;
	if (!t->inside[ev->v[0]]++ &&
	    begin_event(t, 'B', PID_MACHINE, tid,
			ev->v[3] ? "write" : "read")) {
		fprintf(t->body, ",\"args\":{\"sector\":%llu,\"sectors\":%llu}",
			(unsigned long long)ev->v[1],
			(unsigned long long)ev->v[2]);
		end_event(t);
	}
	if (f)
		put_flow(t, 't', PID_MACHINE, tid, f->flow);
}

static void on_done(struct timeline *t, const struct trace_event *ev)
{
	struct flight *f = find_flight(t, ev->v[0], ev->v[1]);

	if (ev->v[0] < UNITS && t->inside[ev->v[0]] && !--t->inside[ev->v[0]])
		simple_event(t, 'E', PID_MACHINE, TID_DISK + (int)ev->v[0],
			     NULL);
	if (!f)
		return;
	if (find_track(t, f->pid)->flow == f->flow)
		find_track(t, f->pid)->served = true;
	*f = t->flight[--t->nr_flights];
}

/*
 * The token and counters
 */

static void put_token(struct timeline *t, char phase, const char *name)
{
	if (!begin_event(t, phase, PID_MACHINE, TID_CPU, name))
		return;
	fprintf(t->body, ",\"cat\":\"token\",\"id\":%llu",
		(unsigned long long)t->tenures);
	end_event(t);
}

static void on_token(struct timeline *t, int pid)
{
	if (t->token_open)
		put_token(t, 'e', "token");
	t->token_open = pid != 0;
	if (!pid)
		return;
	t->tenures++;
	put_token(t, 'b', "token");
	put_instant(t, "token", pid);
}

static void put_counters(struct timeline *t)
{
	const struct kernel *k = t->k;

	t->counters = t->last;
	if (begin_event(t, 'C', PID_MACHINE, TID_CPU, "memory, pages")) {
		fprintf(t->body,
			",\"args\":{\"free\":%llu,\"file\":%llu,\"mapped "
			"anonymous\":%llu}",
			(unsigned long long)nr_free_pages(k),
			(unsigned long long)k->nr_file_cached,
			(unsigned long long)k->nr_anon_mapped);
		end_event(t);
	}
	if (k->swap &&
	    begin_event(t, 'C', PID_MACHINE, TID_CPU, "swap, slots")) {
		fprintf(t->body, ",\"args\":{\"used\":%u,\"cached\":%u}",
			k->swap->total - k->swap->free, k->swap->cached);
		end_event(t);
	}
}

static void on_event(void *arg, const struct trace_event *ev)
{
	struct timeline *t = arg;

	t->last = ev->at > t->last ? ev->at : t->last;
	if (t->last - t->counters >= COUNTER_PERIOD)
		put_counters(t);
	switch (ev->kind) {
	case TR_SWITCH:
		on_switch(t, (int)ev->v[1], (int)ev->v[2]);
		break;
	case TR_BLOCK:
		on_block(t, ev);
		break;
	case TR_WAKE:
		on_wake(t, (int)ev->v[0]);
		break;
	case TR_RQ_QUEUE:
		on_queue(t, ev);
		break;
	case TR_RQ_DISPATCH:
		on_dispatch(t, ev);
		break;
	case TR_RQ_DONE:
		on_done(t, ev);
		break;
	case TR_TOKEN_GRANT:
		on_token(t, (int)ev->v[0]);
		break;
	case TR_TOKEN_LOST:
		on_token(t, 0);
		break;
	default:
		put_instant(t, trace_kinds[ev->kind].name, (int)ev->v[0]);
		break;
	}
}

struct timeline *timeline_new(struct machine *m, const char *path,
			      int64_t limit)
{
	struct timeline *t = xcalloc(1, sizeof(*t));

	t->m = m;
	t->k = machine_kernel(m);
	t->limit = limit;
	t->out = fopen(path, "w");
	t->body = t->out ? tmpfile() : NULL;
	if (!t->body) {
		if (t->out)
			fclose(t->out);
		free(t);
		return NULL;
	}
	trace_subscribe(machine_trace(m), on_event, t,
			1ULL << TR_SWITCH | 1ULL << TR_BLOCK | 1ULL << TR_WAKE |
				1ULL << TR_RQ_QUEUE | 1ULL << TR_RQ_DISPATCH |
				1ULL << TR_RQ_DONE | 1ULL << TR_TOKEN_GRANT |
				1ULL << TR_TOKEN_LOST | 1ULL << TR_OOM_KILL |
				1ULL << TR_MARK | 1ULL << TR_EXIT);
	return t;
}

/*
 * The end: names, then the events
 */

static void put_meta(FILE *to, const char *kind, int pid, int tid,
		     const char *name)
{
	fprintf(to,
		",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\","
		"\"args\":{\"name\":",
		pid, tid, kind);
	put_name(to, name);
	fputs("}}", to);
}

static void put_names(struct timeline *t)
{
	fprintf(t->out,
		"{\"displayTimeUnit\":\"ms\",\"otherData\":{\"complete\":%s},"
		"\"traceEvents\":[\n",
		t->cut ? "false" : "true");
	fputs("{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\","
	      "\"args\":{\"name\":\"machine\"}}",
	      t->out);
	put_meta(t->out, "thread_name", PID_MACHINE, TID_CPU, "CPU 0");
	for (unsigned i = 0; i < UNITS; i++)
		put_meta(t->out, "thread_name", PID_MACHINE, TID_DISK + (int)i,
			 i == UNIT_FILE ? "file disk" : "swap disk");
	for (unsigned i = 0; i < t->nr_tracks; i++) {
		const struct track *track = &t->track[i];

		put_meta(t->out, "process_name", PID_BASE + track->pid,
			 track->pid, track->name);
		put_meta(t->out, "thread_name", PID_BASE + track->pid,
			 track->pid, track->name);
	}
}

static bool copy_body(struct timeline *t)
{
	char buffer[65536];
	size_t n;

	rewind(t->body);
	while ((n = fread(buffer, 1, sizeof(buffer), t->body)) > 0)
		if (fwrite(buffer, 1, n, t->out) != n)
			return false;
	return !ferror(t->body);
}

bool timeline_cut(const struct timeline *t, simtime *at)
{
	*at = t->cut_at;
	return t->cut;
}

bool timeline_free(struct timeline *t)
{
	bool good;

	if (!t)
		return true;
	put_names(t);
	good = !ferror(t->body) && copy_body(t);
	fputs("\n]}\n", t->out);
	good = !ferror(t->out) && good;
	good = fclose(t->out) == 0 && good;
	fclose(t->body);
	free(t->track);
	free(t->flight);
	free(t);
	return good;
}
