/* Interfaces, addresses and routes of 4.4BSD. */
#include "tests/bsd_protocol.h"

static struct ifnet net[2];
struct address {
    struct ifaddr ifa;
    struct sockaddr local, mask, other;
};

static struct address addresses[2];

static void set_address(struct address *a, struct ifnet *ifp, int last, int bits) {
    a->local = (struct sockaddr){16, FAMILY, {10, 0, (char)last, 1}};
    a->mask = (struct sockaddr){(u_char)(2 + bits / 8), 0, {(char)0xff, (char)0xff, (char)0xff, 0}};
    a->other = (struct sockaddr){16, FAMILY, {10, 0, (char)last, 99}};
    a->ifa = (struct ifaddr){&a->local, &a->other, &a->mask, ifp, NULL, NULL, 0, 0, 0};
    struct ifaddr **at = &ifp->if_addrlist;
    while (*at)
        at = &(*at)->ifa_next;
    *at = &a->ifa;
}

static void test_interfaces(void) {
    net[0].if_name = net[1].if_name = (char[]){"le"};
    net[1].if_unit = 1;
    net[0].if_flags = IFF_UP | IFF_BROADCAST;
    net[1].if_flags = IFF_UP | IFF_POINTOPOINT;
    if_attach(&net[0]);
    if_attach(&net[1]);
    assert(ifunit((char[]){"le1"}) == &net[1] && ifunit((char[]){"le2"}) == NULL && net[1].if_index == 2);
    const struct sockaddr_dl *link = (const struct sockaddr_dl *)(const void *)net[1].if_addrlist->ifa_addr;
    assert(link->sdl_family == AF_LINK && memcmp(link->sdl_data, "le1", 3) == 0 && link->sdl_index == 2);
    assert(net[0].if_snd.ifq_maxlen == IFQ_MAXLEN);
}

static void test_addresses(void) {
    set_address(&addresses[0], &net[0], 1, 24);
    set_address(&addresses[1], &net[1], 2, 16);
    struct sockaddr local = addresses[0].local, far = {16, FAMILY, {10, 0, 1, 77}}, peer = addresses[1].other;
    struct sockaddr wide = {16, FAMILY, {10, 0, 55, 77}}, none = {16, FAMILY, {11, 0, 1, 77}};
    assert(ifa_ifwithaddr(&local) == &addresses[0].ifa && ifa_ifwithaddr(&far) == NULL);
    assert(ifa_ifwithdstaddr(&peer) == &addresses[1].ifa && ifa_ifwithdstaddr(&local) == NULL);
    assert(ifa_ifwithnet(&far) == &addresses[0].ifa); /* the finer mask */
    assert(ifa_ifwithnet(&wide) == &addresses[1].ifa && ifa_ifwithnet(&none) == NULL);
    assert(ifa_ifwithaf(FAMILY) == &addresses[0].ifa && ifa_ifwithaf(FAMILY + 1) == NULL);
    assert(ifaof_ifpforaddr(&far, &net[1]) == &addresses[1].ifa);
    assert(ifaof_ifpforaddr(&far, &net[0]) == &addresses[0].ifa);
}

static void test_queues_of_packets(void) {
    struct ifqueue ifq = {.ifq_maxlen = 2};
    struct mbuf *m = data("1");
    IF_ENQUEUE(&ifq, m);
    m = data("0");
    IF_PREPEND(&ifq, m);
    assert(IF_QFULL(&ifq) && ifq.ifq_len == 2);
    IF_DROP(&ifq);
    IF_DEQUEUE(&ifq, m);
    assert(*m->m_data == '0' && ifq.ifq_len == 1 && ifq.ifq_drops == 1);
    m_freem(m);
    if_qflush(&ifq);
    IF_DEQUEUE(&ifq, m);
    assert(m == NULL && ifq.ifq_len == 0);
}

