/* mbufs of SunOS 4 over data blocks of STREAMS. */
#include "tests/bsd_mbufs.h"

/* The headers of the C library that declare them have names of the kernel, too. */
pid_t fork(void);
pid_t waitpid(pid_t process, int *status, int options);
_Noreturn void _exit(int status);

static void test_data_begins_at_an_offset(void) {
    begin();
    struct mbuf *many[300];
    for (int i = 0; i < 300; i++) {
        struct mbuf *m = many[i] = m_get(M_DONTWAIT, MT_DATA);
        assert((uintptr_t)m % MSIZE == 0 && m->m_off == MMINOFF && m->m_type == MT_DATA);
        assert(m->m_next == NULL && m->m_act == NULL && !M_HASCL(m));
        assert(mtod(m, u_char *) == m->m_dat && dtom(m->m_dat + MLEN - 1) == m);
        assert((char *)m + MMAXOFF == (char *)(m->m_dat + MLEN));
    }
    for (int i = 0; i < 300; i++)
        assert(m_free(many[i]) == NULL);
    end();
}

static void test_getclr_clears(void) {
    begin();
    struct mbuf *m, *n;
    MGET(m, M_DONTWAIT, MT_PCB)
    memset(m->m_dat, 7, MLEN);
    m->m_off += 10;
    MFREE(m, n)
    assert(n == NULL);
    m = m_getclr(M_DONTWAIT, MT_SONAME);
    for (int i = 0; i < MLEN; i++)
        assert(m->m_dat[i] == 0);
    assert(m->m_off == MMINOFF && m->m_type == MT_SONAME);
    m_free(m);
    end();
}

static void test_clusters(void) {
    begin();
    struct mbuf *m = m_get(M_DONTWAIT, MT_DATA), *other = m_get(M_WAIT, MT_DATA);
    MCLGET(m)
    MCLGET(other, M_WAIT)
    assert(M_HASCL(m) && M_HASCL(other) && m->m_len == MCLBYTES && other->m_len == MCLBYTES);
    assert(m->m_off > MMAXOFF && m->m_cltype == MCL_STATIC);
    memset(mtod(m, caddr_t), 1, MCLBYTES);
    memset(mtod(other, caddr_t), 2, MCLBYTES);
    assert(*mtod(m, caddr_t) == 1 && mtod(m, caddr_t)[MCLBYTES - 1] == 1);
    m->m_next = other;
    m_freem(m);
    end();
}

static void test_copies_share_clusters(void) {
    begin();
    struct mbuf *m = chain((int[]){100, 700, 50}, 3, false);
    struct mbuf *all = m_copy(m, 0, M_COPYALL), *part = m_copy(m, 90, 200), *empty = m_copy(m, 850, M_COPYALL);
    check(all, 0, 850);
    check(part, 90, 200);
    assert(empty == NULL && m_copy(m, 10, 0) == NULL);
    assert(mtod(all, caddr_t) != mtod(m, caddr_t)); /* data within is copied */
    assert(mtod(all->m_next, caddr_t) == mtod(m->m_next, caddr_t));
    assert(mtod(part->m_next, caddr_t) == mtod(m->m_next, caddr_t));
    m_freem(m);
    check(all, 0, 850);
    m_freem(part);
    m_freem(all);
    end();
}

static void test_data_is_copied_out(void) {
    begin();
    struct mbuf *m = chain((int[]){10, 0, 500, 30}, 4, false);
    char buffer[600] = {0};
    m_copydata(m, 5, 520, buffer);
    for (int i = 0; i < 520; i++)
        assert(buffer[i] == (char)(5 + i));
    assert(m_cpytoc(m, 530, 20, buffer) == 10 && buffer[9] == (char)539);
    assert(m_cpytoc(m, 540, 7, buffer) == 7 && m_cpytoc(m, 0, 540, buffer) == 0 && buffer[539] == (char)539);
    m_freem(m);
    end();
}

