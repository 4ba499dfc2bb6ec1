/* Lower streams as network interfaces: they carry IP packets. */
#include "instance.h"

#include "stacks/common/lower.h"

#include <errno.h>
#include <string.h>

#include "lwip/ip4_frag.h"

#define MOST_LINKS 8
/* What lwIP reads of a packet at once: headers of IPv6 with some extensions and of TCP with all options. */
#define HEADERS 128
#define USUAL_MTU 1500

struct link {
    struct netif netif;
    queue_t *below; /* the write queue of the lower stream; NULL: free */
    mblk_t *arrived;
};

static struct link links[MOST_LINKS];

/* Takes the next of a list of addresses separated by commas: ADDRESS/BITS. */
static bool next_address(size_t number, ip_addr_t *address, unsigned *bits) {
    const char *list = capsule_option("addresses");
    for (; list && number > 0; number--) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    if (!list)
        return false;
    size_t length = strcspn(list, ",/");
    char text[64];
    if (length >= sizeof text)
        return false;
    memcpy(text, list, length);
    text[length] = 0;
    if (!ipaddr_aton(text, address))
        return false;
    unsigned most = IP_IS_V6(address) ? 128 : 32;
    *bits = IP_IS_V6(address) ? 64 : 24;
    if (list[length] == '/') {
        *bits = 0;
        for (const char *digit = list + length + 1; *digit >= '0' && *digit <= '9' && *bits <= most; digit++)
            *bits = 10 * *bits + (unsigned)(*digit - '0');
    }
    return *bits <= most;
}

/* The longest packet of a link in bytes. */
static u16_t mtu(void) {
    const char *text = capsule_option("mtu");
    unsigned long number = 0;
    for (; text && *text >= '0' && *text <= '9' && number <= UINT16_MAX; text++)
        number = 10 * number + (unsigned long)(*text - '0');
    return number >= 576 && number <= UINT16_MAX ? (u16_t)number : USUAL_MTU;
}

static err_t output(struct netif *netif, struct pbuf *packet) {
    struct link *link = netif->state;
    if (!canputnext(link->below))
        return ERR_MEM;
    mblk_t *message = message_of(packet);
    if (!message)
        return ERR_MEM;
    putnext(link->below, message);
    capsule_returned();
    return ERR_OK;
}

static err_t output4(struct netif *netif, struct pbuf *packet, const ip4_addr_t *to) {
    (void)to;
    return output(netif, packet);
}

static err_t output6(struct netif *netif, struct pbuf *packet, const ip6_addr_t *to) {
    (void)to;
    return output(netif, packet);
}

static err_t begin(struct netif *netif) {
    netif->name[0] = 's';
    netif->name[1] = 't';
    netif->output = output4;
    netif->output_ip6 = output6;
    netif->mtu = mtu();
    netif->flags = NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

int link_add(queue_t *write) {
    struct link *link = links;
    while (link != links + MOST_LINKS && link->below)
        link++;
    if (link == links + MOST_LINKS)
        return ENOSPC;
    ip_addr_t address;
    unsigned bits;
    if (!next_address((size_t)(link - links), &address, &bits))
        return EADDRNOTAVAIL;
    memset(link, 0, sizeof *link);
    link->below = write;
    if (!netif_add_noaddr(&link->netif, link, begin, ip_input)) {
        link->below = NULL;
        return ENOSPC;
    }
    if (IP_IS_V6(&address)) {
        s8_t index;
        if (netif_add_ip6_address(&link->netif, ip_2_ip6(&address), &index) != ERR_OK) {
            netif_remove(&link->netif);
            link->below = NULL;
            return EADDRNOTAVAIL;
        }
        netif_ip6_addr_set_state(&link->netif, index, IP6_ADDR_PREFERRED);
    } else {
        ip4_addr_t mask = {.addr = lwip_htonl(bits == 0 ? 0 : 0xffffffffU << (32 - bits))};
        netif_set_addr(&link->netif, ip_2_ip4(&address), &mask, NULL);
    }
    netif_set_up(&link->netif);
    if (!netif_default)
        netif_set_default(&link->netif);
    OTHERQ(write)->q_ptr = write->q_ptr = (void *)link;
    return 0;
}

void link_remove(queue_t *write) {
    for (struct link *link = links; link != links + MOST_LINKS; link++)
        if (link->below == write) {
            netif_remove(&link->netif);
            link->below = NULL;
            OTHERQ(write)->q_ptr = write->q_ptr = NULL;
        }
}

static void input(void *argument) {
    struct link *link = argument;
    mblk_t *message = link->arrived;
    link->arrived = NULL;
    struct pbuf *packet = pbuf_of(message, PBUF_REF);
    if (packet && link->netif.input(packet, &link->netif) != ERR_OK)
        pbuf_free(packet);
}

/* lwIP changes headers in place, and expects them in one piece: blocks that others hold too are copied. */
static mblk_t *own(mblk_t *message) {
    if (message->b_datap->db_ref > 1) {
        mblk_t *copy = copymsg(message);
        freemsg(message);
        message = copy;
    }
    if (message && message->b_cont && message->b_wptr - message->b_rptr < HEADERS) {
        size_t size = msgdsize(message);
        if (!pullupmsg(message, (ssize_t)(size < HEADERS ? size : HEADERS))) {
            freemsg(message);
            return NULL;
        }
    }
    return message;
}

static void take(queue_t *read, mblk_t *message) {
    struct link *link = (struct link *)read->q_ptr;
    message = link && link->below ? own(message) : (freemsg(message), NULL);
    if (!message)
        return;
    link->arrived = message;
    if (!capsule_run(input, link) && link->arrived) {
        freemsg(link->arrived);
        link->arrived = NULL;
    }
    timers_update();
}

static int link_put(queue_t *read, mblk_t *message) { return lower_put(read, message, take); }

static int link_service(queue_t *read) { return lower_service(read, take); }

static struct module_info info = {
    .mi_idnum = 0x6c77, .mi_idname = "lwip link", .mi_maxpsz = INFPSZ, .mi_hiwat = 65536, .mi_lowat = 16384};
struct qinit link_read = {.qi_putp = link_put, .qi_srvp = link_service, .qi_minfo = &info};
struct qinit link_write = {.qi_minfo = &info};
