#include "lower.h"

int lower_put(queue_t *read, mblk_t *message, void (*take)(queue_t *, mblk_t *)) {
    switch (message->b_datap->db_type) {
    case M_DATA:
        if (capsule_entered() || read->q_first)
            putq(read, message);
        else
            take(read, message);
        return 0;
    case M_FLUSH:
        /* A multiplexor ends streams: what came up goes down. */
        if (*message->b_rptr & FLUSHR)
            flushq(read, FLUSHALL);
        *message->b_rptr &= (unsigned char)~FLUSHR;
        if (*message->b_rptr & FLUSHW)
            qreply(read, message);
        else
            freemsg(message);
        return 0;
    default:
        freemsg(message);
        return 0;
    }
}

int lower_service(queue_t *read, void (*take)(queue_t *, mblk_t *)) {
    mblk_t *message;
    while ((message = getq(read)))
        take(read, message);
    return 0;
}
