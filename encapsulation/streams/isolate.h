/* Instances in processes of their own: what the host's side (isolate.c) and the worker's (isolated.c) share.
 *
 * Both sides are in one memory, and take turns: one runs while the other waits. So an isolated instance does the same
 * at the same time of the host's clock as one in the process. In its turn a side writes records; the other copies
 * each before it looks at it, as the host trusts nothing that a worker wrote. */
#ifndef NACRE_STREAMS_ISOLATE_H
#define NACRE_STREAMS_ISOLATE_H

#include <stdatomic.h>

#include "inside.h"

#define area_add str_inside_area_add
#define end_accept str_inside_end_accept
#define end_add str_inside_end_add
#define end_drain str_inside_end_drain
#define end_find str_inside_end_find
#define end_flush str_inside_end_flush
#define end_pack str_inside_end_pack
#define end_receive str_inside_end_receive
#define end_remove str_inside_end_remove
#define ends_tell str_inside_ends_tell
#define post_put str_inside_post_put
#define post_serve str_inside_post_serve
#define instance_capsule str_inside_instance_capsule
#define isolate_exports str_inside_isolate_exports
#define isolate_name str_inside_isolate_name
#define isolate_start str_inside_isolate_start
#define isolate_stop str_inside_isolate_stop
#define turn_pass str_inside_turn_pass
#define turn_wait str_inside_turn_wait

#pragma GCC visibility push(hidden)

#define AREA_SIZE (1U << 20)
#define AREA_MARGIN 4096U /* that messages leave to other records */
#define RANDOM_SIZE 1024
#define MOST_EXPORTS 64
#define LONGEST_EXPORT 31
#define MOST_ENDS 65536
#define MOST_OPTIONS 255 /* of an instance */
#define MOST_WAITING (16U << 20) /* bytes at one end, beyond which the other side ignores flow control */
#define MOST_AT_HEAD (1U << 20) /* of the high-water mark that a worker sets */
#define END_HIWAT 65536
#define END_LOWAT 16384
#define NO_END UINT32_MAX

enum turn { TURN_HOST, TURN_WORKER };
enum ending { ENDING_DONE, ENDING_MORE /* there is more to say */, ENDING_RANDOM };

struct area {
    uint32_t length;
    unsigned char bytes[AREA_SIZE];
};

struct shared {
    _Atomic uint32_t turn;
    _Atomic uint32_t sleeps[2]; /* whether the host and the worker sleep until it is their turn */
    uint32_t ending;            /* why the worker ended its turn */
    int64_t parent;             /* the process of the host */
    uint64_t now, deadline;     /* of the host's clock, and of the worker's timeouts */
    uint64_t blocks;            /* that are live in the worker */
    uint32_t used;              /* random bytes, from the first on */
    unsigned char random[RANDOM_SIZE];
    struct area to_worker, to_host;
};

/* Records, with the meaning of a, b and c. */
enum kind {
    RECORD_START, /* data: options, each ended by a zero */
    RECORD_OPEN,  /* end; a: export; c: minor device, or NO_END; data: of a module, the end below */
    RECORD_CLOSE,
    RECORD_LINK,   /* end: of the upper stream; a: the new end; b: command */
    RECORD_UNLINK, /* end: of the upper stream; a: of the lower one; b: command */
    RECORD_TICK,
    RECORD_STOP,
    RECORD_BLOCK, /* a: type; b: band, and from bit 16 on the flags; c: whether the message goes on; data */
    RECORD_FULL,  /* a: 1, the end takes no more of band 0; 0: it does */
    RECORD_EXPORT, /* data: struct exported */
    RECORD_RESULT, /* a: 0 or an errno value; data: of START, the capsule's name or why it failed */
    RECORD_LOG,
};

struct record {
    uint32_t kind, size; /* bytes of data behind it, without padding to 8 */
    uint32_t end, a, b, c;
};

struct exported {
    char name[LONGEST_EXPORT + 1];
    int32_t flags; /* of str_install */
    uint32_t multiplexor, number;
    int64_t smallest[2], largest[2]; /* messages that the read and write side accept */
};

/* One end of a link between a queue of the host and a queue of the worker. Messages that are put to `out` go to the
 * other side; those of the other side go on from `next`. */
struct end {
    uint32_t id;
    queue_t *out, *next;
    struct exchange *exchange;
    mblk_t *sending;                     /* what is left of a message that is being written */
    mblk_t *partial, *partial_last;      /* of which not all has come */
    size_t partial_bytes;
    bool losing;                         /* there was no memory for the rest of it */
    mblk_t *first, *last;                /* messages that wait for room, in order */
    size_t bytes;                        /* of them */
    bool told_full, peer_full;
};

struct exchange {
    struct str_host *host;
    struct shared *shared;
    struct area *out, *in;
    struct end **ends; /* by identifier */
    uint32_t count;
    bool pressed; /* the area had no room for all messages */
    bool untold;  /* nor for all records of RECORD_FULL */
};

/* What a queue pair's q_ptr refers to: one end, or of a module the upper and the lower one. */
struct post {
    struct end *ends[2];
    void *owner;
};

static inline size_t record_padded(size_t size) { return (size + 7) & ~(size_t)7; }

/* Adds a record, with room for `size` bytes of data; NULL: there is none. */
unsigned char *area_add(struct area *, struct record, size_t size);

/* An end with an identifier (NO_END: a free one), or NULL. */
struct end *end_add(struct exchange *, uint32_t id, queue_t *out, queue_t *next);
struct end *end_find(struct exchange *, uint32_t id);
void end_remove(struct end *);
/* Writes the messages that wait in `out`. */
void end_pack(struct end *);
/* Tells of flow control what there was no room for. */
void ends_tell(struct exchange *);
/* Takes a block of the other side. The message, when it is complete. */
mblk_t *end_receive(struct end *, const struct record *, const unsigned char *data);
/* Gives a complete message its place. */
void end_accept(struct end *, mblk_t *);
/* Passes on what there is room for. */
void end_drain(struct end *);
void end_flush(struct end *, const mblk_t *flush);

/* Procedures of queues that have a post. */
int post_put(queue_t *, mblk_t *);
int post_serve(queue_t *);

/* Waits at most some milliseconds until it is this side's turn. Whether it is. */
bool turn_wait(struct shared *, enum turn, unsigned milliseconds);
void turn_pass(struct shared *, enum turn);

struct str_capsule;
struct str_export;
struct isolate;
/* Starts a worker for a capsule (a descriptor of its copy), with a program in the folder of `path`. 0, or an errno
 * value and why. */
int isolate_start(struct str_host *, int capsule, const char *path, const char *const *options, struct isolate **,
                  char *why, size_t size);
const char *isolate_name(const struct isolate *);
const struct str_export *isolate_exports(const struct isolate *);
void isolate_stop(struct isolate *); /* and releases it; logs blocks that the instance has leaked */

struct str_instance;
const struct str_capsule *instance_capsule(const struct str_instance *);

#pragma GCC visibility pop

#endif
