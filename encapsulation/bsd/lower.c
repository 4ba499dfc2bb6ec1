/* Lower streams: interfaces of the protocol family, or other protocols below it. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <stdlib.h>
#include <string.h>

#include "bsd/lower.h"

#include <sys/param.h>

#include <sys/ioctl.h>
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/systm.h>

#include <net/if.h>
#include <netinet/if_ether.h>

#define MOST_LOWERS 16
#define MOST_WAITING 50 /* packets for a lower stream that takes none at present */

static struct lower lowers[MOST_LOWERS];
static int lower_count;
u_char etherbroadcastaddr[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* Output. */

static int pass_down(struct lower *lower, mblk_t *message) {
    queue_t *below = lower->below;
    struct ifnet *ifp = &lower->arp.ac_if;
    if (below->q_first || !str_canputnext(below)) {
        if (str_qsize(below) >= MOST_WAITING) {
            str_freemsg(message);
            ifp->if_oerrors++;
            return ENOBUFS;
        }
        str_putq(below, message);
        return 0;
    }
    str_putnext(below, message);
    capsule_returned();
    return 0;
}

static int add_ether_header(struct lower *lower, struct mbuf **packet, struct sockaddr *to) {
    struct ether_header header;
    struct mbuf *m = *packet;
    memcpy(header.ether_shost, lower->arp.ac_enaddr, sizeof header.ether_shost);
    if (to->sa_family == AF_UNSPEC) {
        memcpy(&header, to->sa_data, ETHER_HEADER);
        memcpy(header.ether_shost, lower->arp.ac_enaddr, sizeof header.ether_shost);
    } else {
        const struct bsd_ether *ether = bsd_description.ethers;
        while (ether && ether->family && ether->family != to->sa_family)
            ether++;
        if (!ether || !ether->family)
            return EAFNOSUPPORT;
        header.ether_type = htons((u_short)ether->type);
        if (ether->offset >= 0) {
            memcpy(header.ether_dhost, (char *)to + ether->offset, sizeof header.ether_dhost);
        } else if (!bsd_description.resolve) {
            return EAFNOSUPPORT;
        } else {
            int error = bsd_description.resolve(&lower->arp.ac_if, to, header.ether_dhost);
            if (error)
                return error;
        }
    }
    M_PREPEND(m, ETHER_HEADER, M_DONTWAIT);
    *packet = m;
    if (!m)
        return ENOBUFS;
    memcpy(mtod(m, caddr_t), &header, ETHER_HEADER);
    return 0;
}

static int output(struct ifnet *ifp, struct mbuf *m, struct sockaddr *to BSD_OUTPUT_ROUTE) {
    struct lower *lower = ifp->bsd_lower;
    int error = lower->below && ifp->if_flags & IFF_UP ? 0 : ENETDOWN;
    if (!error && lower->kind->kind == BSD_ETHERNET)
        error = add_ether_header(lower, &m, to);
    if (error) {
        m_freem(m);
        ifp->if_oerrors++;
        return error;
    }
    int length = BSD_HAS_HEADER(m) ? BSD_LENGTH(m) : m->m_len;
    mblk_t *message = bsd_message_of(m);
    if (!message)
        return ENOBUFS;
    ifp->if_opackets++;
    ifp->if_obytes += (unsigned long)length;
    return pass_down(lower, message);
}

int bsd_send_below(const char *name, struct mbuf *packet) {
    struct lower *lower = lowers;
    while (lower != lowers + lower_count && (!lower->below || strcmp(lower->kind->name, name) != 0))
        lower++;
    if (lower == lowers + lower_count) {
        m_freem(packet);
        return ENETDOWN;
    }
    mblk_t *message = bsd_message_of(packet);
    return message ? pass_down(lower, message) : ENOBUFS;
}

static int control(struct ifnet *ifp, unsigned long command, caddr_t data) {
    switch ((unsigned)command) {
    case (unsigned)SIOCSIFADDR:
        ifp->if_flags |= IFF_UP | IFF_RUNNING;
        if (bsd_description.address_set)
            return bsd_description.address_set(ifp, (struct ifaddr *)(void *)data);
        return 0;
    case (unsigned)SIOCSIFDSTADDR:
    case (unsigned)SIOCSIFFLAGS:
    case (unsigned)SIOCADDMULTI:
    case (unsigned)SIOCDELMULTI: return 0;
    default: return EINVAL;
    }
}

/* Links. */

/* The n-th name of the option `links`, a list separated by commas; without, the description's first kind. */
static const struct bsd_lower *kind_of(int number) {
    const char *list = capsule_option("links");
    const struct bsd_lower *kind = bsd_description.lowers;
    if (!list)
        return kind;
    for (; number > 0 && *list; number--) {
        list += strcspn(list, ",");
        list += *list == ',';
    }
    size_t length = strcspn(list, ",");
    while (kind->name && (strlen(kind->name) != length || strncmp(kind->name, list, length) != 0))
        kind++;
    return kind->name ? kind : NULL;
}

static void choose_station(struct lower *lower) {
    const char *text = capsule_option("station");
    for (size_t i = 0; i < sizeof lower->arp.ac_enaddr; i++) {
        char *end = NULL;
        unsigned long byte = text ? strtoul(text, &end, 16) : capsule_random();
        text = end && *end == ':' ? end + 1 : end;
        lower->arp.ac_enaddr[i] = (u_char)byte;
    }
    if (!capsule_option("station"))
        lower->arp.ac_enaddr[0] = (u_char)((lower->arp.ac_enaddr[0] & 0xfc) | 2); /* local, of one station */
    else
        lower->arp.ac_enaddr[5] = (u_char)(lower->arp.ac_enaddr[5] + (lower - lowers));
}

static void make_interface(struct lower *lower) {
    struct ifnet *ifp = &lower->arp.ac_if;
    const struct bsd_lower *kind = lower->kind;
    bool is_ether = kind->kind == BSD_ETHERNET;
    for (struct lower *each = lowers; each != lower; each++)
        ifp->if_unit += each->kind == kind;
    ifp->if_name = (char *)(uintptr_t)kind->name;
    ifp->if_mtu = (__typeof__(ifp->if_mtu))(kind->mtu ? kind->mtu : ETHERMTU);
    ifp->if_flags = (short)(kind->flags | IFF_RUNNING);
    ifp->if_output = output;
    ifp->if_ioctl = control;
    ifp->bsd_lower = lower;
    if (is_ether)
        choose_station(lower);
    bsd_interface_attach(lower);
}

static void attach(void *argument) { make_interface(argument); }

int bsd_link(queue_t *below) {
    struct lower *lower = lowers;
    while (lower != lowers + lower_count && lower->below)
        lower++;
    /* A stream that takes the place of one that was unlinked is the same interface. */
    if (lower == lowers + lower_count) {
        const struct bsd_lower *kind = lower_count < MOST_LOWERS ? kind_of(lower_count) : NULL;
        if (!kind)
            return ENXIO;
        memset(lower, 0, sizeof *lower);
        lower->kind = kind;
        if (kind->kind != BSD_PACKETS && !capsule_run(attach, lower))
            return EIO;
        lower_count++;
    }
    lower->below = below;
    bsd_other(below)->q_ptr = below->q_ptr = lower;
    return 0;
}

static void down(void *argument) { if_down(argument); }

void bsd_unlink(queue_t *below) {
    struct lower *lower = below->q_ptr;
    bsd_other(below)->q_ptr = below->q_ptr = NULL;
    if (!lower)
        return;
    lower->below = NULL;
    if (lower->kind->kind != BSD_PACKETS && capsule_run(down, &lower->arp.ac_if))
        bsd_settle();
}

void bsd_lowers_end(void) {
    for (const struct bsd_input *each = bsd_description.inputs; each->queue; each++)
        if_qflush(each->queue);
    for (struct lower *lower = lowers; lower != lowers + lower_count; lower++)
        if_qflush(&lower->arp.ac_if.if_snd);
}
