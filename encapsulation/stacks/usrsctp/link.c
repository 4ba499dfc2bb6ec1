/* Lower streams: packets from usrsctp's mbufs to message blocks, without copying, and back, into its mbufs, which
 * free no data of others. */
#define _GNU_SOURCE
#include "instance.h"

#include "stacks/common/lower.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <netinet/sctp_os.h>
#include <netinet/sctp_pcb.h>
#include <netinet/sctp_constants.h>
#include <netinet/sctp_input.h>
#include <netinet/sctp_output.h>
#include <netinet/sctputil.h>

static queue_t *links[MOST_LINKS]; /* write queues of lower streams */
static u_short identification;

bool link_address(unsigned number, struct sockaddr_in *address, uint32_t *mask) {
    const char *list = capsule_option("addresses");
    for (; list && number > 0; number--) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    if (!list)
        return false;
    size_t length = strcspn(list, ",/");
    unsigned bits = 24;
    if (list[length] == '/' && (sscanf(list + length + 1, "%u", &bits) != 1 || bits > 32))
        return false;
    *mask = htonl(bits == 0 ? 0 : 0xffffffffU << (32 - bits));
    char text[INET_ADDRSTRLEN];
    if (length >= sizeof text)
        return false;
    memcpy(text, list, length);
    text[length] = 0;
    *address = (struct sockaddr_in){.sin_family = AF_INET};
    return inet_pton(AF_INET, text, &address->sin_addr) == 1;
}

int link_add(queue_t *below) {
    struct sockaddr_in address;
    uint32_t mask;
    for (unsigned i = 0; i < MOST_LINKS; i++)
        if (!links[i]) {
            if (!link_address(i, &address, &mask))
                return EADDRNOTAVAIL;
            links[i] = below;
            return 0;
        }
    return ENOSPC;
}

void link_remove(queue_t *below) {
    for (unsigned i = 0; i < MOST_LINKS; i++)
        if (links[i] == below)
            links[i] = NULL;
}

static struct part {
    frtn_t free;
    struct mbuf *mbuf;
    struct part *next;
} *spare;
static size_t parts;

size_t parts_lent(void) { return parts; }

static void free_mbuf(void *mbuf) { m_free(mbuf); }

static void free_part(char *argument) {
    struct part *part = (struct part *)(void *)argument;
    capsule_run(free_mbuf, part->mbuf);
    part->next = spare;
    spare = part;
    parts--;
}

/* Takes an mbuf. */
static mblk_t *block_of(struct mbuf *mbuf) {
    struct part *part = spare;
    if (part)
        spare = part->next;
    else
        part = capsule_malloc(sizeof *part);
    mblk_t *block = NULL;
    if (part) {
        *part = (struct part){.free = {.free_func = free_part, .free_arg = (char *)part}, .mbuf = mbuf};
        block = esballoc(mtod(mbuf, unsigned char *), (size_t)mbuf->m_len, BPRI_MED, &part->free);
    }
    if (!block) {
        if (part) {
            part->next = spare;
            spare = part;
        }
        m_free(mbuf);
        return NULL;
    }
    parts++;
    block->b_wptr = block->b_rptr + mbuf->m_len;
    return block;
}

static mblk_t *message_of(struct mbuf *chain) {
    mblk_t *message = NULL;
    while (chain) {
        struct mbuf *next = chain->m_next;
        chain->m_next = NULL;
        mblk_t *block = block_of(chain);
        if (!block) {
            m_freem(next);
            if (message)
                freemsg(message);
            return NULL;
        }
        if (message)
            linkb(message, block);
        else
            message = block;
        chain = next;
    }
    return message;
}

static u_short header_sum(const void *header, size_t length) {
    const unsigned char *bytes = header;
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < length; i += 2)
        sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return htons((u_short)~sum);
}

/* The number of the link in whose network a destination is, and its address; otherwise the first. */
static unsigned link_to(struct in_addr destination, struct in_addr *own) {
    struct sockaddr_in address;
    uint32_t mask;
    for (unsigned i = 0; i < MOST_LINKS && link_address(i, &address, &mask); i++) {
        *own = address.sin_addr;
        if (((own->s_addr ^ destination.s_addr) & mask) == 0)
            return i;
    }
    *own = (struct in_addr){INADDR_ANY};
    return 0;
}

/* Whether an association may send from an address. */
static bool has(const struct sctp_tcb *association, struct in_addr address) {
    struct sctp_inpcb *endpoint = association ? association->sctp_ep : NULL;
    struct sctp_laddr *each;
    if (!endpoint || (endpoint->sctp_flags & SCTP_PCB_FLAGS_BOUNDALL))
        return endpoint != NULL;
    LIST_FOREACH(each, &endpoint->sctp_addr_list, sctp_nxt_addr)
        if (each->ifa && each->ifa->address.sa.sa_family == AF_INET &&
            each->ifa->address.sin.sin_addr.s_addr == address.s_addr)
            return true;
    return false;
}

void __wrap_sctp_userspace_ip_output(int *result, struct mbuf *packet, sctp_route_t *route, void *stcb, uint32_t vrf);