static void test_chains_are_joined(void) {
    begin();
    struct mbuf *m = chain((int[]){20}, 1, false), *n = chain((int[]){30}, 1, false);
    fill(mtod(n, char *), 30, 20);
    m_cat(m, n);
    assert(m->m_next == NULL && m->m_len == 50); /* it has room */
    check(m, 0, 50);
    n = chain((int[]){MLEN - 40}, 1, false);
    m_cat(m, n);
    assert(m->m_next == n);
    m_freem(m);
    m = chain((int[]){20}, 1, true);
    n = chain((int[]){10}, 1, false);
    m_cat(m, n);
    assert(m->m_next == n && m->m_len == 20); /* nothing is written behind a cluster's data */
    m_freem(m);
    end();
}

static void test_chains_are_trimmed(void) {
    begin();
    struct mbuf *m = chain((int[]){20, 300, 40}, 3, false);
    unsigned long off = m->m_next->m_off;
    m_adj(m, 30);
    assert(m->m_len == 0 && m->m_next->m_len == 290 && m->m_next->m_off == off + 10);
    check(m, 30, 330);
    m_adj(m, -50);
    assert(m->m_next->m_next->m_len == 0);
    check(m, 30, 280);
    m_adj(m, -10000);
    assert(total(m) == 0);
    m_freem(m);
    m_adj(NULL, 3);
    end();
}

static void test_pullup_moves_data_into_an_mbuf(void) {
    begin();
    struct mbuf *m = m_pullup(chain((int[]){4, 4, 600}, 3, false), 20);
    assert(m && !M_HASCL(m) && m->m_len == 20 + MPULL_EXTRA && dtom(mtod(m, caddr_t) + 19) == m);
    check(m, 0, 608);
    m_freem(m);
    m = chain((int[]){300}, 1, true); /* alone, but outside */
    assert(M_HASCL(m) && (m = m_pullup(m, 30)) && !M_HASCL(m) && M_HASCL(m->m_next));
    check(m, 0, 300);
    m_freem(m);
    m = chain((int[]){50, 50}, 2, false);
    struct mbuf *same = m;
    assert((m = m_pullup(m, 60)) == same && m->m_len == 92 && m->m_next->m_len == 8); /* MPULL_EXTRA more */
    check(m, 0, 100);
    m_freem(m);
    assert(m_pullup(chain((int[]){10, 10}, 2, false), 21) == NULL);
    assert(m_pullup(chain((int[]){200, 200}, 2, false), MLEN + 1) == NULL);
    assert(m_pullup(chain((int[]){10}, 1, false), -1) == NULL);
    m = chain((int[]){100}, 1, false);
    m->m_off = MMAXOFF - 100; /* no room behind */
    fill(mtod(m, char *), 100, 0);
    m->m_next = chain((int[]){20}, 1, false);
    fill(mtod(m->m_next, char *), 20, 100);
    assert((m = m_pullup(m, 110)) && m->m_len >= 110);
    check(m, 0, 120);
    m_freem(m);
    end();
}

static long released;
static int release(long argument) {
    released += argument;
    return 0;
}

static void test_lent_storage_is_given_back(void) {
    static char below[500];
    char above[500];
    begin();
    released = 0;
    struct mbuf *m = mclgetx((int (*)())release, 1, below, sizeof below, M_DONTWAIT);
    struct mbuf *n = mclgetx((int (*)())release, 10, above, sizeof above, M_WAIT);
    assert(M_HASCL(m) && M_HASCL(n) && mtod(m, char *) == below && mtod(n, char *) == above);
    assert(m->m_cltype == MCL_LOANED && m->m_clarg == 1 && m->m_len == 500);
    m_adj(m, 20);
    assert(mtod(m, char *) == below + 20);
    m_free(m);
    assert(released == 1);
    /* Copies share it; the owner gets it back after the last one. */
    struct mbuf *copy = m_copy(n, 100, 300), *again = m_copy(copy, 0, M_COPYALL);
    assert(mtod(copy, char *) == above + 100 && mtod(again, char *) == above + 100);
    m_free(n);
    m_free(copy);
    assert(released == 1 && bsd_crossings.lent == 1);
    m_free(again);
    assert(released == 11);
    /* Storage can be released before the mbuf. */
    m = mclgetx((int (*)())release, 100, below, sizeof below, M_DONTWAIT);
    n = chain((int[]){600}, 1, true);
    mclput(m);
    mclput(n);
    assert(released == 111 && !M_HASCL(m) && !M_HASCL(n));
    m_free(m);
    m_free(n);
    assert(released == 111);
    end();
}

