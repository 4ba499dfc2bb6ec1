/* What the two halves of lower streams share. */
#ifndef NACRE_XKERNEL_LOWER_H
#define NACRE_XKERNEL_LOWER_H

#include "stacks/common/lower.h"
#include "xkernel/inside.h"

#define MOST_HOST 16

struct lower {
    const struct xk_lower *kind;
    XObj protocol;
    queue_t *below; /* the write queue of the stream; NULL: none is linked */
    unsigned char host[MOST_HOST];
    size_t host_length;
    Map sessions;       /* by address */
    int count;          /* of sessions */
    XObj enabled, type; /* which protocol gets what comes without a session */
};

struct lower *xk_lower_of(XObj protocol);
/* The operations of the protocol object. */
void xk_lower_operations(struct lower *lower);
int xk_packet(const struct lower *lower);
/* The session of an address gets a message; one is opened for the protocol that enabled it, if there is none. */
void xk_deliver(struct lower *lower, const void *address, size_t length, Msg *m);
xmsg_handle_t xk_send(struct lower *lower, Msg *m);
xmsg_handle_t xk_send_datagram(struct lower *lower, const void *address, size_t length, Msg *m);

#endif
