/* Headers of Ethernet and of IEEE 802.2. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include "bsd/lower.h"

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/systm.h>

#include <net/if_llc.h>

#define SNAP_HEADER 8
/* Bytes of a packet that input routines may read without m_pullup. */
#define CONTIGUOUS 64

u_char etherbroadcastaddr[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* Output. */

static int by_offset(struct ifnet *ifp, const struct bsd_ether *ether, struct sockaddr *to,
                     struct ether_header *header) {
    header->ether_type = htons((u_short)ether->type);
    if (ether->offset < 0)
        return bsd_description.resolve ? bsd_description.resolve(ifp, to, header->ether_dhost) : EAFNOSUPPORT;
    memcpy(header->ether_dhost, (char *)to + ether->offset, sizeof header->ether_dhost);
    return 0;
}

static int fill_header(struct ifnet *ifp, struct mbuf **packet, struct sockaddr *to, struct rtentry *rt,
                       struct ether_header *header) {
    if (to->sa_family == AF_UNSPEC) {
        memcpy(header, to->sa_data, ETHER_HEADER);
#ifndef NetBSD
        header->ether_type = htons(header->ether_type); /* 4.4BSD has it in the order of the host */
#endif
        return 0;
    }
    const struct bsd_ether *ether = bsd_description.ethers;
    while (ether && ether->family && ether->family != to->sa_family)
        ether++;
    if (!ether || !ether->family)
        return EAFNOSUPPORT;
    return ether->output ? ether->output(ifp, packet, to, rt, header) : by_offset(ifp, ether, to, header);
}

static int length_of(const struct mbuf *m) {
    int length = 0;
    for (; m; m = m->m_next)
        length += m->m_len;
    return length;
}

/* A packet to the interface's own station: the network would not bring it back. */
static void hear_itself(struct ifnet *ifp, struct mbuf *m, struct ether_header *header) {
    if (!BSD_HAS_HEADER(m)) { /* protocols put an mbuf without one in front */
        struct mbuf *first = BSD_GETHDR(M_DONTWAIT, MT_DATA);
        if (!first) {
            m_freem(m);
            return;
        }
        first->m_len = 0;
        first->m_next = m;
        m = first;
    }
    BSD_SET_LENGTH(m, length_of(m));
    bsd_ether_demultiplex(ifp, m, header);
}

int bsd_ether_output(struct lower *lower, struct mbuf **packet, struct sockaddr *to, struct rtentry *rt) {
    struct ether_header header = {0};
    struct ifnet *ifp = &lower->arp.ac_if;
    int error = fill_header(ifp, packet, to, rt, &header);
    if (error)
        return error;
    if (!*packet)
        return BSD_KEPT; /* lost without memory */
    memcpy(header.ether_shost, lower->arp.ac_enaddr, sizeof header.ether_shost);
    if (header.ether_type == 0)
        header.ether_type = htons((u_short)length_of(*packet));
    if (memcmp(header.ether_dhost, lower->arp.ac_enaddr, sizeof header.ether_dhost) == 0) {
        hear_itself(ifp, *packet, &header);
        return BSD_KEPT;
    }
    M_PREPEND(*packet, ETHER_HEADER, M_DONTWAIT);
    if (!*packet)
        return ENOBUFS;
    memcpy(mtod(*packet, caddr_t), &header, ETHER_HEADER);
    return 0;
}

/* Input. */

static const struct bsd_input *of_kind(int kind, int key, const u_char *organization) {
    const struct bsd_input *input = bsd_description.inputs;
    for (; bsd_is_input(input); input++)
        if (input->kind == kind && input->key == key &&
            (kind != BSD_SNAP || (input->organization && memcmp(input->organization, organization, 3) == 0)))
            return input;
    return NULL;
}

static const struct bsd_input *any(void) {
    const struct bsd_input *input = bsd_description.inputs;
    while (bsd_is_input(input) && input->key != BSD_ANY)
        input++;
    return input;
}

/* An 802.2 header: that of SNAP is removed. */
static const struct bsd_input *of_llc(struct mbuf *m) {
    struct {
        u_char dsap, ssap, control, organization[3], type[2];
    } head = {0};
    int length = BSD_LENGTH(m) < SNAP_HEADER ? BSD_LENGTH(m) : SNAP_HEADER;
    m_copydata(m, 0, length, (caddr_t)&head);
    const struct bsd_input *input = NULL;
    if (length == SNAP_HEADER && head.dsap == LLC_SNAP_LSAP && head.ssap == LLC_SNAP_LSAP && head.control == LLC_UI)
        input = of_kind(BSD_SNAP, head.type[0] << 8 | head.type[1], head.organization);
    if (input)
        m_adj(m, SNAP_HEADER);
    else if (length >= 3)
        input = of_kind(BSD_LLC, head.dsap, NULL);
    return input;
}

/* Removes what is empty in front, and makes the first bytes contiguous. Null without memory. */
static struct mbuf *front(struct mbuf *m) {
    int wanted = imin(BSD_LENGTH(m), CONTIGUOUS);
    return m->m_len < wanted ? m_pullup(m, wanted) : m;
}

void bsd_ether_demultiplex(struct ifnet *ifp, struct mbuf *m, struct ether_header *header) {
    int type = ntohs(header->ether_type);
    const struct bsd_input *input = NULL;
    if (type <= ETHERMTU) { /* the length of an IEEE 802.3 frame */
        if (BSD_LENGTH(m) > type)
            m_adj(m, type - BSD_LENGTH(m));
        input = of_llc(m);
    } else {
        input = of_kind(BSD_TYPE, type, NULL);
    }
    if ((m = front(m)))
        bsd_input(input ? input : any(), ifp, m, header);
}

#ifdef NetBSD
/* A whole frame, as a driver has it. */
void ether_input(struct ifnet *ifp, struct mbuf *m) { bsd_ether_input(ifp->bsd_lower, m); }
#elif defined BSD_PACKET_HEADERS
/* A packet whose header has been taken off. Its type is in the order of the host. */
void ether_input(struct ifnet *ifp, struct ether_header *header, struct mbuf *m) {
    struct ether_header copy = *header;
    copy.ether_type = htons(copy.ether_type);
    bsd_ether_demultiplex(ifp, m, &copy);
}
#endif

void bsd_ether_input(struct lower *lower, struct mbuf *m) {
    struct ifnet *ifp = &lower->arp.ac_if;
    struct ether_header header;
    if (BSD_LENGTH(m) < ETHER_HEADER) {
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
    bsd_ether_demultiplex(ifp, m, &header);
}

char *ether_sprintf(u_char *address) {
    static char text[18], *to;
    to = text;
    for (int i = 0; i < 6; i++) {
        *to++ = "0123456789abcdef"[address[i] >> 4];
        *to++ = "0123456789abcdef"[address[i] & 15];
        *to++ = i < 5 ? ':' : 0;
    }
    return text;
}