static void test_lent_storage_crosses_without_copying(void) {
    static char storage[500];
    begin();
    released = 0;
    struct mbuf *m = mclgetx((int (*)())release, 1, storage, sizeof storage, M_DONTWAIT), *copy;
    mblk_t *message = bsd_message_of(m);
    assert(message->b_rptr == (unsigned char *)storage && bsd_crossings.lent == 1);
    str_freemsg(message);
    assert(released == 1);
    m = mclgetx((int (*)())release, 1, storage, sizeof storage, M_DONTWAIT);
    copy = m_copy(m, 0, M_COPYALL);
    message = bsd_message_of(copy);
    assert(message->b_rptr == (unsigned char *)storage);
    m_free(m);
    assert(released == 1 && bsd_crossings.lent == 1);
    str_freemsg(message);
    assert(released == 2);
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
    message->b_cont = block(60000, 0, 50000, 1000);
    unsigned char *data = message->b_rptr, *more = message->b_cont->b_rptr;
    struct mbuf *m = bsd_mbufs_of(message);
    assert(mtod(m, unsigned char *) == data && mtod(m->m_next, unsigned char *) == more && M_HASCL(m));
    assert(m->m_next->m_len == 50000);
    check(m, 0, 51000);
    m_adj(m, 14);
    mblk_t *back = bsd_message_of(m);
    assert(back->b_rptr == data + 14 && back->b_cont->b_rptr == more);
    assert(bsd_crossings.lent == 0 && bsd_crossings.copied == 0 && bsd_mbufs_live() == 0);
    str_freemsg(back);
    end();
}

static void test_mbufs_become_blocks_without_copying(void) {
    begin();
    struct mbuf *m = chain((int[]){20, 1000, 0, 30}, 4, false);
    caddr_t head = mtod(m, caddr_t), body = mtod(m->m_next, caddr_t);
    mblk_t *message = bsd_message_of(m);
    assert(message->b_rptr == (unsigned char *)head && message->b_cont->b_rptr == (unsigned char *)body);
    assert(str_msgdsize(message) == 1050 && bsd_crossings.lent == 2);
    assert(message->b_cont->b_cont->b_cont == NULL); /* the empty one is gone */
    str_freemsg(message);
    assert(bsd_crossings.lent == 0 && bsd_crossings.copied == 0);
    end();
}

static void test_headers_of_shared_blocks_are_copied(void) {
    begin();
    mblk_t *message = block(1000, 0, 1000, 0), *other = str_dupb(message);
    struct mbuf *m = bsd_own_mbufs_of(message);
    check(m, 0, 1000);
    assert(!M_HASCL(m) && m->m_len == MLEN && bsd_crossings.copied == MLEN);
    assert(mtod(m->m_next, unsigned char *) == other->b_rptr + MLEN);
    *mtod(m, char *) = 99;
    assert(*other->b_rptr == 0);
    m_freem(m);
    str_freeb(other);
    m = bsd_own_mbufs_of(block(10, 0, 10, 0)); /* nobody else has it */
    assert(bsd_crossings.copied == MLEN && M_HASCL(m));
    m_freem(m);
    end();
}

static void test_packets_in_queues_begin_with_their_interface(void) {
    begin();
    struct ifnet interface = {.if_unit = 3}, *ifp = NULL;
    struct ifqueue queue = {.ifq_maxlen = 2};
    struct mbuf *m, *packets[3];
    for (int i = 0; i < 3; i++) {
        packets[i] = chain((int[]){30 + i, 600}, 2, false);
        m = bsd_received(packets[i], &interface);
        assert(total(m) == 630 + i + (int)sizeof ifp);
        if (i < 2)
            IF_ENQUEUE(&queue, m)
        else
            IF_PREPEND(&queue, m)
    }
    assert(IF_QFULL(&queue) && queue.ifq_len == 3);
    IF_DEQUEUEIF(&queue, m, ifp)
    assert(m == packets[2] && ifp == &interface && m->m_act == NULL);
    check(m, 0, 632);
    m_freem(m);
    IF_DEQUEUE(&queue, m)
    IF_ADJ(m)
    assert(m == packets[0]);
    m_freem(m);
    IF_DEQUEUEIF(&queue, m, ifp)
    assert(m == packets[1]);
    m_freem(m);
    IF_DEQUEUE(&queue, m)
    assert(m == NULL && queue.ifq_tail == NULL);
    end();
}

