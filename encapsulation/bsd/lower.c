/* Lower streams: interfaces of the protocol family, or other protocols below it. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <stdio.h>
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

static int output(struct ifnet *ifp, struct mbuf *m, struct sockaddr *to BSD_OUTPUT_ROUTE) {
    struct lower *lower = ifp->bsd_lower;
    int error = lower->below && ifp->if_flags & IFF_UP ? 0 : ENETDOWN;
    if (!error && lower->kind->kind == BSD_ETHERNET)
        error = bsd_ether_output(lower, &m, to, BSD_ROUTE);
    if (error == BSD_KEPT)
        return 0;
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

/* Sources compare if_output with it. */
int ether_output(struct ifnet *ifp, struct mbuf *m, struct sockaddr *to BSD_OUTPUT_ROUTE) {
    return output(ifp, m, to BSD_PASS_ROUTE);
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
    case (unsigned)SIOCSIFFLAGS: return 0;
    case (unsigned)SIOCADDMULTI:
    case (unsigned)SIOCDELMULTI: return bsd_ether_control(ifp->bsd_lower, command, data);
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

static void name_interface(struct ifnet *ifp, const char *name, int unit) {
#ifdef NetBSD
    snprintf(ifp->if_xname, sizeof ifp->if_xname, "%s%d", name, unit);
#else
    ifp->if_name = (char *)(uintptr_t)name;
    ifp->if_unit = (short)unit;
#endif
}

static void make_interface(struct lower *lower) {
    struct ifnet *ifp = &lower->arp.ac_if;
    const struct bsd_lower *kind = lower->kind;
    bool is_ether = kind->kind == BSD_ETHERNET;
    int unit = 0;
    for (struct lower *each = lowers; each != lower; each++)
        unit += each->kind == kind;
    name_interface(ifp, kind->name, unit);
    ifp->if_mtu = (__typeof__(ifp->if_mtu))(kind->mtu ? kind->mtu : ETHERMTU);
    ifp->if_flags = (short)(kind->flags | IFF_RUNNING);
    ifp->if_output = is_ether ? ether_output : output;
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
    for (const struct bsd_input *each = bsd_description.inputs; bsd_is_input(each); each++)
        if (each->queue)
            if_qflush(each->queue);
    for (struct lower *lower = lowers; lower != lowers + lower_count; lower++)
        if_qflush(&lower->arp.ac_if.if_snd);
}
