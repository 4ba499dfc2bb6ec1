/* Families of Ethernets, which loadable drivers of SunOS 4 register. A description that uses them has an entry for
 * BSD_ANY whose `input` is bsd_families_input, with bsd_families_interrupt as its routine, and for each family an entry
 * of `ethers` whose `output` is bsd_families_output. */
#define STR_PREFIXED
#include "sunos4/families.h"

#include "bsd/lower.h"

#include <sys/mbuf.h>
#include <sys/systm.h>

#include <net/netisr.h>

struct ether_family *ether_families;

/* The newest is asked first. */
int ether_register(struct ether_family *family) {
    for (struct ether_family *each = ether_families; each; each = each->ef_next)
        if (each == family)
            return EEXIST;
    family->ef_next = ether_families;
    ether_families = family;
    return 0;
}

#define MOST_PENDING 8
static int (*pending[MOST_PENDING])();
static int pending_count;

static bool schedule(int (*routine)()) {
    for (int i = 0; i < pending_count; i++)
        if (pending[i] == routine)
            return true;
    if (pending_count == MOST_PENDING)
        return false;
    pending[pending_count++] = routine;
    schednetisr(BSD_FAMILIES_NETISR);
    return true;
}

void bsd_families_interrupt(void) {
    int (*now[MOST_PENDING])();
    int count = pending_count;
    for (int i = 0; i < count; i++)
        now[i] = pending[i];
    pending_count = 0;
    for (int i = 0; i < count; i++)
        (*now[i])();
}

static struct ether_family *of_type(int type) {
    struct ether_family *family = ether_families;
    while (family && (family->ef_ethertype != type || !family->ef_infunc))
        family = family->ef_next;
    return family;
}

void bsd_families_input(struct ifnet *ifp, struct mbuf *m, struct ether_header *header) {
    struct ether_header host = {0};
    if (header) {
        host = *header;
        host.ether_type = ntohs(header->ether_type);
    }
    struct ether_family *family = of_type(host.ether_type <= ETHERMTU ? EF_8023_TYPE : host.ether_type);
    if (!family) {
        ifp->if_noproto++;
        m_freem(m);
        return;
    }
    if (!(m = bsd_received(m, ifp)))
        return;
    struct ifqueue *queue = (*family->ef_infunc)(ifp, m, &host);
    if (!queue)
        return;
    if (queue->ifq_maxlen == 0)
        queue->ifq_maxlen = ifqmaxlen;
    if (IF_QFULL(queue) || (family->ef_netisr && !schedule(family->ef_netisr))) {
        IF_DROP(queue);
        ifp->if_iqdrops++;
        m_freem(m);
        return;
    }
    IF_ENQUEUE(queue, m)
}

int bsd_families_output(struct ifnet *ifp, struct mbuf **packet, struct sockaddr *to, struct rtentry *rt,
                        struct ether_header *header) {
    struct ether_family *family = ether_families;
    (void)rt;
    while (family && (family->ef_family != to->sa_family || !family->ef_outfunc))
        family = family->ef_next;
    if (!family)
        return EAFNOSUPPORT;
    if ((*family->ef_outfunc)(to, *packet, ifp, header->ether_dhost))
        return BSD_KEPT;
    header->ether_type = family->ef_ethertype == EF_8023_TYPE ? 0 : htons(family->ef_ethertype);
    return 0;
}