static void test_software_interrupts(void) {
    interrupts = 0;
    schednetisr(NETISR_USER);
    schednetisr(NETISR_USER);
    bsd_settle();
    assert(interrupts == 1 && netisr == 0);
    bsd_settle();
    assert(interrupts == 1);
}

static int changes;
static void on_change(int command, struct rtentry *rt, struct sockaddr *sa) { (void)rt, (void)sa, changes += command; }

static void test_routes(void) {
    struct route ro = {.ro_dst = {16, FAMILY, {10, 0, 1, 77}}};
    rtalloc(&ro);
    assert(ro.ro_rt == NULL && rtstat.rts_unreach == 1);
    addresses[0].ifa.ifa_rtrequest = on_change;
    assert(rtinit(&addresses[0].ifa, RTM_ADD, RTF_UP) == 0 && changes == RTM_ADD);
    assert(rtinit(&addresses[0].ifa, RTM_ADD, RTF_UP) == EEXIST);
    rtalloc(&ro);
    assert(ro.ro_rt && ro.ro_rt->rt_ifp == &net[0] && ro.ro_rt->rt_refcnt == 1 && !(ro.ro_rt->rt_flags & RTF_GATEWAY));
    /* A host route is preferred to the network's. */
    struct sockaddr host_ = ro.ro_dst, gateway = {16, FAMILY, {10, 0, 1, 9}};
    assert(rtrequest(RTM_ADD, &host_, &gateway, NULL, RTF_UP | RTF_HOST | RTF_GATEWAY, NULL) == 0);
    struct rtentry *rt = rtalloc1(&host_, 0);
    assert(rt && rt->rt_flags & RTF_GATEWAY && rt_key(rt)->sa_data[3] == 77 && rt->rt_gateway->sa_data[3] == 9);
    rtfree(rt);
    assert(rtrequest(RTM_DELETE, &host_, NULL, NULL, RTF_HOST, NULL) == 0);
    assert(rtrequest(RTM_DELETE, &host_, NULL, NULL, RTF_HOST, NULL) == ESRCH);
    /* A deleted route lives until its last user frees it. */
    assert(rtinit(&addresses[0].ifa, RTM_DELETE, 0) == 0);
    assert(!(ro.ro_rt->rt_flags & RTF_UP) && ro.ro_rt->rt_refcnt == 1);
    RTFREE(ro.ro_rt);
    ro.ro_rt = NULL;
    rtalloc(&ro);
    assert(ro.ro_rt == NULL && addresses[0].ifa.ifa_refcnt == 0);
    struct sockaddr nowhere = {16, FAMILY, {44, 0, 0, 1}};
    assert(rtrequest(RTM_ADD, &host_, &nowhere, NULL, RTF_HOST | RTF_GATEWAY, NULL) == ENETUNREACH);
}

static void test_cloning_routes(void) {
    struct sockaddr key = {16, FAMILY, {10, 0, 1, 0}}, to = {16, FAMILY, {10, 0, 1, 5}};
    struct rtentry *rt = NULL;
    assert(rtrequest(RTM_ADD, &key, &addresses[0].local, &addresses[0].mask, RTF_UP | RTF_CLONING, &rt) == 0);
    RTFREE(rt);
    rt = rtalloc1(&to, 1);
    assert(rt && rt->rt_flags & RTF_HOST && !(rt->rt_flags & RTF_CLONING) && rt_key(rt)->sa_data[3] == 5);
    struct rtentry *again = rtalloc1(&to, 1);
    assert(again == rt && rt->rt_refcnt == 2);
    RTFREE(again);
    RTFREE(rt);
    assert(rtrequest(RTM_DELETE, &to, NULL, NULL, RTF_HOST, NULL) == 0);
    assert(rtrequest(RTM_DELETE, &key, NULL, &addresses[0].mask, 0, NULL) == 0);
}

int main(void) {
    begin();
    RUN(interfaces);
    RUN(addresses);
    RUN(queues_of_packets);
    RUN(software_interrupts);
    RUN(routes);
    RUN(cloning_routes);
    finish();
    return 0;
}
