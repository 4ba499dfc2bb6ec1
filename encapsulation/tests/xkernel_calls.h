/* Connections of the test protocols. */
#ifndef NACRE_TESTS_XKERNEL_CALLS_H
#define NACRE_TESTS_XKERNEL_CALLS_H

#include "tests/xkernel_hosts.h"

static inline t_uscalar_t number_of(struct end end) {
    struct T_capability_req ask = {T_CAPABILITY_REQ, TC1_ACCEPTOR_ID};
    str_enter(end.host);
    mblk_t *message = bytes(&ask, sizeof ask);
    message->b_datap->db_type = M_PCPROTO;
    assert(SEND(end, message) == 0);
    mblk_t *answer = next(end);
    assert(answer && tpi_type(answer) == T_CAPABILITY_ACK);
    t_uscalar_t number = ((struct T_capability_ack *)(void *)answer->b_rptr)->ACCEPTOR_id;
    freemsg(answer);
    return number;
}

/* Connects; the acknowledgement and the confirmation are taken. */
static inline void call(struct end end, int side, unsigned service) {
    struct name to = named(side, service);
    assert(SEND(end, tpi_conn_req(&to, sizeof to, NULL)) == 0);
    assert(next_type(end) == T_OK_ACK && next_type(end) == T_CONN_CON);
}

/* The sequence number of an offered connection, or 0. */
static inline t_scalar_t offered(struct end listener) {
    mblk_t *message = next(listener);
    t_scalar_t sequence = 0;
    if (message && tpi_type(message) == T_CONN_IND)
        sequence = ((struct T_conn_ind *)(void *)message->b_rptr)->SEQ_number;
    if (message)
        freemsg(message);
    return sequence;
}

static inline struct end accepted(struct end listener, int side) {
    struct end end = opened(side, "x.rr");
    t_scalar_t sequence = offered(listener);
    assert(sequence);
    t_uscalar_t number = number_of(end);
    assert(SEND(listener, tpi_conn_res(number, sequence, NULL)) == 0 && next_type(listener) == T_OK_ACK);
    return end;
}

static inline void request(struct end end, const void *data, size_t count) {
    str_enter(end.host);
    assert(SEND(end, tpi_data_req(false, bytes(data, count))) == 0);
}

#endif