void __wrap_sctp_userspace_ip_output(int *result, struct mbuf *packet, sctp_route_t *route, void *stcb, uint32_t vrf) {
    (void)route, (void)vrf;
    if (packet->m_len < (int)sizeof(struct ip) && !(packet = m_pullup(packet, sizeof(struct ip)))) {
        *result = ENOBUFS;
        return;
    }
    /* What a raw socket would do: the length in network order, an identification, a checksum. */
    struct ip *ip = mtod(packet, struct ip *);
    ip->ip_len = htons(ip->ip_len);
    ip->ip_id = htons(++identification);
    /* usrsctp knows no routes, and takes each destination to be on the first interface: the source is that of the
     * link, as a system that has routes would choose it, if the association has it. */
    struct in_addr own;
    queue_t *below = links[link_to(ip->ip_dst, &own)];
    if (own.s_addr != INADDR_ANY && own.s_addr != ip->ip_src.s_addr && has(stcb, own))
        ip->ip_src = own;
    ip->ip_sum = 0;
    ip->ip_sum = header_sum(ip, sizeof *ip);
    *result = 0;
    if (!below || !canputnext(below)) {
        *result = below ? ENOBUFS : EHOSTUNREACH;
        m_freem(packet);
        return;
    }
    mblk_t *message = message_of(packet);
    if (!message) {
        *result = ENOBUFS;
        return;
    }
    putnext(below, message);
    capsule_returned();
}

/* A packet in one mbuf or a chain. NULL: no memory. */
static struct mbuf *mbufs_of(const mblk_t *message, size_t size) {
    struct mbuf *first = NULL, *last = NULL;
    for (; message; message = message->b_cont) {
        const unsigned char *from = message->b_rptr;
        while (from < message->b_wptr) {
            size_t left = (size_t)(message->b_wptr - from);
            bool full = !last || M_TRAILINGSPACE(last) == 0;
            if (full) {
                struct mbuf *mbuf = sctp_get_mbuf_for_msg(MCLBYTES, last == NULL, M_NOWAIT, 1, MT_DATA);
                if (!mbuf) {
                    m_freem(first);
                    return NULL;
                }
                mbuf->m_len = 0;
                if (last)
                    last->m_next = mbuf;
                else
                    first = mbuf;
                last = mbuf;
            }
            size_t room = (size_t)M_TRAILINGSPACE(last), part = left < room ? left : room;
            memcpy(mtod(last, char *) + last->m_len, from, part);
            last->m_len += (int)part;
            from += part;
        }
    }
    if (first)
        first->m_pkthdr.len = (int)size;
    return first;
}

static void input(void *argument) {
    mblk_t *message = *(mblk_t **)argument;
    size_t size = msgdsize(message), heads = sizeof(struct ip) + sizeof(struct sctphdr) + sizeof(struct sctp_chunkhdr);
    struct mbuf *packet = size >= heads && size <= 65535 ? mbufs_of(message, size) : NULL;
    if (!packet)
        return;
    struct ip *ip = mtod(packet, struct ip *);
    size_t length = ntohs(ip->ip_len);
    /* Packets with options, fragments and others than SCTP are not for this protocol. */
    if (ip->ip_v != 4 || ip->ip_hl != 5 || ip->ip_p != IPPROTO_SCTP || (ntohs(ip->ip_off) & 0x3fff) || length > size ||
        length < heads || header_sum(ip, sizeof *ip) != 0 || IN_MULTICAST(ntohl(ip->ip_dst.s_addr))) {
        m_freem(packet);
        return;
    }
    struct sctphdr *sh = (struct sctphdr *)(void *)(ip + 1);
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_port = sh->src_port, .sin_addr = ip->ip_src};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = sh->dest_port, .sin_addr = ip->ip_dst};
    SCTP_STAT_INCR(sctps_recvpackets);
    SCTP_STAT_INCR_COUNTER64(sctps_inpackets);
    SCTP_STAT_INCR(sctps_recvswcrc);
    sctp_common_input_processing(&packet, sizeof *ip, (int)(sizeof *ip + sizeof *sh), (int)length,
                                 (struct sockaddr *)&from, (struct sockaddr *)&to, sh,
                                 (struct sctp_chunkhdr *)(void *)(sh + 1), 1, ip->ip_tos & 0x03, SCTP_DEFAULT_VRFID, 0);
    if (packet)
        m_freem(packet);
}

static void take(queue_t *read, mblk_t *message) {
    (void)read;
    capsule_run(input, &message);
    freemsg(message);
    associations_unblock();
    timers_update();
}

static int link_put(queue_t *read, mblk_t *message) { return lower_put(read, message, take); }

static int link_service(queue_t *read) { return lower_service(read, take); }

static struct module_info info = {
    .mi_idnum = 0x7363, .mi_idname = "sctp link", .mi_maxpsz = INFPSZ, .mi_hiwat = 262144, .mi_lowat = 65536};
struct qinit link_read = {.qi_putp = link_put, .qi_srvp = link_service, .qi_minfo = &info};
struct qinit link_write = {.qi_minfo = &info};
