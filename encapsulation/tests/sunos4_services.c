/* Services, sockets, interfaces and routes of SunOS 4. */
#include "tests/bsd_protocol.h"

#include "bsd/lower.h"
#include "sunos4/families.h"

#include <sys/ioctl.h>
#include <sys/kmem_alloc.h>
#include <sys/user.h>

#include <net/af.h>

/* Addresses of the test: the network in the first byte, the host in the second. */
static struct sockaddr address(int network, int number) {
    return (struct sockaddr){.sa_family = FAMILY, .sa_data = {(char)network, (char)number}};
}

static int has_network(struct sockaddr *one, struct sockaddr *other) { return one->sa_data[0] == other->sa_data[0]; }

static struct ifnet ether, line;
static struct ifaddr ether_address, line_address;
static int sent;

static int count_packet(struct ifnet *ifp, struct mbuf *m, struct sockaddr *to) {
    (void)ifp, (void)to;
    m_freem(m);
    return sent++, 0;
}

static void attach_interfaces(void) {
    static char en[] = "en", sl[] = "sl";
    ether = (struct ifnet){.if_name = en, .if_unit = 1, .if_mtu = 1500, .if_output = (int (*)())count_packet};
    ether.if_flags = IFF_UP | IFF_BROADCAST;
    ether.if_addrlist = &ether_address;
    ether_address = (struct ifaddr){.ifa_addr = address(5, 1), .ifa_ifp = &ether};
    ether_address.ifa_broadaddr = address(5, -1);
    line = (struct ifnet){.if_name = sl, .if_flags = IFF_UP | IFF_POINTOPOINT, .if_addrlist = &line_address};
    line_address = (struct ifaddr){.ifa_addr = address(6, 1), .ifa_ifp = &line};
    line_address.ifa_dstaddr = address(7, 9);
    if_attach(&ether);
    if_attach(&line);
    afswitch[FAMILY].af_netmatch = (int (*)())has_network;
}

static void test_memory_and_users(void) {
    caddr_t memory = kmem_zalloc(100);
    for (int i = 0; i < 100; i++)
        assert(memory[i] == 0);
    kmem_free(memory, 100);
    kmem_free(kmem_alloc(0), 0);
    memory = new_kmem_zalloc(50, KMEM_NOSLEEP);
    assert(memory && memory[49] == 0);
    kmem_free(memory, 50);
    assert(new_kmem_alloc(1U << 31, KMEM_NOSLEEP) == NULL);
    assert(suser() && u.u_uid == 0 && u.u_error == 0 && u.u_procp == curproc);
    assert(splnet() == splstr() && splr(pritospl(3)) == 0);
    char from[8] = "abcdefg", to[8] = {0};
    struct iovec part = {to, sizeof to};
    struct uio uio = {.uio_iov = &part, .uio_iovcnt = 1, .uio_resid = 8};
    assert(bsd_move(from, 8, UIO_READ, &uio) == 0 && strcmp(to, "abcdefg") == 0 && uio.uio_resid == 0);
}

static struct socket *made(void) {
    int error;
    struct socket *so = bsd_socket_make(SOCK_STREAM, 6, &error);
    assert(so);
    return so;
}

static void test_buffers_count_blocks(void) {
    struct socket *so = made();
    struct sockbuf *sb = &so->so_rcv;
    sbappend(sb, data("abc"));
    sbappend(sb, data("defg"));
    assert(sb->sb_cc == 7 && sb->sb_mb->m_len == 7 && sb->sb_mbcnt == MSIZE); /* compressed */
    struct mbuf *m = data("");
    MCLGET(m)
    sbappend(sb, m);
    assert(sb->sb_cc == 7 + MCLBYTES && sb->sb_mb->m_next == m && sb->sb_mbcnt >= 2 * MSIZE + MCLBYTES);
    sbdrop(sb, 9);
    assert(sb->sb_mb == m && m->m_len == MCLBYTES - 2);
    sbcheck(sb);
    sbappendrecord(sb, data("second"));
    assert(m->m_act && m->m_act->m_len == 6);
    sbdroprecord(sb);
    sbdrop(sb, 6);
    assert(sb->sb_cc == 0 && sb->sb_mbcnt == 0 && sb->sb_mb == NULL && sbspace(sb) == 2000);
    bsd_socket_close(so);
}

