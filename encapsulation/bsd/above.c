/* Protocols above those of the family that STREAMS implements: an upper stream is the protocol, not a socket. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/systm.h>

/* The streams that are bound. */
static struct bsd_upper *bound;

static struct bsd_upper *of(struct endpoint *endpoint) { return (struct bsd_upper *)(void *)endpoint; }

static bool is_bound(const struct bsd_upper *upper) {
    const struct bsd_upper *each = bound;
    while (each && each != upper)
        each = each->next_bound;
    return each != NULL;
}

static int attach(struct endpoint *endpoint) {
    (void)endpoint;
    return 0;
}

static int unbind(struct endpoint *endpoint) {
    struct bsd_upper *upper = of(endpoint), **at = &bound;
    while (*at && *at != upper)
        at = &(*at)->next_bound;
    if (!*at)
        return 0;
    *at = upper->next_bound;
    upper->protocol->above->unbind(upper->key);
    return 0;
}

static void detach(struct endpoint *endpoint) { (void)unbind(endpoint); }

static int bind(struct endpoint *endpoint, const void *address, size_t length, unsigned backlog) {
    struct bsd_upper *upper = of(endpoint);
    int named = (int)length;
    (void)backlog;
    if (is_bound(upper) || length > ENDPOINT_ADDRESS)
        return EINVAL;
    if (length && length < (size_t)bsd_description.shortest_address)
        return EINVAL;
    bsd_start();
    memset(upper->local, 0, sizeof upper->local);
    memcpy(upper->local, address, length);
    int key = upper->protocol->above->bind((struct sockaddr *)(void *)upper->local, &named);
    if (key < 0)
        return -key;
    upper->key = key;
    upper->local_length = named > 0 && named <= ENDPOINT_ADDRESS ? (size_t)named : 0;
    upper->next_bound = bound;
    bound = upper;
    return 0;
}

static int local(struct endpoint *endpoint, void *address, size_t *length) {
    struct bsd_upper *upper = of(endpoint);
    if (!is_bound(upper))
        return ENOTCONN;
    memcpy(address, upper->local, upper->local_length);
    *length = upper->local_length;
    return 0;
}

static int send_to(struct endpoint *endpoint, const void *address, size_t length, mblk_t *data) {
    struct bsd_upper *upper = of(endpoint);
    unsigned char to[ENDPOINT_ADDRESS] = {0}; /* protocols may look further than a name goes */
    if (!is_bound(upper) || length < 2 || length < (size_t)bsd_description.shortest_address || length > sizeof to) {
        str_freemsg(data);
        return EINVAL;
    }
    memcpy(to, address, length);
    /* The module may keep what it sends, to send it again. The protocol below writes headers in front, not into it. */
    struct mbuf *m = bsd_mbufs_of(data);
    return m ? upper->protocol->above->output(m, upper->key, (struct sockaddr *)(void *)to) : ENOBUFS;
}

int bsd_send_above(const char *protocol, struct mbuf *m, int key, const struct sockaddr *from) {
    struct bsd_upper *upper = bound;
    while (upper && (upper->key != key || strcmp(upper->protocol->name, protocol) != 0))
        upper = upper->next_bound;
    if (!upper) {
        m_freem(m);
        return ECONNREFUSED;
    }
    mblk_t *data = bsd_message_of(m);
    if (!data)
        return ENOBUFS;
    bool is_given = endpoint_datagram(&upper->endpoint, from, (size_t)BSD_ADDRESS_LENGTH(from), data);
    capsule_returned();
    return is_given ? 0 : ENOBUFS;
}

const struct endpoint_calls bsd_above_calls = {
    .size = sizeof(struct bsd_upper),
    .attach = attach,
    .detach = detach,
    .bind = bind,
    .unbind = unbind,
    .local = local,
    .send_to = send_to,
    .link = bsd_link,
    .unlink = bsd_unlink,
    .done = bsd_settle,
};
