/* What the files of the library share. */
#ifndef NACRE_STREAMS_INSIDE_H
#define NACRE_STREAMS_INSIDE_H

#include "stream.h"

/* Link names have the library's prefix: protocols that are linked with it may have functions of the same names. */
#define back_enable str_inside_back_enable
#define block_like str_inside_block_like
#define control_answer str_inside_control_answer
#define control_begin str_inside_control_begin
#define control_clear str_inside_control_clear
#define control_continues str_inside_control_continues
#define control_copy str_inside_control_copy
#define control_end str_inside_control_end
#define control_wait str_inside_control_wait
#define current_host str_inside_current_host
#define devices_close str_inside_devices_close
#define head_controllable str_inside_head_controllable
#define head_data str_inside_head_data
#define head_first str_inside_head_first
#define head_flush str_inside_head_flush
#define head_notify str_inside_head_notify
#define head_options str_inside_head_options
#define head_read str_inside_head_read
#define head_readable str_inside_head_readable
#define head_writable str_inside_head_writable
#define head_write str_inside_head_write
#define host_allocate str_inside_host_allocate
#define host_enter str_inside_host_enter
#define host_find str_inside_host_find
#define host_finish str_inside_host_finish
#define host_leave str_inside_host_leave
#define host_release str_inside_host_release
#define instances_close str_inside_instances_close
#define link_abandon str_inside_link_abandon
#define links_close str_inside_links_close
#define pools_close str_inside_pools_close
#define pools_open str_inside_pools_open
#define queue_band str_inside_queue_band
#define queue_close str_inside_queue_close
#define queue_disable str_inside_queue_disable
#define queue_forget str_inside_queue_forget
#define queue_open str_inside_queue_open
#define queue_removed str_inside_queue_removed
#define queue_set str_inside_queue_set
#define stream_destroy str_inside_stream_destroy
#define stream_name str_inside_stream_name
#define timers_close str_inside_timers_close
#define timers_forget str_inside_timers_forget
#define timers_run str_inside_timers_run
#define wishes_run str_inside_wishes_run

#pragma GCC visibility push(hidden)

#define NAME_SIZE 64
#define SERVICES_AT_ONCE 100000 /* of one str_run */
#define MOST_MODULES 16 /* pushed on a stream (NSTRPUSH) */
#define LONGEST_CONTROL 4096 /* of a control part of putmsg, in bytes (STRCTLSZ) */
#define LONGEST_IOCTL 65536 /* data of I_STR and of one M_COPYIN or M_COPYOUT, in bytes */
#define LARGEST_BLOCK 65536 /* of a message that the head makes */
#define HEAD_HIWAT 5120
#define HEAD_LOWAT 1024

/* Classes of sizes: headers only, 64 bytes to 64 KiB in powers of two, and larger. */
#define SIZES 13
#define SIZE_NONE 0
#define SIZE_LARGE 12

/* Free chunks (or separate message blocks) of one size. */
struct str_pool {
    mblk_t *free;
    unsigned count, limit; /* of those that are free */
    size_t size; /* in bytes, with headers */
    struct str_host *host;
};

/* A streamtab that is installed. */
struct entry {
    char name[NAME_SIZE];
    struct streamtab *streamtab;
    int flags;
    unsigned number; /* major device number */
    unsigned used; /* by streams */
    struct entry *next;
};

struct timer {
    uint64_t at, order; /* timers of one time run in order */
    void (*routine)(void *);
    void *argument;
    queue_t *queue; /* NULL: of no queue */
    uint32_t generation;
    uint32_t place; /* in the heap; UINT32_MAX: free */
};

struct timers {
    struct timer *all;
    uint32_t *heap, *spare;
    uint32_t count, spares, size;
    uint64_t order;
};

struct wish { /* a bufcall */
    struct wish *next;
    bufcall_id_t id;
    size_t size;
    void (*routine)(void *);
    void *argument;
    queue_t *queue;
};

struct str_host {
    struct str_pool pools[SIZES];
    struct str_pool blocks; /* separate message blocks */
    size_t held; /* chunks and separate message blocks, free ones too */
    size_t headless; /* chunks that are in use, but not their message blocks */
    size_t bytes; /* of all that is held */
    size_t memory; /* its limit */
    struct str_environment environment;
    bool closed;
    bool running;
    bool closing; /* a stream is to be destroyed */
    unsigned depth; /* routines of the program's that are active */
    queue_t *first, *last; /* enabled, in order */
    struct timers timers;
    struct wish *wishes;
    bufcall_id_t wish_id;
    struct entry *entries;
    unsigned numbers, minors, links;
    struct str_stream *streams;
    struct str_device *devices;
    struct str_instance *instances;
    bool (*confine)(bool is_loading); /* before an object is loaded, and before it is started; or NULL */
    char reason[512]; /* why one was not loaded */
    uint64_t seed;
    uint64_t opened; /* time */
};

