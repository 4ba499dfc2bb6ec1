/* Operations on chains of mbufs of 4.4BSD. */
#include "tests/bsd_mbufs.h"

static void test_copydata_and_copyback(void) {
    begin();
    char bytes[300];
    struct mbuf *m = chain((int[]){100, 100, 100}, 3, false);
    m_copydata(m, 50, 240, bytes);
    for (int i = 0; i < 240; i++)
        assert(bytes[i] == (char)(50 + i));
    memset(bytes, 9, sizeof bytes);
    m_copyback(m, 290, 300, bytes);
    assert(total(m) == 590 && m->m_pkthdr.len == 590);
    m_copydata(m, 289, 2, bytes);
    assert(bytes[0] == (char)289 && bytes[1] == 9);
    m_copyback(m, 1000, 1, bytes); /* zeros fill the gap */
    assert(m->m_pkthdr.len == 1001);
    m_copydata(m, 999, 1, bytes);
    assert(bytes[0] == 0);
    m_freem(m);
    end();
}

static void test_cat_joins(void) {
    begin();
    struct mbuf *m = chain((int[]){10}, 1, false), *n = chain((int[]){20, 180}, 2, false);
    m_cat(m, n);
    assert(m->m_len == 30 && total(m) == 210 && m->m_next && m->m_next->m_len == 180);
    struct mbuf *far = chain((int[]){900}, 1, true);
    m_cat(m, far);
    assert(total(m) == 1110);
    m_freem(m);
    end();
}

static void test_adj_trims_both_ends(void) {
    begin();
    struct mbuf *m = chain((int[]){100, 100, 100}, 3, false);
    m_adj(m, 120);
    check(m, 120, 180);
    assert(m->m_pkthdr.len == 180);
    m_adj(m, -90);
    check(m, 120, 90);
    assert(m->m_pkthdr.len == 90);
    m_adj(m, -500);
    assert(total(m) == 0 && m->m_pkthdr.len == 0);
    m_freem(m);
    m = chain((int[]){10, 20}, 2, false);
    m_adj(m, 500);
    assert(total(m) == 0 && m->m_pkthdr.len == 0);
    m_freem(m);
    m_adj(NULL, 5);
    end();
}

static void test_pullup_makes_headers_contiguous(void) {
    begin();
    struct mbuf *m = m_pullup(chain((int[]){10, 10, 100}, 3, false), 40);
    check(m, 0, 120);
    assert(m->m_len >= 40 && m->m_pkthdr.len == 120 && dtom(m->m_data) == m);
    struct mbuf *same = m_pullup(m, 30);
    assert(same == m);
    m_freem(m);
    /* External storage is always copied: dtom must work afterwards. */
    m = m_pullup(chain((int[]){500}, 1, true), 20);
    assert(!(m->m_flags & M_EXT) && m->m_len >= 20 && dtom(m->m_data) == m);
    check(m, 0, 500);
    m_freem(m);
    assert(m_pullup(chain((int[]){10, 10}, 2, false), 21) == NULL);
    assert(m_pullup(chain((int[]){10, 900}, 2, false), (int)MHLEN + 1) == NULL);
    end();
}

static void test_split_divides(void) {
    for (int keep = 0; keep <= 900; keep += 50) {
        begin();
        struct mbuf *m = chain((int[]){100, 700, 100}, 3, false), *tail = m_split(m, keep, M_DONTWAIT);
        assert(tail && m->m_pkthdr.len == keep && tail->m_pkthdr.len == 900 - keep);
        check(m, 0, keep);
        check(tail, keep, 900 - keep);
        m_freem(m);
        check(tail, keep, 900 - keep);
        assert(m_split(tail, 901, M_DONTWAIT) == NULL);
        m_freem(tail);
        end();
    }
}

static void test_devget_copies_a_frame(void) {
    begin();
    char frame[1500];
    fill(frame, sizeof frame, 0);
    for (int length = 1; length <= 1500; length += 83) {
        struct mbuf *m = m_devget(frame, length, 0, NULL, NULL);
        check(m, 0, length);
        assert(m->m_pkthdr.len == length && m->m_flags & M_PKTHDR);
        assert(length > 100 || M_LEADINGSPACE(m) >= max_linkhdr);
        m_freem(m);
    }
    end();
}

int main(void) {
    RUN(copydata_and_copyback);
    RUN(cat_joins);
    RUN(adj_trims_both_ends);
    RUN(pullup_makes_headers_contiguous);
    RUN(split_divides);
    RUN(devget_copies_a_frame);
    return 0;
}