static void test_room_in_front(void) {
    begin();
    struct mbuf *m = chain((int[]){100}, 1, false), *old = m;
    M_PREPEND(m, 14, M_DONTWAIT);
    assert(m != old && m->m_next == old && m->m_len == 14 && m->m_off % sizeof(long) == 0 && m->m_off + 14 <= MMAXOFF);
    old = m;
    M_PREPEND(m, 20, M_DONTWAIT);
    assert(m == old && m->m_len == 34);
    fill(mtod(m, char *), 34, 0);
    fill(mtod(m->m_next, char *), 100, 34);
    check(m, 0, 134);
    assert(m->m_off + 34 <= MMAXOFF && m->m_off >= MMAXOFF - 34 - sizeof(long));
    M_PREPEND(m, MLEN + 1, M_DONTWAIT);
    assert(m == NULL);
    m = chain((int[]){100}, 1, true);
    old = m;
    M_PREPEND(m, 8, M_DONTWAIT);
    assert(m != old); /* a cluster may be shared */
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
        m->m_len = 10;
        m->m_next = held;
        held = m;
    }
    assert(m_get(M_DONTWAIT, MT_DATA) == NULL && mbstat.m_drops == 1);
    assert(m_copy(held, 0, M_COPYALL) == NULL);
    struct mbuf *m = m_get(M_WAIT, MT_DATA); /* of the reserve */
    assert(m);
    assert(bsd_mbufs_of(block(10, 0, 10, 0)) == NULL); /* freed */
    m_free(m);
    m_freem(held);
    bsd_mbufs_limit(16384);
    end();
}

static void dtom_of_cluster(void *argument) { (void)dtom(mtod((struct mbuf *)argument, caddr_t)); }
static void copy_too_much(void *argument) { (void)m_copy(argument, 0, 10000); }
static void free_twice(void *argument) { (void)m_free(argument), (void)m_free(argument); }
static void free_strange_storage(void *argument) {
    struct mbuf *m = m_get(M_DONTWAIT, MT_DATA);
    (void)argument;
    m->m_off = MSIZE;
    m->m_cltype = 7;
    (void)m_free(m);
}

/* An instance that has failed stays so: each is a process of its own. */
static bool ends(void (*work)(void *), const char *why) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        begin();
        struct mbuf *m = chain((int[]){100}, 1, true);
        bool is_ended = !capsule_run(work, m) && strstr(panicked, why) && !capsule_run(work, m);
        _exit(is_ended ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

static void test_errors_end_the_instance(void) {
    assert(ends(dtom_of_cluster, "dtom"));
    assert(ends(copy_too_much, "m_copy"));
    assert(ends(free_twice, "m_free"));
    assert(ends(free_strange_storage, "m_free"));
}

int main(void) {
    RUN(data_begins_at_an_offset);
    RUN(getclr_clears);
    RUN(clusters);
    RUN(copies_share_clusters);
    RUN(data_is_copied_out);
    RUN(chains_are_joined);
    RUN(chains_are_trimmed);
    RUN(pullup_moves_data_into_an_mbuf);
    RUN(lent_storage_is_given_back);
    RUN(lent_storage_crosses_without_copying);
    RUN(blocks_become_mbufs_without_copying);
    RUN(mbufs_become_blocks_without_copying);
    RUN(headers_of_shared_blocks_are_copied);
    RUN(packets_in_queues_begin_with_their_interface);
    RUN(room_in_front);
    RUN(the_limit_of_mbufs);
    RUN(errors_end_the_instance);
    return 0;
}
