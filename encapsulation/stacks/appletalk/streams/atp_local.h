/* What the parts of the ATP module share. */
#ifndef APPLETALK_STREAMS_ATP_LOCAL_H
#define APPLETALK_STREAMS_ATP_LOCAL_H

#include "streams/host.h"
#include "streams/stream.h"
#include "streams/tpi.h"

#include "stacks/appletalk/core/atp.h"
#include "stacks/appletalk/core/ddp.h"
#include "stacks/appletalk/streams/appletalk.h"

#define ATP_REQUESTS 64      /* that wait for a response, of an endpoint */
#define ATP_TRANSACTIONS 256 /* exactly once, of an endpoint */
#define ATP_TICK_MS 500

/* An endpoint: a stream with the module. Its queues point to it. What the tables hold are messages that begin with an
 * ATP header in their first block. */
struct atp_endpoint {
    queue_t *rq;
    struct at_requests requests;
    struct at_transactions transactions;
    struct at_atp_counts counts;
    at_long now; /* ms, by ticks */
    timeout_id_t tick; /* 0: nothing waits */
    at_byte socket; /* ours */
    struct at_request request[ATP_REQUESTS];
    struct at_transaction transaction[ATP_TRANSACTIONS];
};

/* Of a user: T_UNITDATA_REQ. */
void atp_send(struct atp_endpoint *endpoint, mblk_t *mp);
/* From below: T_UNITDATA_IND. */
void atp_receive(struct atp_endpoint *endpoint, mblk_t *mp);

/* Sends a packet below: a header, and of a message what follows its own; this remains the caller's. `request`, unless
 * NULL, is a block that becomes T_UNITDATA_REQ. */
void atp_transmit(struct atp_endpoint *endpoint, const struct at_address *to, const struct at_atp *header,
                  const mblk_t *packet, mblk_t *request);

/* Gives a message, which begins with an ATP header, to the user. Returns 0, with the message freed, if
 * there is no room. */
int atp_give(struct atp_endpoint *endpoint, const struct at_address *from, mblk_t *data, mblk_t *indication);

void atp_drop(struct atp_endpoint *endpoint, enum at_atp_fault fault, mblk_t *mp);
void atp_free_request(struct atp_endpoint *endpoint, struct at_request *request);
void atp_free_transaction(struct atp_endpoint *endpoint, struct at_transaction *transaction);

/* Time passes from now on. */
void atp_start_ticks(struct atp_endpoint *endpoint);

#endif
