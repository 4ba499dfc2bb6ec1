/* mbufs of 4.4BSD over data blocks of STREAMS. */
#include "tests/bsd_mbufs.h"

static void test_mbufs_are_aligned(void) {
    begin();
    struct mbuf *many[600];
    for (int i = 0; i < 600; i++) {
        many[i] = m_get(M_DONTWAIT, MT_DATA);
        assert((uintptr_t)many[i] % MSIZE == 0 && many[i]->m_next == NULL && many[i]->m_nextpkt == NULL);
        assert(dtom(many[i]->m_dat + MLEN - 1) == many[i] && many[i]->m_data == many[i]->m_dat);
    }
    assert(bsd_mbufs_live() == 600);
    for (int i = 0; i < 600; i++)
        assert(m_free(many[i]) == NULL);
    end();
}

static void test_getclr_clears(void) {
    begin();
    struct mbuf *m = m_get(M_DONTWAIT, MT_DATA);
    memset(m->m_dat, 7, MLEN);
    m_free(m);
    m = m_getclr(M_DONTWAIT, MT_SONAME);
    for (size_t i = 0; i < MLEN; i++)
        assert(m->m_dat[i] == 0);
    assert(m->m_type == MT_SONAME && m->m_len == 0);
    m_free(m);
    end();
}

static void test_space_before_and_behind(void) {
    begin();
    struct mbuf *m = m_gethdr(M_DONTWAIT, MT_DATA);
    assert(M_LEADINGSPACE(m) == 0 && M_TRAILINGSPACE(m) == (int)MHLEN);
    MH_ALIGN(m, 20);
    m->m_len = 20;
    assert(M_LEADINGSPACE(m) >= (int)MHLEN - 28 && M_TRAILINGSPACE(m) < 8 && (uintptr_t)m->m_data % sizeof(long) == 0);
    struct mbuf *first = m;
    m->m_pkthdr.len = 20;
    M_PREPEND(m, 8, M_DONTWAIT);
    assert(m == first && m->m_len == 28 && m->m_pkthdr.len == 28);
    m_freem(m);
    m = m_get(M_DONTWAIT, MT_DATA);
    M_ALIGN(m, 16);
    assert((uintptr_t)m->m_data % sizeof(long) == 0 && M_TRAILINGSPACE(m) >= 16 && M_TRAILINGSPACE(m) < 24);
    MCLGET(m, M_DONTWAIT);
    assert(m->m_flags & M_EXT && M_TRAILINGSPACE(m) >= MCLBYTES);
    m_free(m);
    end();
}

static void test_prepend_adds_an_mbuf(void) {
    begin();
    struct mbuf *m = chain((int[]){100}, 1, false);
    struct mbuf *old = m;
    m->m_pkthdr.rcvif = (struct ifnet *)&host;
    M_PREPEND(m, 14, M_DONTWAIT);
    assert(m != old && m->m_next == old && m->m_len == 14 && m->m_pkthdr.len == 114);
    assert(m->m_flags & M_PKTHDR && !(old->m_flags & M_PKTHDR) && m->m_pkthdr.rcvif == (struct ifnet *)&host);
    m = m_prepend(m, (int)MHLEN + 1, M_DONTWAIT);
    assert(m == NULL);
    end();
}

static void test_copym_shares_storage(void) {
    begin();
    struct mbuf *m = chain((int[]){100, 700, 50}, 3, false);
    struct mbuf *all = m_copym(m, 0, M_COPYALL, M_DONTWAIT), *part = m_copym(m, 90, 200, M_DONTWAIT);
    check(all, 0, 850);
    check(part, 90, 200);
    assert(all->m_flags & M_PKTHDR && all->m_pkthdr.len == 850 && !(part->m_flags & M_PKTHDR));
    assert(all->m_next->m_data == m->m_next->m_data && part->m_next->m_data == m->m_next->m_data);
    /* Shared storage must not be written around the data. */
    assert(M_TRAILINGSPACE(m->m_next) == 0 && M_LEADINGSPACE(part->m_next) == 0);
    m_freem(m);
    check(all, 0, 850);
    m_freem(part);
    assert(M_TRAILINGSPACE(all->m_next) > 0);
    struct mbuf *head = m_copy(all, 0, 120);
    assert(head->m_pkthdr.len == 120);
    m_freem(head);
    m_freem(all);
    end();
}

static int freed;
static void free_storage(caddr_t at, u_int size) { freed += at != NULL && size == 512; }

static void test_storage_of_the_protocol_is_freed_by_it(void) {
    static char storage[512];
    begin();
    freed = 0;
    struct mbuf *m = m_gethdr(M_DONTWAIT, MT_DATA);
    m->m_ext.ext_buf = m->m_data = storage;
    m->m_ext.ext_size = sizeof storage;
    m->m_ext.ext_free = free_storage;
    m->m_flags |= M_EXT;
    m->m_len = m->m_pkthdr.len = 300;
    struct mbuf *copy = m_copym(m, 0, M_COPYALL, M_DONTWAIT);
    assert(copy->m_data != m->m_data && total(copy) == 300);
    m_freem(copy);
    assert(freed == 0);
    mblk_t *message = bsd_message_of(m);
    assert(message->b_rptr == (unsigned char *)storage && bsd_crossings.lent == 1);
    str_freemsg(message);
    assert(freed == 1);
    end();
}

