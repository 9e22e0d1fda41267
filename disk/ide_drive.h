/*
 * The inside of an IDE drive, shared by the files that make it up: ide.c
 * (commands), ide_media.c (the arm's work), ide_order.c (which command next),
 * ide_flush.c (write-back) and ide_fault.c.
 */
#pragma once

#include "disk/buffer.h"
#include "disk/defect.h"
#include "disk/ide.h"
#include "disk/mech.h"

/* Commands in the order of their arrival. */
struct ide_command {
	struct disk_request *rq;
	struct position where; /* of the first sector */
	bool lost;	       /* no longer known to the drive: will time out */
};

/*
 * Reading that goes on by itself after a miss. Pass by pass; only the pass
 * under way is known, later ones are computed when time has come that far.
 */
struct ide_stream {
	bool active;
	struct segment *segment; /* where it goes */
	struct mech_run run;	 /* the pass under way */
	sector limit;		 /* reads up to here */
};

struct ide {
	struct disk disk;	/* first */
	struct drive_spec spec; /* name is not ours: NULL */
	struct mech mech;
	struct buffer buffer;
	struct defects defects;
	bool write_cache; /* off for good when the spares are used up */

	struct ide_command queue[DRIVE_QUEUE]; /* waiting */
	unsigned queued;
	struct event wake; /* a command arrives, or the drive is back */

	/* the command in service */
	struct disk_request *active;
	enum disk_error error; /* that it will report */
	bool uses_arm;	       /* neither from nor only into the buffer */
	bool wants_room;       /* waits for dirty data to go */
	bool repeat;	       /* its transfer failed: once more */
	struct event done;

	simtime arm_free; /* end of the arm's last duty */
	struct ide_stream stream;

	/* write-back; flushing: go on until clean or the arm is wanted */
	bool flushing;
	struct extent writing; /* being written now; first == end: none */
	sector swept;	       /* where ascending order goes on */
	struct event written;
	struct event idle; /* the arm has been idle long enough */

	/* trouble */
	struct ide_fault *fault; /* those that wait for commands */
	unsigned nr_faults;
	simtime off_until;  /* SIMTIME_MAX while hung */
	simtime dark_until; /* no power */
	struct event timeout;
	void (*lost)(void *arg, sector first, uint32_t sectors);
	void *lost_arg;
};

static inline simtime ide_later(simtime a, simtime b)
{
	return a > b ? a : b;
}

/* ide.c: serve the next command if there is one and none is in service. */
void ide_next(struct ide *ide);

/* ide.c: a write or FLUSH CACHE that waited for dirty data to go. */
void ide_retry(struct ide *ide);

/*
 * ide_media.c: move the head over these sectors from time at on, spare
 * sectors included. Returns when the last has passed. *bus, if not NULL, is
 * when the first sector may leave on the bus, and becomes when the last has.
 */
simtime ide_sweep(struct ide *ide, struct extent what, bool write, simtime at,
		  simtime *bus);

/* ide_media.c: write these sectors; when the last has passed. */
simtime ide_write_media(struct ide *ide, struct extent what, simtime at);

/* ide_media.c: a read that the platter serves; returns its completion. */
simtime ide_read_media(struct ide *ide, const struct disk_request *rq,
		       simtime at);

/*
 * ide_media.c: a read that the buffer serves, or the reading ahead under
 * way. Its completion, or -1 if it is neither. The command's time on the
 * bus can start at time at.
 */
simtime ide_read_buffer(struct ide *ide, const struct disk_request *rq,
			simtime at);

/* Would ide_read_buffer serve it? Changes nothing that matters. */
bool ide_in_buffer(struct ide *ide, const struct disk_request *rq);

/* ide_media.c: stop reading ahead because the arm is wanted at time at. */
void ide_stop_stream(struct ide *ide, simtime at);

/* ide_media.c: the same if what it reads or is going to read changes. */
void ide_break_stream(struct ide *ide, sector first, uint64_t sectors);

/* ide_order.c: index in the queue of the command to serve now, or -1. */
int ide_pick(struct ide *ide);

/* ide_flush.c: write dirty data now, or when the arm has been idle. */
void ide_flush(struct ide *ide);

/* ide_flush.c: the arm is wanted for a command. */
void ide_flush_yield(struct ide *ide);
void ide_flush_init(struct ide *ide);

/* ide_flush.c: anything that only the buffer has? */
bool ide_unwritten(const struct ide *ide);

/*
 * ide_fault.c: faults that hit the command which is about to start: how much
 * later it starts; *hang when it never will.
 */
simtime ide_fault_delay(struct ide *ide, const struct ide_command *c,
			bool *hang);

/* ide_fault.c: the drive stops answering, this command first. */
void ide_hang(struct ide *ide, const struct ide_command *c);

/* ide_fault.c: see to it that commands the drive does not serve time out. */
void ide_watch(struct ide *ide);
void ide_fault_init(struct ide *ide);
