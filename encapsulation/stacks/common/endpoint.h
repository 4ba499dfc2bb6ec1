/* Transport endpoints: the provider's side of TPI, for protocols whose own interface consists of calls.
 *
 * An upper stream is an endpoint. TPI requests that come down become calls of the protocol (`struct endpoint_calls`);
 * what the protocol reports becomes TPI indications. The state machine, the checks of requests, flow control in both
 * directions and acknowledgements are here; the protocol sees only requests that fit its state. Calls return 0 or an
 * errno value. */
#ifndef NACRE_CAPSULE_ENDPOINT_H
#define NACRE_CAPSULE_ENDPOINT_H

#include "entry.h"
#include "streams/tpi.h"

#define ENDPOINT_ADDRESS 128 /* the longest address in bytes */

struct endpoint;

/* What a protocol does. Each runs within an entry (capsule_run). What a protocol does not have is NULL. */
struct endpoint_calls {
    t_scalar_t service; /* T_COTS, T_COTS_ORD or T_CLTS */
    t_scalar_t data_size; /* TSDU_size: the longest message, or 0 for a stream of bytes */
    t_scalar_t expedited_size; /* ETSDU_size, or T_INVALID */
    size_t size; /* of the structure that begins with struct endpoint; it is zeroed */
    int (*attach)(struct endpoint *);
    void (*detach)(struct endpoint *); /* at close, in any state: sends what is left, or aborts */
    /* An empty address means any. `backlog` > 0: listen. */
    int (*bind)(struct endpoint *, const void *address, size_t length, unsigned backlog);
    int (*unbind)(struct endpoint *);
    /* Address of this end, or of the peer: writes at most ENDPOINT_ADDRESS bytes and the length. */
    int (*local)(struct endpoint *, void *address, size_t *length);
    int (*remote)(struct endpoint *, void *address, size_t *length);
    int (*connect)(struct endpoint *, const void *address, size_t length);
    /* The connection that `endpoint_incoming` told: goes to `acceptor`, or is refused. */
    int (*accept)(struct endpoint *listener, void *incoming, struct endpoint *acceptor);
    void (*refuse)(struct endpoint *listener, void *incoming);
    /* Takes a message, or a part: what is left stays in `*message`. EAGAIN: until `endpoint_writable`. */
    int (*send)(struct endpoint *, mblk_t **message, bool expedited, bool more);
    /* Takes the data of one datagram. */
    int (*send_to)(struct endpoint *, const void *address, size_t length, mblk_t *data);
    int (*finish)(struct endpoint *); /* orderly release; EAGAIN as for send */
    int (*disconnect)(struct endpoint *);
    void (*taken)(struct endpoint *, size_t bytes); /* `bytes` of data have been passed up: the window may open */
    void (*room)(struct endpoint *); /* the stream above can take data again */
    /* Options: level and name as of sockets. May be NULL. */
    int (*set_option)(struct endpoint *, int level, int name, const void *value, size_t length);
    int (*option)(struct endpoint *, int level, int name, void *value, size_t *length);
    /* Lower streams (I_LINK, I_UNLINK): the write queue at the top of one. */
    int (*link)(queue_t *below);
    void (*unlink)(queue_t *below);
    void (*done)(void); /* after each entry: timers may have been set */
};

/* The first part of a protocol's endpoint. */
struct endpoint {
    const struct endpoint_calls *calls;
    queue_t *read; /* of the upper stream; NULL: closed */
    t_scalar_t state; /* TS_UNBND ... */
    t_uscalar_t number; /* ACCEPTOR_id */
    t_uscalar_t sequence;
    struct offer *offers;
    unsigned offered, backlog;
    bool finished; /* T_ORDREL_IND was sent up */
    struct endpoint *next, *previous;
};

/* Procedures of an upper stream. `endpoint_open` allocates: the driver's open calls it with its calls. */
int endpoint_open(queue_t *read, const struct endpoint_calls *calls);
int endpoint_close(queue_t *read);
int endpoint_write_put(queue_t *write, mblk_t *message);
int endpoint_write_service(queue_t *write);
int endpoint_read_service(queue_t *read);

/* The endpoint of an upper stream. */
struct endpoint *endpoint_of(queue_t *queue);

/* Detaches and forgets all: at the end of an instance. */
void endpoint_end(void);

/* Reports of a protocol, within an entry. Messages are taken. */
void endpoint_connected(struct endpoint *);
/* A connection for a listener. ENOSPC: no more may wait; the protocol refuses it. */
int endpoint_incoming(struct endpoint *listener, void *incoming, const void *address, size_t length);
/* An offered connection is gone. */
void endpoint_withdrawn(struct endpoint *listener, void *incoming, int error);
void endpoint_data(struct endpoint *, mblk_t *data, bool expedited, bool more);
/* False: there is no room, and the datagram was dropped. */
bool endpoint_datagram(struct endpoint *, const void *address, size_t length, mblk_t *data);
void endpoint_undelivered(struct endpoint *, const void *address, size_t length, int error);
void endpoint_finished(struct endpoint *); /* the peer sends no more */
void endpoint_disconnected(struct endpoint *, int error);
void endpoint_writable(struct endpoint *);
/* Whether more data may go up at once. */
bool endpoint_has_room(struct endpoint *);

#endif
