/* Packets of lower streams: they go to input queues, whose software interrupts run when the entry is done. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include "bsd/lower.h"

#include <sys/param.h>

#include <sys/domain.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/systm.h>

#include <net/netisr.h>

int netisr;

void bsd_run_interrupts(void) {
    int pending = netisr;
    netisr = 0;
    for (const struct bsd_input *each = bsd_description.inputs; bsd_is_input(each) && pending; each++)
        if (each->routine && pending & 1 << each->netisr) {
            pending &= ~(1 << each->netisr);
            (*each->routine)();
        }
}

void bsd_input(const struct bsd_input *input, struct ifnet *ifp, struct mbuf *m, struct ether_header *header) {
    if (!bsd_is_input(input)) {
        ifp->if_noproto++;
        m_freem(m);
        return;
    }
    if (input->input) {
#ifdef BSD_PACKET_HEADERS
        m->m_pkthdr.rcvif = ifp;
#endif
        input->input(ifp, m, header);
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
    if (!(m = BSD_RECEIVED(m, ifp)))
        return;
    IF_ENQUEUE(input->queue, m);
    schednetisr(input->netisr);
}

static void take_frame(struct ifnet *ifp, struct mbuf *m) {
    const struct bsd_input *input = bsd_description.inputs;
    while (bsd_is_input(input) && input->key != BSD_ANY)
        input++;
    bsd_input(input, ifp, m, NULL);
}

static struct protosw *of_protocol(int protocol) {
    for (struct domain *dp = domains; dp; dp = dp->dom_next)
        for (struct protosw *pr = dp->dom_protosw; pr < dp->dom_protoswNPROTOSW; pr++)
            if (pr->pr_protocol == protocol && pr->pr_input)
                return pr;
    return NULL;
}

static void accept(struct lower *lower) {
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
        if (pr && BSD_LENGTH(m) >= lower->kind->header &&
            (m->m_len >= lower->kind->header || (m = m_pullup(m, lower->kind->header))))
            BSD_INPUT(pr, m, lower->kind->header, ifp);
        else
            m_freem(m);
        return;
    }
    ifp->if_ipackets++;
    ifp->if_ibytes += (unsigned long)BSD_LENGTH(m);
    if (!(ifp->if_flags & IFF_UP))
        m_freem(m);
    else if (lower->kind->kind == BSD_ETHERNET)
        bsd_ether_input(lower, m);
    else
        take_frame(ifp, m);
}

static void enter(void *argument) {
    accept(argument);
    bsd_settle_inside();
}

static void take(queue_t *read, mblk_t *message) {
    struct lower *lower = (struct lower *)read->q_ptr;
    if (!lower || !lower->below || capsule_failed()) {
        str_freemsg(message);
        return;
    }
    lower->arrived = message;
    if (!capsule_run(enter, lower) && lower->arrived) {
        str_freemsg(lower->arrived);
        lower->arrived = NULL;
    }
    bsd_settle();
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
