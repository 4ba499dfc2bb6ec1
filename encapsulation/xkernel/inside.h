/* What the parts of the environment share. */
#ifndef NACRE_XKERNEL_INSIDE_H
#define NACRE_XKERNEL_INSIDE_H

#include "stacks/common/endpoint.h"

/* The macros of a description reach these files, too; this one is for foreign sources. */
#undef XK_VERSION_33
#include "xkernel/include/xkernel.h"

#include "xkernel/graph.h"

/* What crossed between messages and blocks. */
struct xk_crossings {
    size_t in, out;    /* blocks that became part of a message, and the reverse */
    size_t copied;     /* bytes: of msgConstructBuffer, and of headers that msgPop of 3.3 makes contiguous */
    size_t held, lent; /* blocks of messages now; blocks of others with data of msgConstructInplace */
    size_t dropped;    /* packets and messages that found no room or no receiver */
};
extern struct xk_crossings xk_crossings;

/* A message of blocks, which it takes; and the reverse: the blocks of a message, which is empty then. Without data: an
 * empty block. NULL: no memory. */
void xk_message(Msg *, mblk_t *blocks);
mblk_t *xk_blocks(Msg *);
void xk_messages_end(void);
/* Whether messages hold so many blocks that packets are dropped. */
bool xk_messages_full(void);

/* The other queue of a pair. */
static inline queue_t *xk_other(queue_t *queue) { return queue->q_flag & QREADR ? queue + 1 : queue - 1; }

/* Memory with small addresses. */
bool xk_low_reserve(void);
void *xk_low_allocate(size_t size);
void xk_low_free(void *memory);
void xk_low_end(void);

/* Threads. `xk_thread_run` runs work now, on a thread if there are threads; false: all of them wait, and it did not
 * run. `xk_threads_resume` lets those go on whose semaphores were signalled: outside of entries. */
void xk_threads_begin(void);
bool xk_thread_run(void (*work)(void *), void *argument);
void xk_threads_resume(void);
void xk_threads_end(void);

void xk_rom_read(void);
/* Creates the graph, once. */
void xk_start(void);
/* Lets streams whose sending would block try again: after each entry. */
void xk_settle(void);
void xk_events_end(void);
XObj xk_object(const char *name);
/* Whether a session refers to a protocol. */
bool xk_is_referred(XObj protocol);

/* The participants of a session: writes two at most. */
bool xk_participants(XObj session, Part *both);
/* Pushes the parts of an address, whose values are kept in `values`. */
struct xk_values {
    long numbers[XK_FIELDS];
    unsigned char bytes[ENDPOINT_ADDRESS];
};
bool xk_push_address(Part *, const struct xk_field *, const void *address, size_t length, struct xk_values *values);
/* Pops them; returns the length of the address, or 0. */
size_t xk_pop_address(Part *, const struct xk_field *, unsigned char *address);
size_t xk_address_length(const struct xk_field *);

/* Lower streams. */
void xk_lowers_create(void);
int xk_link(queue_t *below);
void xk_unlink(queue_t *below);
extern struct qinit xk_lower_read, xk_lower_write;

/* Upper streams. */
struct xk_peer {
    XObj session;
    struct xk_peer *next;
    size_t length;
    unsigned char address[ENDPOINT_ADDRESS];
};

/* A connection before it is accepted. */
struct xk_call {
    XObj session;
    struct xk_upper *owner;
    mblk_t *first, *last;
    unsigned count;
    struct xk_call *next;
};

struct xk_upper {
    struct endpoint endpoint; /* first */
    const struct xk_device *device;
    XObj user;             /* stands for it above the protocol */
    bool enabled, blocked; /* a message waits, as xPush would block */
    size_t local_length;
    unsigned char local[ENDPOINT_ADDRESS];
    struct xk_peer *peers; /* sessions of datagrams, the last used first */
    struct xk_call *calls;
    XObj session; /* the connection */
    struct xk_job *job; /* that opens the connection or sends on it, and waits */
    mblk_t *partial;
    size_t partial_length;
    struct xk_upper *next;
};
extern const struct endpoint_calls xk_calls;
/* The operations of users. */
XObj xk_user_create(struct xk_upper *);
/* `disabled`: no protocol is enabled for it any more. */
void xk_user_release(XObj user, bool disabled);
struct xk_peer *xk_peer_add(struct xk_upper *, XObj session, const void *address, size_t length);
void xk_peers_close(struct xk_upper *);
/* A request of a user that may wait within the protocol. */
enum { XK_OPEN, XK_SEND, XK_SEND_TO };
struct xk_job {
    struct xk_upper *upper; /* NULL: its user has given it up */
    XObj user, session;
    int kind, error;
    bool is_finished, waits;
    Msg message;
    size_t length;
    unsigned char address[ENDPOINT_ADDRESS];
    struct xk_job *next;
};
/* Returns an errno value, 0 also while it waits; EAGAIN: the protocol could not take `*message`, which is returned. */
int xk_job_run(struct xk_upper *, int kind, const void *address, size_t length, mblk_t **message);
/* The user of these jobs gives them up: that of the connection, or all. */
void xk_jobs_cancel(struct xk_upper *, bool all);
int xk_session_open(struct xk_upper *, const void *address, size_t length, XObj *session);
void xk_call_end(struct xk_call *);
void xk_call_empty(struct xk_call *);
void xk_session_close(struct xk_upper *);
void xk_upper_forget(struct xk_upper *);
const struct xk_device *xk_device_of_user(XObj user);

#endif
