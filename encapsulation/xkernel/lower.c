/* Lower streams as the lowest protocol objects of the graph. */
#define STR_PREFIXED
#include "lower.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_LOWERS 8
#define MOST_WAITING 50 /* packets for a lower stream that takes none at present */
#define USUAL_PACKET 1500
#define ETHER_HEADER 14

static struct lower lowers[MOST_LOWERS];
static int lower_count; /* of the description */

/* The n-th part of an option, a list separated by commas. */
static const char *part_of_option(const char *option, int number, size_t *length) {
    const char *list = capsule_option(option);
    for (; list && number > 0; number--) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    *length = list ? strcspn(list, ",") : 0;
    return list;
}

/* The address of this host below, of the option `host`: bytes in hexadecimal, separated by colons. */
static void choose_host(struct lower *lower, int number) {
    size_t length;
    const char *text = part_of_option("host", number, &length), *end = text ? text + length : NULL;
    while (text && text < end && lower->host_length < MOST_HOST) {
        char *after;
        lower->host[lower->host_length++] = (unsigned char)strtoul(text, &after, 16);
        text = after < end && *after == ':' ? after + 1 : end;
    }
    if (lower->host_length > 0)
        return;
    lower->host_length = 6;
    for (int i = 0; i < 6; i++)
        lower->host[i] = (unsigned char)capsule_random();
    lower->host[0] = (unsigned char)((lower->host[0] & 0xfc) | 2); /* of one station, chosen locally */
}

void xk_lowers_create(void) {
    for (const struct xk_lower *each = xk_graph.lowers; each->name; each++) {
        if (lower_count == MOST_LOWERS)
            Kabort("the graph: too many lower streams");
        struct lower *lower = &lowers[lower_count];
        lower->kind = each;
        choose_host(lower, lower_count++);
        lower->protocol = xCreateProtl(NULL, (char *)(uintptr_t)each->name, "", NULL, 0, NULL);
        xk_lower_operations(lower);
    }
}

struct lower *xk_lower_of(XObj protocol) {
    struct lower *lower = lowers;
    while (lower != lowers + lower_count && lower->protocol != protocol)
        lower++;
    return lower == lowers + lower_count ? NULL : lower;
}

int xk_packet(const struct lower *lower) { return lower->kind->packet ? lower->kind->packet : USUAL_PACKET; }

/* Output. */

static xmsg_handle_t pass_down(struct lower *lower, mblk_t *message) {
    queue_t *below = lower->below;
    if (!message || !below) {
        if (message)
            str_freemsg(message);
        xk_crossings.dropped++;
        return XMSG_ERR_HANDLE;
    }
    if (!below->q_first && str_canputnext(below)) {
        str_putnext(below, message);
        capsule_returned();
        return XMSG_NULL_HANDLE;
    }
    if (str_qsize(below) >= MOST_WAITING) {
        str_freemsg(message);
        xk_crossings.dropped++;
        return XMSG_ERR_HANDLE;
    }
    str_putq(below, message);
    return XMSG_NULL_HANDLE;
}

xmsg_handle_t xk_send(struct lower *lower, Msg *m) {
    if (m->length > xk_packet(lower)) {
        xk_crossings.dropped++;
        return XMSG_ERR_HANDLE;
    }
    if (lower->kind->kind == XK_ETHERNET) {
        struct xk_ether *ether = m->attr;
        if (!ether || m->attrLen != (int)sizeof *ether)
            return XMSG_ERR_HANDLE;
        memcpy(xk_msgPush(m, ETHER_HEADER), ether, ETHER_HEADER);
    }
    return pass_down(lower, xk_blocks(m));
}

xmsg_handle_t xk_send_datagram(struct lower *lower, const void *address, size_t length, Msg *m) {
    if (m->length > xk_packet(lower)) {
        xk_crossings.dropped++;
        return XMSG_ERR_HANDLE;
    }
    return pass_down(lower, tpi_make_with(T_UNITDATA_REQ, address, length, xk_blocks(m)));
}

/* Input. */

struct arrival {
    struct lower *lower;
    mblk_t *message;
};

/* The address of the sender, and the data. */
static size_t unpack(mblk_t *head, unsigned char *from, mblk_t **data) {
    struct tpi_range address = tpi_address(head);
    size_t length = address.length < ENDPOINT_ADDRESS ? address.length : ENDPOINT_ADDRESS;
    if (length > 0)
        memcpy(from, address.bytes, length);
    *data = head->b_cont;
    head->b_cont = NULL;
    str_freeb(head);
    return length;
}