#undef sbappendaddr
int sbappendaddr(struct sockbuf *sb, struct sockaddr *asa, struct mbuf *m0, struct mbuf *rights);

static void test_rights_stay_the_senders(void) {
    struct socket *so = made();
    struct sockaddr from = address(1, 2);
    struct mbuf *rights = data("rights");
    rights->m_type = MT_RIGHTS;
    assert(sbappendaddr(&so->so_rcv, &from, data("hello"), rights) == 1);
    struct mbuf *m = so->so_rcv.sb_mb;
    assert(m->m_type == MT_SONAME && m->m_len == sizeof from && m->m_next->m_type == MT_RIGHTS && m->m_next != rights);
    assert(memcmp(mtod(m->m_next->m_next, caddr_t), "hello", 5) == 0);
    assert(sbappendrights(&so->so_rcv, data("x"), rights) == 1 && m->m_act->m_type == MT_RIGHTS);
    struct mbuf *large = data("y");
    MCLGET(large)
    large->m_next = data("z");
    MCLGET(large->m_next)
    assert(sbappendaddr(&so->so_rcv, &from, large, rights) == 0); /* no room: it stays the caller's, too */
    assert(sbappendrights(&so->so_rcv, large, rights) == 0);
    m_freem(large);
    m_freem(rights);
    sbcheck(&so->so_rcv);
    bsd_socket_close(so);
}

static void test_incoming_connections(void) {
    struct socket *head = made();
    head->so_options |= SO_ACCEPTCONN;
    head->so_qlimit = 2;
    struct socket *one = sonewconn(head), *two = sonewconn(head);
    assert(one && two && head->so_q0len == 2 && one->so_head == head);
    soisconnected(two);
    assert(head->so_q == two && head->so_qlen == 1);
    bsd_socket_close(head);
    while (bsd_next_marked())
        ;
}

static void test_a_waiting_writer_is_woken(void) {
    struct socket *so = made();
    so->so_snd.sb_flags |= SB_WAIT;
    sowwakeup(so);
    assert(!(so->so_snd.sb_flags & SB_WAIT) && bsd_next_marked() == so);
    bsd_socket_close(so);
}

static void test_addresses_of_interfaces(void) {
    struct sockaddr own = address(5, 1), broadcast = address(5, -1), other = address(5, 2), end = address(7, 9);
    assert(ifa_ifwithaddr(&own) == &ether_address && ifa_ifwithaddr(&broadcast) == &ether_address);
    assert(ifa_ifwithaddr(&other) == NULL && ifa_ifwithnet(&other) == &ether_address);
    assert(ifa_ifwithdstaddr(&end) == &line_address && ifa_ifwithdstaddr(&own) == NULL && ifa_ifwithnet(&end) == NULL);
    assert(ifa_ifwithaddr(&end) == NULL && ifa_ifwithdstaddr(&broadcast) == NULL); /* they share their place */
    other.sa_family = AF_MAX + 3;
    assert(ifa_ifwithnet(&other) == NULL);
    assert(ifunit("en1") == &ether && ifunit("sl0") == &line && ifunit("en") == NULL);
    struct ifreq request = {.ifr_name = "en1"};
    struct socket *so = made();
    assert(ifioctl(so, SIOCGIFFLAGS, (caddr_t)&request, NULL) == 0 && request.ifr_flags & IFF_BROADCAST);
    request.ifr_flags = 0;
    ctl_command = -1;
    assert(ifioctl(so, SIOCSIFFLAGS, (caddr_t)&request, NULL) == 0 && ether.if_flags == IFF_BROADCAST);
    assert(ctl_command == PRC_IFDOWN);
    request.ifr_flags = IFF_UP;
    assert(ifioctl(so, SIOCSIFFLAGS, (caddr_t)&request, NULL) == 0 && ether.if_flags & IFF_UP);
    int before = requests[PRU_CONTROL];
    assert(ifioctl(so, SIOCSIFADDR, (caddr_t)&request, NULL) == 0 && requests[PRU_CONTROL] == before + 1);
    bsd_socket_close(so);
}

