/* Lower streams: interfaces of the protocol family, or other protocols below it. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <stdlib.h>
#include <string.h>

#include <sys/param.h>

#include <sys/domain.h>
#include <sys/ioctl.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/systm.h>

#include <net/if.h>
#include <net/if_dl.h>
#include <net/if_types.h>
#include <net/netisr.h>
#include <netinet/if_ether.h>

#define MOST_LOWERS 16
#define MOST_WAITING 50 /* packets for a lower stream that takes none at present */
#define ETHER_HEADER 14

struct lower {
    struct arpcom arp; /* first: foreign code casts an ifnet to it */
    const struct bsd_lower *kind;
    queue_t *below; /* the write queue at the top of the stream; null: unlinked */
    mblk_t *arrived;
};

static struct lower lowers[MOST_LOWERS];
static int lower_count;
int netisr;
u_char etherbroadcastaddr[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

bool bsd_run_interrupts(void) {
    int pending = netisr;
    netisr = 0;
    for (const struct bsd_input *each = bsd_description.inputs; each->queue && pending; each++)
        if (pending & 1 << each->netisr) {
            pending &= ~(1 << each->netisr);
            (*each->routine)();
        }
    return netisr != 0;
}

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
    memcpy(m->m_data, &header, ETHER_HEADER);
    return 0;
}