static void receive(void *argument) {
    struct arrival *arrival = argument; /* of the caller, who does not wait */
    struct lower *lower = arrival->lower;
    mblk_t *data = arrival->message;
    unsigned char from[ENDPOINT_ADDRESS];
    struct xk_ether ether;
    Msg m;
    arrival->message = NULL;
    size_t length = lower->kind->kind == XK_DATAGRAMS ? unpack(data, from, &data) : 0;
    xk_message(&m, data);
    xk_start();
    if (lower->kind->kind == XK_ETHERNET) {
        const char *header = m.length >= ETHER_HEADER ? xk_msgPop(&m, ETHER_HEADER) : NULL;
        if (header)
            memcpy(&ether, header, ETHER_HEADER);
        msgSetAttr(&m, 0, &ether, sizeof ether);
        if (header && xIsXObj(lower->protocol->up))
            xDemux(lower->protocol, &m);
        else
            xk_crossings.dropped++;
    } else {
        xk_deliver(lower, from, length, &m);
    }
    msgDestroy(&m);
}

static void input(void *argument) { (void)xk_thread_run(receive, argument); }

static bool is_packet(const struct lower *lower, const mblk_t *message) {
    int type = message->b_datap->db_type;
    if (!lower || xk_messages_full())
        return false;
    if (lower->kind->kind == XK_DATAGRAMS)
        return type == M_PROTO && tpi_type(message) == T_UNITDATA_IND;
    return type == M_DATA;
}

static void take(queue_t *read, mblk_t *message) {
    struct arrival arrival = {read->q_ptr, message};
    if (!is_packet(arrival.lower, message)) {
        xk_crossings.dropped++;
        str_freemsg(message);
        return;
    }
    (void)capsule_run(input, &arrival);
    if (arrival.message) { /* no thread, or no instance any more */
        xk_crossings.dropped++;
        str_freemsg(arrival.message);
    }
    xk_settle();
}

static int read_put(queue_t *read, mblk_t *message) {
    int type = message->b_datap->db_type;
    if ((type != M_DATA && type != M_PROTO) || capsule_failed())
        return lower_put(read, message, take); /* M_FLUSH; others are freed */
    if (capsule_entered() || read->q_first)
        str_putq(read, message);
    else
        take(read, message);
    return 0;
}

static int read_service(queue_t *read) { return lower_service(read, take); }

static int write_service(queue_t *write) {
    mblk_t *message;
    while ((message = str_getq(write))) {
        if (!str_canputnext(write)) {
            str_putbq(write, message);
            return 0;
        }
        str_putnext(write, message);
    }
    xk_settle();
    return 0;
}

static struct module_info info = {
    .mi_idnum = 0x786c, .mi_idname = "x-kernel link", .mi_maxpsz = INFPSZ, .mi_hiwat = 65536, .mi_lowat = 16384};
struct qinit xk_lower_read = {.qi_putp = read_put, .qi_srvp = read_service, .qi_minfo = &info};
struct qinit xk_lower_write = {.qi_srvp = write_service, .qi_minfo = &info};

/* Links. */

static void start(void *argument) {
    (void)argument;
    xk_start();
}

/* Which lower stream of the description the next one is: of the option `links`, or the first without a stream. */
static struct lower *next_lower(void) {
    static int linked;
    size_t length;
    const char *name = part_of_option("links", linked, &length);
    for (int i = 0; i < lower_count; i++) {
        bool fits = !name || (strlen(lowers[i].kind->name) == length &&
                              strncmp(lowers[i].kind->name, name, length) == 0);
        if (fits && !lowers[i].below) {
            linked++;
            return &lowers[i];
        }
    }
    return NULL;
}

int xk_link(queue_t *below) {
    if (!capsule_run(start, NULL))
        return EIO;
    struct lower *lower = next_lower();
    if (!lower)
        return ENXIO;
    lower->below = below;
    xk_other(below)->q_ptr = below->q_ptr = lower;
    return 0;
}

void xk_unlink(queue_t *below) {
    struct lower *lower = below->q_ptr;
    xk_other(below)->q_ptr = below->q_ptr = NULL;
    if (lower)
        lower->below = NULL;
}