/* A queue pair of a module or driver. */
struct pair {
    queue_t both[2]; /* read, write */
    struct entry *entry;
    dev_t device;
    struct pair *below; /* the module that was pushed before it */
};

enum ioctl_state { IOCTL_NONE, IOCTL_WAITS, IOCTL_DONE };

/* An ioctl under way: one a stream. */
struct call {
    enum ioctl_state state;
    int command;
    void *argument;
    unsigned id;
    bool transparent;
    int error, value;
    struct link *link; /* of I_LINK and I_UNLINK */
    mblk_t *answer; /* data of M_IOCACK */
    uint64_t until; /* UINT64_MAX: without end */
};

/* A lower stream of a multiplexor. */
struct link {
    struct link *next;
    int id;
    bool persistent;
    bool busy; /* an ioctl about it is under way */
    struct str_stream *lower;
};

struct str_stream {
    struct str_host *host;
    struct str_stream *next, *previous;
    queue_t head[2]; /* read, write */
    unsigned opens;
    unsigned modules;
    bool hung, dying, delimited, pipe;
    int read_error, write_error;
    int read_mode, protocol_mode, write_mode;
    size_t write_offset, largest_block;
    uint64_t signals;
    unsigned written[8]; /* bands that were written, a bit each */
    struct call call;
    unsigned calls;
    struct str_stream *above; /* the stream that it is linked below */
    struct pair *driver, *top; /* the module that was pushed last, or NULL */
    struct link *links; /* of the driver of this stream */
    void (*watch)(void *, struct str_stream *);
    void *context;
};

/* Enters a host for a routine of the program's. */
struct entered {
    struct str_host *host, *before;
};
struct entered host_enter(struct str_host *);
void host_leave(struct entered);

void *host_allocate(struct str_host *, size_t);
void host_release(struct str_host *, void *, size_t);
struct entry *host_find(struct str_host *, const char *name, int flags);

extern _Thread_local struct str_host *current_host __attribute__((tls_model("initial-exec")));
/* allocb of the host that a block belongs to. */
mblk_t *block_like(const mblk_t *, size_t size);
void pools_open(struct str_host *);
void pools_close(struct str_host *);
/* Releases a closed host when its last block is gone. */
void host_finish(struct str_host *);

void timers_close(struct str_host *);
void timers_forget(queue_t *); /* of a queue */
bool timers_run(struct str_host *);
void wishes_run(struct str_host *);

void queue_set(queue_t *, struct qinit *);
void queue_open(queue_t *, struct str_stream *, struct qinit *, unsigned flag);
void queue_disable(queue_t *); /* is not enabled */
void queue_forget(queue_t *); /* will not be enabled any more */
void queue_close(queue_t *); /* and frees its messages */
/* The flow control of a band again, after messages have been removed. */
void queue_removed(queue_t *, unsigned char band);
struct qband *queue_band(queue_t *, unsigned char band, bool make);
void back_enable(queue_t *, unsigned char band);

extern struct qinit head_read, head_write;
void head_notify(struct str_stream *);
/* The first message at the head after signals that are due. */
mblk_t *head_first(struct str_stream *);
int head_options(struct str_stream *, const struct stroptions *);
int head_flush(struct str_stream *, int flags, int band);
mblk_t *head_data(struct str_stream *, const void *bytes, size_t count, bool offset);
/* An error that keeps a stream from being read, written or controlled. */
int head_readable(struct str_stream *);
int head_writable(struct str_stream *);
int head_controllable(struct str_stream *);

int control_begin(struct str_stream *, int command, mblk_t *data, int seconds, unsigned count);
void control_answer(struct str_stream *, mblk_t *);
void control_copy(struct str_stream *, mblk_t *);
void control_end(struct str_stream *); /* the stream can answer no more */
void control_clear(struct str_stream *);
/* Serves queues. Whether the ioctl under way is done; its error, or EAGAIN. */
bool control_wait(struct str_stream *, int *error);
/* Whether the ioctl under way is this one; EAGAIN if it is another. */
bool control_continues(struct str_stream *, int command, const void *argument, int *error);

/* Gives up an ioctl that is under way. */
void link_abandon(struct str_stream *);
void devices_close(struct str_host *);
void instances_close(struct str_host *); /* unloads those that were loaded in it */
void links_close(struct str_stream *);
void stream_destroy(struct str_stream *);
const char *stream_name(struct str_stream *, unsigned place); /* of the module or driver at a place below the head */

#pragma GCC visibility pop

#endif