static int output(struct ifnet *ifp, struct mbuf *m, struct sockaddr *to, struct rtentry *rt) {
    struct lower *lower = ifp->bsd_lower;
    (void)rt;
    int error = lower->below && ifp->if_flags & IFF_UP ? 0 : ENETDOWN;
    if (!error && lower->kind->kind == BSD_ETHERNET)
        error = add_ether_header(lower, &m, to);
    if (error) {
        m_freem(m);
        ifp->if_oerrors++;
        return error;
    }
    int length = m->m_flags & M_PKTHDR ? m->m_pkthdr.len : m->m_len;
    mblk_t *message = bsd_message_of(m);
    if (!message)
        return ENOBUFS;
    ifp->if_opackets++;
    ifp->if_obytes += (u_long)length;
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

static int control(struct ifnet *ifp, u_long command, caddr_t data) {
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

static int start_nothing(struct ifnet *ifp) { return (void)ifp, 0; }

/* Input. */

static void enqueue(struct ifnet *ifp, struct mbuf *m, int key) {
    const struct bsd_input *input = bsd_description.inputs;
    while (input->queue && input->key != key && input->key != BSD_ANY)
        input++;
    if (!input->queue) {
        ifp->if_noproto++;
        m_freem(m);
        return;
    }
    if (input->queue->ifq_maxlen == 0)
        input->queue->ifq_maxlen = ifqmaxlen;
    if (IF_QFULL(input->queue)) {
        IF_DROP(input->queue);
        ifp->if_iqdrops++;
        m_freem(m);
        return;
    }
    IF_ENQUEUE(input->queue, m);
    schednetisr(input->netisr);
}

static void take_ether(struct lower *lower, struct mbuf *m) {
    struct ifnet *ifp = &lower->arp.ac_if;
    struct ether_header header;
    if (m->m_pkthdr.len < ETHER_HEADER) {
        ifp->if_ierrors++;
        m_freem(m);
        return;
    }
    m_copydata(m, 0, ETHER_HEADER, (caddr_t)&header);
    bool is_ours = memcmp(header.ether_dhost, lower->arp.ac_enaddr, 6) == 0;
    if (memcmp(header.ether_dhost, etherbroadcastaddr, 6) == 0)
        m->m_flags |= M_BCAST;
    else if (header.ether_dhost[0] & 1)
        m->m_flags |= M_MCAST;
    else if (!is_ours) {
        m_freem(m);
        return;
    }
    if (m->m_flags & (M_BCAST | M_MCAST))
        ifp->if_imcasts++;
    m_adj(m, ETHER_HEADER);
    int type = ntohs(header.ether_type);
    if (type <= ETHERMTU) { /* the length of an IEEE 802.3 frame */
        if (m->m_pkthdr.len > type)
            m_adj(m, type - m->m_pkthdr.len);
        type = BSD_ANY;
    }
    enqueue(ifp, m, type);
}

static struct protosw *of_protocol(int protocol) {
    for (struct domain *dp = domains; dp; dp = dp->dom_next)
        for (struct protosw *pr = dp->dom_protosw; pr < dp->dom_protoswNPROTOSW; pr++)
            if (pr->pr_protocol == protocol && pr->pr_input)
                return pr;
    return NULL;
}

static void enter(void *argument) {
    struct lower *lower = argument;
    struct ifnet *ifp = &lower->arp.ac_if;
    mblk_t *message = lower->arrived;
    lower->arrived = NULL;
    bsd_start();
    bsd_clock();
    struct mbuf *m = bsd_own_mbufs_of(message);
    if (!m)
        return;
    if (lower->kind->kind == BSD_PACKETS) {
        struct protosw *pr = of_protocol(lower->kind->protocol);
        /* pr_input may read its header: it must be there. */
        if (pr && m->m_pkthdr.len >= lower->kind->header &&
            (m->m_len >= lower->kind->header || (m = m_pullup(m, lower->kind->header))))
            (*pr->pr_input)(m, lower->kind->header);
        else
            m_freem(m);
        return;
    }
    m->m_pkthdr.rcvif = ifp;
    ifp->if_ipackets++;
    ifp->if_ibytes += (u_long)m->m_pkthdr.len;
    if (!(ifp->if_flags & IFF_UP))
        m_freem(m);
    else if (lower->kind->kind == BSD_ETHERNET)
        take_ether(lower, m);
    else
        enqueue(ifp, m, BSD_ANY);
}

static void take(queue_t *read, mblk_t *message) {
    struct lower *lower = (struct lower *)read->q_ptr;
    if (!lower || !lower->below || capsule_failed()) {
        str_freemsg(message);
        return;
    }
    lower->arrived = message;
    if (capsule_run(enter, lower))
        bsd_settle();
    else if (lower->arrived) {
        str_freemsg(lower->arrived);
        lower->arrived = NULL;
    }
}

/* Whether all blocks are data, and no more than a packet can have. */
static bool is_packet(mblk_t *message) {
    size_t length = 0;
    for (mblk_t *each = message; each; each = each->b_cont) {
        if (each->b_datap->db_type != M_DATA)
            return false;
        length += (size_t)(each->b_wptr - each->b_rptr);
    }
    return length > 0 && length <= 65535 + ETHER_HEADER;
}

static int read_put(queue_t *read, mblk_t *message) {
    switch (message->b_datap->db_type) {
    case M_DATA:
        if (!is_packet(message))
            str_freemsg(message);
        else if (capsule_entered() || read->q_first)
            str_putq(read, message);
        else
            take(read, message);
        return 0;
    case M_FLUSH: /* a multiplexor ends the stream: what came up goes down */
        if (*message->b_rptr & FLUSHR)
            str_flushq(read, FLUSHDATA);
        if (*message->b_rptr & FLUSHW) {
            *message->b_rptr &= (unsigned char)~FLUSHR;
            str_flushq(bsd_other(read), FLUSHDATA);
            str_qreply(read, message);
        } else {
            str_freemsg(message);
        }
        return 0;
    case M_HANGUP:
    case M_ERROR:
        if (read->q_ptr)
            ((struct lower *)read->q_ptr)->arp.ac_if.if_flags &= (short)~(IFF_UP | IFF_RUNNING);
        str_freemsg(message);
        return 0;
    default: str_freemsg(message); return 0;
    }
}

static int read_service(queue_t *read) {
    mblk_t *message;
    while (!capsule_entered() && (message = str_getq(read)))
        take(read, message);
    return 0;
}

static int write_service(queue_t *write) {
    mblk_t *message;
    while (str_canputnext(write) && (message = str_getq(write)))
        str_putnext(write, message);
    return 0;
}

static struct module_info info = {
    .mi_idnum = 0x6273, .mi_idname = "bsd lower", .mi_maxpsz = INFPSZ, .mi_hiwat = 262144, .mi_lowat = 65536};
struct qinit bsd_lower_read = {.qi_putp = read_put, .qi_srvp = read_service, .qi_minfo = &info};
struct qinit bsd_lower_write = {.qi_srvp = write_service, .qi_minfo = &info};

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
    ifp->if_mtu = kind->mtu ? (u_long)kind->mtu : ETHERMTU;
    ifp->if_type = (u_char)(kind->type ? kind->type : is_ether ? IFT_ETHER : IFT_OTHER);
    ifp->if_flags = (short)(kind->flags | IFF_RUNNING);
    ifp->if_output = output;
    ifp->if_ioctl = control;
    ifp->if_start = start_nothing;
    ifp->bsd_lower = lower;
    if (is_ether) {
        ifp->if_flags |= (short)(IFF_BROADCAST | IFF_SIMPLEX | IFF_MULTICAST);
        ifp->if_addrlen = 6;
        ifp->if_hdrlen = ETHER_HEADER;
        choose_station(lower);
    }
    if_attach(ifp);
    if (is_ether) {
        struct sockaddr_dl *link = (struct sockaddr_dl *)(void *)ifp->if_addrlist->ifa_addr;
        link->sdl_alen = 6;
        memcpy(LLADDR(link), lower->arp.ac_enaddr, 6);
    }
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
