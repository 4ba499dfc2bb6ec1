/* What the parts of the environment share. */
#ifndef NACRE_BSD_INSIDE_H
#define NACRE_BSD_INSIDE_H

#include "bsd/bsd.h"
#include "bsd/mbuf.h"
#include "stacks/common/endpoint.h"

#include <stdbool.h>

/* The other queue of a pair. The names of names.h are left to the foreign code's headers. */
static inline queue_t *bsd_other(queue_t *queue) { return queue->q_flag & QREADR ? queue + 1 : queue - 1; }

/* bsd_flags of a socket. */
#define BSD_MARKED 1   /* it is in the ring of sockets to be looked at */
#define BSD_OFFERED 2  /* a connection that its listener's user knows */
#define BSD_URGENT 4   /* out-of-band data may be fetched */
#define BSD_USED 8     /* it has had a connection */
#define BSD_DEAD 16    /* freed in this entry */

/* Sockets whose state may concern their endpoint. */
struct socket *bsd_next_marked(void);
bool bsd_has_marked(void);
void bsd_mark(struct socket *so);
/* Frees sockets that the protocol has given up. */
void bsd_bury(void);

struct socket *bsd_socket_make(int type, int protocol, int *error);
/* Gives it up as close() does: the protocol may keep it to send what is left. */
void bsd_socket_close(struct socket *so);
/* A user request. Takes m and control as the protocol does; `nam` stays the caller's. */
int bsd_request(struct socket *so, int request, struct mbuf *m, struct mbuf *nam, struct mbuf *control);
void bsd_withdraw(struct socket *so);

/* Brings `time` up to date. */
void bsd_clock(void);
/* Initializes the domains, once, and begins the periodic timeouts. */
void bsd_start(void);
void bsd_timeouts_end(void);
void bsd_callouts_end(void);
/* Runs software interrupts and looks at marked sockets: at the end of an entry; and after it, in one of its own. */
void bsd_settle_inside(void);
void bsd_settle(void);
/* Runs the software interrupts that are scheduled now. */
void bsd_run_interrupts(void);

/* Processes: contexts that may sleep. `work` runs now; if it sleeps, it goes on when it is woken, and `done` is called
 * when it has returned. False: there is no room for another one. Within an entry. */
bool bsd_process_start(void (*work)(void *), void (*done)(void *), void *argument);
/* Interrupts the sleep of a process with this argument (EINTR); it is given up if it sleeps on. */
void bsd_process_end(void *argument);
bool bsd_processes_ready(void);
void bsd_run_processes(void);
void bsd_processes_end(void);
/* Runs timeouts that are due before `limit` at once, in their order, until it is enough. */
void bsd_bring_forward(uint64_t limit, bool (*is_enough)(void));

/* A command that came down an upper stream: it is answered when it is done. */
void bsd_command(queue_t *write, mblk_t *message);
/* Interrupts the commands of a stream that is closed. */
void bsd_commands_end(queue_t *write);
/* Refuses all: the instance has failed. */
void bsd_commands_fail(void);

/* Lower streams. */
int bsd_link(queue_t *below);
void bsd_unlink(queue_t *below);
void bsd_lowers_end(void);
extern struct qinit bsd_lower_read, bsd_lower_write;

extern const struct endpoint_calls bsd_calls;
extern const struct endpoint_calls bsd_above_calls; /* of devices whose streams are protocols */
/* Looks at a socket and reports to its endpoint. */
void bsd_report(struct socket *so);
/* The socket of an upper stream, which is made if there is none. */
struct socket *bsd_socket_of(struct endpoint *endpoint, int *error);
int bsd_set_option(struct endpoint *endpoint, int level, int name, const void *value, size_t length);
int bsd_option(struct endpoint *endpoint, int level, int name, void *value, size_t *length);
int bsd_control(struct endpoint *endpoint, unsigned long command, char *data);

/* What an upper stream is beside its endpoint. */
struct bsd_upper {
    struct endpoint endpoint; /* first */
    struct socket *socket;
    const struct bsd_protocol *protocol;
    int key;                       /* of a protocol: */
    struct bsd_upper *next_bound;  /* another one of its device that is bound */
    mblk_t *partial; /* of an atomic message whose end has not come */
    size_t partial_length;
    size_t local_length, to_length;
    unsigned char local[ENDPOINT_ADDRESS], to[ENDPOINT_ADDRESS]; /* bound address; the last destination */
};

#endif