static struct rtentry *found(struct sockaddr to) {
    struct route route = {.ro_dst = to};
    rtalloc(&route);
    return route.ro_rt;
}

static void test_routes(void) {
    struct sockaddr network = address(5, 0), host_ = address(5, 77), gateway = address(5, 3), own = address(5, 1);
    struct sockaddr none = address(0, 0), far = address(9, 1);
    rtinit(&network, &own, (int)SIOCADDRT, RTF_UP);
    rtinit(&host_, &gateway, (int)SIOCADDRT, RTF_UP | RTF_HOST | RTF_GATEWAY);
    struct rtentry *net = found(address(5, 20)), *special = found(host_);
    assert(net && net->rt_ifp == &ether && net->rt_refcnt == 1 && !(net->rt_flags & RTF_HOST));
    assert(special && special->rt_flags & RTF_GATEWAY && special->rt_gateway.sa_data[1] == 3);
    short unreachable = rtstat.rts_unreach;
    assert(found(far) == NULL && rtstat.rts_unreach == unreachable + 1);
    rtinit(&none, &gateway, (int)SIOCADDRT, RTF_UP | RTF_GATEWAY); /* the wildcard: network 0 */
    struct rtentry *wild = found(far);
    assert(wild && wild->rt_ifp == &ether);
    struct route strict = {.ro_rt = &nowildcard, .ro_dst = far};
    rtalloc(&strict);
    assert(strict.ro_rt == NULL);
    struct rtentry again = {.rt_dst = network, .rt_gateway = own};
    assert(rtrequest((int)SIOCADDRT, &again) == EEXIST && rtrequest(3, &again) == EINVAL);
    again.rt_gateway = address(8, 1);
    again.rt_dst = far;
    assert(rtrequest((int)SIOCADDRT, &again) == ENETUNREACH && rtioctl((int)SIOCDELRT, (caddr_t)&again) == ESRCH);
    ether.if_flags &= (short)~IFF_UP;
    assert(found(address(5, 20)) == NULL); /* its interface is down */
    ether.if_flags |= IFF_UP;
    /* A route that is withdrawn lives until it is given back. */
    rtinit(&network, &own, (int)SIOCDELRT, 0);
    rtinit(&host_, &gateway, (int)SIOCDELRT, RTF_HOST);
    rtinit(&none, &gateway, (int)SIOCDELRT, 0);
    assert(!(net->rt_flags & RTF_UP));
    rtfree(net);
    rtfree(special);
    rtfree(wild);
    assert(found(host_) == NULL);
}

static void test_redirects(void) {
    struct sockaddr network = address(5, 0), own = address(5, 1), far = address(9, 1), away = address(8, 8);
    struct sockaddr first = address(5, 3), better = address(5, 4), another = address(5, 6);
    rtinit(&network, &own, (int)SIOCADDRT, RTF_UP);
    rtredirect(&far, &away, RTF_HOST, &first); /* that gateway is not on a network of ours */
    assert(rtstat.rts_badredirect == 1 && found(far) == NULL);
    rtredirect(&far, &first, RTF_HOST, &first);
    struct rtentry *rt = found(far);
    assert(rt && rtstat.rts_dynamic == 1 && rt->rt_flags & RTF_DYNAMIC && rt->rt_gateway.sa_data[1] == 3);
    rtredirect(&far, &better, RTF_HOST, &another); /* not from the gateway that is used */
    assert(rt->rt_gateway.sa_data[1] == 3);
    rtredirect(&far, &better, RTF_HOST, &first);
    assert(rt->rt_gateway.sa_data[1] == 4 && rtstat.rts_newgateway == 1);
    rtfree(rt);
    rtinit(&far, &better, (int)SIOCDELRT, RTF_HOST);
    rtinit(&network, &own, (int)SIOCDELRT, 0);
}

static void test_loopback_brings_packets_back(void) {
    struct sockaddr to = address(0, 1);
    struct ifnet *ifp = NULL;
    struct mbuf *m;
    assert(looutput(&loif, data("around"), &to) == 0 && netisr & 1 << NETISR_USER);
    IF_DEQUEUEIF(&queue, m, ifp)
    assert(ifp == &loif && m->m_len == 6 && memcmp(mtod(m, caddr_t), "around", 6) == 0);
    m_freem(m);
    netisr = 0;
}