static mblk_t *block(size_t room, size_t offset, size_t length, unsigned from) {
    mblk_t *it = str_allocb(room, BPRI_MED);
    assert(it);
    it->b_rptr += offset;
    it->b_wptr = it->b_rptr + length;
    fill((char *)it->b_rptr, length, from);
    return it;
}

static void test_blocks_become_mbufs_without_copying(void) {
    begin();
    mblk_t *message = block(2000, 100, 1000, 0);
    message->b_cont = block(500, 0, 500, 1000);
    unsigned char *data = message->b_rptr, *more = message->b_cont->b_rptr;
    struct mbuf *m = bsd_mbufs_of(message);
    assert(m->m_data == (caddr_t)data && m->m_next->m_data == (caddr_t)more && m->m_pkthdr.len == 1500);
    check(m, 0, 1500);
    /* The room before the data is ours as long as nobody else has the block. */
    struct mbuf *first = m;
    M_PREPEND(m, 14, M_DONTWAIT);
    assert(m == first && m->m_data == (caddr_t)data - 14);
    m_adj(m, 14);
    mblk_t *back = bsd_message_of(m);
    assert(back->b_rptr == data && back->b_cont->b_rptr == more);
    assert(bsd_crossings.lent == 0 && bsd_crossings.copied == 0);
    assert(bsd_mbufs_live() == 0);
    str_freemsg(back);
    end();
}

static void test_mbufs_become_blocks_without_copying(void) {
    begin();
    struct mbuf *m = chain((int[]){20, 1000, 0, 30}, 4, false);
    caddr_t head = m->m_data, body = m->m_next->m_data;
    mblk_t *message = bsd_message_of(m);
    assert(message->b_rptr == (unsigned char *)head && message->b_cont->b_rptr == (unsigned char *)body);
    assert(str_msgdsize(message) == 1050 && bsd_crossings.lent == 2);
    assert(message->b_cont->b_cont->b_cont == NULL); /* the empty one is gone */
    str_freemsg(message);
    assert(bsd_crossings.lent == 0);
    end();
}

static void test_headers_of_shared_blocks_are_copied(void) {
    begin();
    mblk_t *message = block(1000, 0, 1000, 0), *other = str_dupb(message);
    struct mbuf *m = bsd_own_mbufs_of(message);
    check(m, 0, 1000);
    assert(m->m_data != (caddr_t)other->b_rptr && m->m_len == (int)MHLEN && m->m_pkthdr.len == 1000);
    assert(bsd_crossings.copied == MHLEN && m->m_next->m_data == (caddr_t)other->b_rptr + MHLEN);
    *m->m_data = 99;
    assert(*other->b_rptr == 0);
    m_freem(m);
    str_freeb(other);
    /* A block that nobody else has is not copied. */
    m = bsd_own_mbufs_of(block(10, 0, 10, 0));
    assert(bsd_crossings.copied == MHLEN && m->m_flags & M_EXT);
    m_freem(m);
    end();
}

static void test_the_limit_of_mbufs(void) {
    begin();
    struct mbuf *held = NULL;
    bsd_mbufs_limit(100);
    for (int i = 0; i < 100; i++) {
        struct mbuf *m = m_get(M_DONTWAIT, MT_DATA);
        assert(m);
        m->m_next = held;
        held = m;
    }
    assert(m_get(M_DONTWAIT, MT_DATA) == NULL && m_gethdr(M_DONTWAIT, MT_DATA) == NULL);
    assert(mbstat.m_drops == 2);
    struct mbuf *m = m_get(M_WAIT, MT_DATA); /* of the reserve */
    assert(m && m_copym(held, 0, M_COPYALL, M_DONTWAIT) == NULL);
    mblk_t *message = block(10, 0, 10, 0);
    assert(bsd_mbufs_of(message) == NULL); /* freed */
    m_free(m);
    m_freem(held);
    bsd_mbufs_limit(16384);
    end();
}

/* Each runs alone in an instance that it ends; the tests come last. */
static void dtom_of_cluster(void *argument) { (void)dtom(((struct mbuf *)argument)->m_data); }
static void copy_too_much(void *argument) { (void)m_copym(argument, 0, 10000, M_DONTWAIT); }

static void test_dtom_of_a_cluster_ends_the_instance(void) {
    begin();
    struct mbuf *m = chain((int[]){100}, 1, true);
    assert(!capsule_run(dtom_of_cluster, m) && strstr(panicked, "dtom"));
    m_freem(m);
    assert(!capsule_run(copy_too_much, NULL)); /* nothing runs any more */
    end();
}

int main(void) {
    RUN(mbufs_are_aligned);
    RUN(getclr_clears);
    RUN(space_before_and_behind);
    RUN(prepend_adds_an_mbuf);
    RUN(copym_shares_storage);
    RUN(storage_of_the_protocol_is_freed_by_it);
    RUN(blocks_become_mbufs_without_copying);
    RUN(mbufs_become_blocks_without_copying);
    RUN(headers_of_shared_blocks_are_copied);
    RUN(the_limit_of_mbufs);
    RUN(dtom_of_a_cluster_ends_the_instance);
    return 0;
}
