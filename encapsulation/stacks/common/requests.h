/* What the two halves of the endpoints share. */
#ifndef NACRE_CAPSULE_REQUESTS_H
#define NACRE_CAPSULE_REQUESTS_H

#include "endpoint.h"

/* A connection that waits for T_CONN_RES or T_DISCON_REQ. */
struct offer {
    t_uscalar_t sequence;
    void *incoming;
    struct offer *next;
};

struct offer *offer_add(struct endpoint *listener, void *incoming);
void offer_remove(struct endpoint *listener, struct offer *offer);

struct endpoint *endpoint_numbered(t_uscalar_t number);

/* A message with a primitive, and perhaps an address after it and data. Without memory `data` is freed, and NULL
 * returned. */
mblk_t *primitive(int type, const void *head, size_t size, mblk_t *data);
mblk_t *primitive_with(int type, const void *head, size_t size, const void *address, size_t length, mblk_t *data);

/* In place of a primitive: a message of data alone. */
#define DATA (-2)

/* A request that is being handled. */
struct request {
    struct endpoint *endpoint;
    mblk_t *message; /* NULL: taken */
    t_scalar_t primitive;
    bool waits; /* EAGAIN: the message stays in the queue */
};

/* Copies the structure of a primitive. False: the block is shorter. */
bool request_head(const mblk_t *message, void *head, size_t size);

/* A part of the first block, as a request states it. NULL: it is not within the block. */
const unsigned char *request_part(const mblk_t *message, t_scalar_t offset, t_scalar_t length);

/* Requests that are acknowledged: information, binding, connections, options (control.c). */
void control_request(struct request *);

#endif