/* A family of Ethernets: it takes frames of its type into a queue, and those of 802.3 itself. */
static struct ifqueue family_queue = {.ifq_maxlen = 2};
static int family_interrupts, taken;
static u_short seen;

static struct ifqueue *take_packet(struct ifnet *ifp, struct mbuf *m, struct ether_header *header) {
    assert(*mtod(m, struct ifnet **) == ifp);
    seen = header->ether_type;
    if (seen > ETHERMTU)
        return &family_queue;
    m_freem(m);
    return taken++, NULL;
}

static int find_station(struct sockaddr *to, struct mbuf *m, struct ifnet *ifp, u_char *station) {
    (void)ifp;
    if (to->sa_data[0] == 99) {
        m_freem(m);
        return 1;
    }
    memset(station, to->sa_data[1], 6);
    return 0;
}

static int serve(void) { return family_interrupts++; }

static struct ether_family own = {FAMILY, 0x1234, (struct ifqueue * (*)()) take_packet, (int (*)())find_station,
                                  (int (*)())serve, NULL};
static struct ether_family old_frames = {0, EF_8023_TYPE, (struct ifqueue * (*)()) take_packet, NULL, NULL, NULL};

static void receive(int type, int length) {
    struct ether_header header = {.ether_type = htons((u_short)type)};
    struct mbuf *m = data("0123456789");
    m->m_len = length;
    bsd_families_input(&ether, m, &header);
}

static void test_families_take_frames(void) {
    assert(ether_register(&own) == 0 && ether_register(&old_frames) == 0 && ether_register(&own) == EEXIST);
    netisr = 0;
    receive(0x1234, 10);
    receive(0x1234, 5);
    assert(seen == 0x1234 && family_queue.ifq_len == 2 && netisr == 1 << BSD_FAMILIES_NETISR);
    receive(0x1234, 7);
    assert(family_queue.ifq_len == 2 && family_queue.ifq_drops == 1); /* full */
    bsd_families_interrupt();
    bsd_families_interrupt();
    assert(family_interrupts == 1);
    struct ifnet *ifp = NULL;
    struct mbuf *m;
    IF_DEQUEUEIF(&family_queue, m, ifp)
    assert(ifp == &ether && m->m_len == 10);
    m_freem(m);
    if_qflush(&family_queue);
    receive(200, 10);
    assert(seen == 200 && taken == 1);
    int unknown = ether.if_noproto;
    receive(0x800, 10);
    assert(ether.if_noproto == unknown + 1);
    netisr = 0;
}

static void test_families_find_stations(void) {
    struct ether_header header = {0};
    struct sockaddr to = address(1, 7), kept = address(99, 1), foreign = {.sa_family = AF_INET};
    struct mbuf *m = data("x"), *other = data("y");
    assert(bsd_families_output(&ether, &m, &to, NULL, &header) == 0);
    assert(header.ether_dhost[5] == 7 && header.ether_type == htons(0x1234));
    own.ef_ethertype = EF_8023_TYPE;
    assert(bsd_families_output(&ether, &m, &to, NULL, &header) == 0 && header.ether_type == 0);
    assert(bsd_families_output(&ether, &m, &foreign, NULL, &header) == EAFNOSUPPORT);
    assert(bsd_families_output(&ether, &other, &kept, NULL, &header) == BSD_KEPT);
    m_freem(m);
    own.ef_ethertype = 0x1234;
}

static void test_domains_of_drivers_stay(void) {
    int before = initialized;
    domaininit(); /* the family is there */
    assert(domains == &family && family.dom_next == NULL && initialized == before);
    bsd_timeouts_end();
}

int main(void) {
    begin();
    attach_interfaces();
    RUN(memory_and_users);
    RUN(buffers_count_blocks);
    RUN(rights_stay_the_senders);
    RUN(incoming_connections);
    RUN(a_waiting_writer_is_woken);
    RUN(addresses_of_interfaces);
    RUN(routes);
    RUN(redirects);
    RUN(loopback_brings_packets_back);
    RUN(families_take_frames);
    RUN(families_find_stations);
    RUN(domains_of_drivers_stay);
    finish();
    return 0;
}
