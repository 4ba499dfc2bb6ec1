/* DDP of STREAMS: binding, errors, datagrams, headers on the wire, flow control, flushing. */
#include "appletalk_datagrams.h"

static const struct graph *const native[2] = {&graph_native, &graph_native};

static void test_binding_is_checked(void)
{
    struct network network;
    struct side *side = &network.side[0];
    struct str_stream *one, *two;
    mblk_t *mp;
    network_open(&network, native, 1, 1);
    one = datagrams(side, 140, 9);
    assert(error_of(answer_to(side, one, bind_to(141, 9))) == TOUTSTATE);
    assert(graph_native.open_ddp(&side->node, &two) == 0);
    assert(error_of(answer_to(side, two, bind_to(140, 9))) == TADDRBUSY);
    assert(error_of(answer_to(side, two, bind_to(DDP_EVERY_SOCKET, 0))) == TBADADDR);
    assert(error_of(answer_to(side, two, tpi_bind_req("short", 5, 0))) == TBADADDR);
    assert(error_of(answer_to(side, two, of(T_UNBIND_REQ))) == TOUTSTATE);
    assert(error_of(answer_to(side, two, of(T_ORDREL_REQ))) == TNOTSUPPORT);
    mp = answer_to(side, one, of(T_UNBIND_REQ));
    while (mp->b_datap->db_type != M_PCPROTO && mp->b_datap->db_type != M_PROTO) {
        freemsg(mp);
        assert(str_receive(one, &mp) == 0);
    }
    assert(tpi_type(mp) == T_OK_ACK);
    freemsg(mp);
    assert(graph_bind(&side->node, two, 140, 9) == 140);
    mp = answer_to(side, two, of(T_INFO_REQ));
    assert(tpi_type(mp) == T_INFO_ACK && ((struct T_info_ack *)mp->b_rptr)->CURRENT_state == TS_IDLE);
    assert(((struct T_info_ack *)mp->b_rptr)->TSDU_size == AT_DDP_DATA);
    freemsg(mp);
    str_close(one);
    str_close(two);
    network_close(&network);
}

static void test_malformed_requests_are_dropped_or_refused(void)
{
    struct network network;
    struct side *side = &network.side[0];
    struct str_stream *stream, *atp;
    network_open(&network, native, 1, 1);
    stream = datagrams(side, 140, 9);
    atp = endpoint(side, 0, NULL);
    for (int type = -2; type < 40; type++)
        for (size_t count = 0; count <= 40; count += 4)
            for (int which = 0; which < 2; which++) {
                mblk_t *mp = allocb(40, BPRI_MED);
                t_scalar_t words[10] = {type, 16, (t_scalar_t)count * 3, 1 << 30, -1, 7};
                if (type == T_UNBIND_REQ || type == T_CONN_REQ + 100)
                    words[0] = -1;
                mp->b_datap->db_type = M_PROTO;
                memcpy(mp->b_wptr, words, count);
                mp->b_wptr += count;
                if (str_send(which ? atp : stream, mp) != 0)
                    freemsg(mp);
                str_run(side->node.host);
                while (str_receive(which ? atp : stream, &mp) == 0)
                    freemsg(mp);
            }
    str_close(stream);
    str_close(atp);
    network_close(&network);
}

static void test_datagrams_in_both_forms_of_the_header(void)
{
    for (int is_short = 0; is_short < 2; is_short++) {
        struct network network;
        struct str_stream *stream[2];
        struct at_address to, from;
        network_number = is_short ? 0 : 9;
        network_open(&network, native, 2, 1);
        for (int i = 0; i < 2; i++)
            stream[i] = datagrams(&network.side[i], (at_byte)(140 + i), 9);
        to = network.side[1].node.address, to.socket = 141;
        from = network.side[0].node.address, from.socket = 140;
        assert(send_to(&network.side[0], stream[0], to, 9, text("hello", 5)) == 0);
        network_settle(&network);
        assert(network.used == 1 && network.frames[0].bytes[2] == (is_short ? AT_LAP_SHORT : AT_LAP_LONG));
        assert(network.frames[0].count == AT_LAP_HEADER + (is_short ? AT_SHORT_HEADER : AT_LONG_HEADER) + 5u);
        network_advance(&network, 10 * MS);
        expect_text(stream[1], from, 9, "hello");
        assert(send_to(&network.side[1], stream[1], from, 9, NULL) == 0); /* without data */
        network_settle(&network);
        network_advance(&network, 10 * MS);
        expect_text(stream[0], to, 9, "");
        str_close(stream[0]);
        str_close(stream[1]);
        network_close(&network);
        network_number = 9;
    }
}

static void test_type_selects_the_receiver(void)
{
    struct network network;
    struct side *side = &network.side[0];
    struct str_stream *typed, *all, *sender;
    struct at_address to, from;
    mblk_t *mp;
    struct at_datagram d;
    network_open(&network, native, 1, 1);
    typed = datagrams(side, 140, 9);
    all = datagrams(side, DDP_EVERY_SOCKET, 4);
    sender = datagrams(side, 145, 0);
    to = from = side->node.address, to.socket = 140, from.socket = 145;
    assert(send_to(side, sender, to, 9, text("nine", 4)) == 0);
    assert(send_to(side, sender, to, 4, text("four", 4)) == 0);
    assert(send_to(side, sender, to, 5, text("five", 4)) == 0);
    network_settle(&network);
    expect_text(typed, from, 9, "nine");
    expect_nothing(typed);
    assert(str_receive(all, &mp) == 0 && mp->b_datap->db_type == M_DATA && msgdsize(mp) == AT_LONG_HEADER + 4);
    assert(at_long_read(mp->b_rptr, AT_LONG_HEADER, 17, &d) == AT_DDP_GOOD && d.to.socket == 140 && d.type == 4);
    assert(dropped(side, AT_DDP_NO_SOCKET) == 1);
    d.to = from, d.from = to; /* back, as a whole datagram */
    at_long_write(mp->b_rptr, &d);
    assert(str_send(all, mp) == 0);
    network_settle(&network);
    expect_text(sender, to, 4, "four");
    expect_nothing(all);
    str_close(typed);
    str_close(all);
    str_close(sender);
    network_close(&network);
}

static void test_errors_of_datagrams_are_reported(void)
{
    struct network network;
    struct side *side = &network.side[0];
    struct str_stream *stream;
    struct at_address to;
    static char many[AT_DDP_DATA + 1];
    network_open(&network, native, 1, 1);
    stream = datagrams(side, 140, 9);
    to = side->node.address, to.socket = 0;
    assert(send_to(&network.side[0], stream, to, 9, text("a", 1)) == 0);
    network_settle(&network);
    expect_error(stream, TBADADDR);
    to.socket = 141, to.net = 77;
    assert(send_to(&network.side[0], stream, to, 9, text("a", 1)) == 0);
    network_settle(&network);
    expect_error(stream, TNOADDR);
    to.net = 9;
    assert(send_to(&network.side[0], stream, to, 9, text(many, sizeof many)) == 0);
    network_settle(&network);
    expect_error(stream, TBADDATA);
    assert(send_to(&network.side[0], stream, to, 9, text(many, AT_DDP_DATA)) == 0);
    network_settle(&network);
    expect_nothing(stream);
    assert(dropped(side, AT_DDP_NO_SOCKET) == 1);
    str_close(stream);
    network_close(&network);
}

static void test_broadcasts_reach_both_nodes(void)
{
    struct network network;
    struct str_stream *stream[2];
    struct at_address to = {9, AT_BROADCAST, 140}, from;
    network_open(&network, native, 2, 1);
    for (int i = 0; i < 2; i++)
        stream[i] = datagrams(&network.side[i], 140, 9);
    from = network.side[0].node.address, from.socket = 140;
    assert(send_to(&network.side[0], stream[0], to, 9, text("all", 3)) == 0);
    network_settle(&network);
    network_advance(&network, 10 * MS);
    for (int i = 0; i < 2; i++) {
        expect_text(stream[i], from, 9, "all");
        expect_nothing(stream[i]);
        str_close(stream[i]);
    }
    network_close(&network);
}

static void test_checksums_find_changed_frames(void)
{
    struct network network;
    struct str_stream *stream[2];
    struct at_address to;
    int on = 1;
    network_open(&network, native, 2, 1);
    assert(graph_control(&network.side[0].node, network.side[0].node.control, DDP_SET_CHECKSUM, &on, sizeof on) == 0);
    for (int i = 0; i < 2; i++)
        stream[i] = datagrams(&network.side[i], 140, 9);
    to = network.side[1].node.address, to.socket = 140;
    for (unsigned bit = 0; bit <= 8 * 20; bit++) {
        mblk_t *mp;
        assert(send_to(&network.side[0], stream[0], to, 9, text("checked", 7)) == 0);
        network_settle(&network);
        if (bit > 0) /* after the checksum's own field: a change of it may say that there is none */
            network.frames[0].bytes[AT_LAP_HEADER + AT_CHECKSUM_FROM + bit % 16] ^= (at_byte)(1 << bit % 8);
        network_advance(&network, 10 * MS);
        assert((str_receive(stream[1], &mp) == 0) == (bit == 0));
        if (bit == 0)
            freemsg(mp);
    }
    str_close(stream[0]);
    str_close(stream[1]);
    network_close(&network);
}

static void test_a_full_link_holds_datagrams_back(void)
{
    struct network network;
    struct str_stream *stream[2];
    struct at_address to, from;
    unsigned taken = 0, got = 0;
    static char many[500];
    mblk_t *mp;
    network_open(&network, native, 2, 1);
    network.delay = 0;
    for (int i = 0; i < 2; i++)
        stream[i] = datagrams(&network.side[i], 140, 9);
    to = network.side[1].node.address, from = network.side[0].node.address, to.socket = from.socket = 140;
    network.is_full = 1;
    while (taken < 10000 && str_poll(stream[0], STR_POLLOUT)) {
        many[0] = (char)taken, many[1] = (char)(taken >> 8);
        assert(send_to(&network.side[0], stream[0], to, 9, text(many, sizeof many)) == 0);
        taken++;
        network_settle(&network);
    }
    assert(taken > 20 && taken < 1000); /* memory is bounded */
    network.is_full = 0;
    str_device_ready(network.side[0].node.device);
    for (int turn = 0; turn < 1000; turn++) {
        network_settle(&network);
        while (str_receive(stream[1], &mp) == 0) { /* all of them, in order */
            assert(mp->b_cont->b_rptr[0] == (at_byte)got && mp->b_cont->b_rptr[1] == (at_byte)(got >> 8));
            freemsg(mp);
            got++;
        }
    }
    assert(got + dropped(&network.side[1], AT_DDP_NO_ROOM) == taken && got > 20);
    assert(str_poll(stream[0], STR_POLLOUT));
    str_close(stream[0]);
    str_close(stream[1]);
    network_close(&network);
}

static void test_a_slow_user_bounds_memory(void)
{
    struct network network;
    struct str_stream *stream[2];
    struct at_address to;
    size_t most = 0;
    network_open(&network, native, 1, 1);
    for (int i = 0; i < 2; i++)
        stream[i] = datagrams(&network.side[0], (at_byte)(140 + i), 9);
    to = network.side[0].node.address, to.socket = 141;
    for (int i = 0; i < 5000; i++) {
        assert(send_to(&network.side[0], stream[0], to, 9, text("data for nobody", 15)) == 0);
        network_settle(&network);
        most = str_live_blocks(network.side[0].node.host) > most ? str_live_blocks(network.side[0].node.host) : most;
    }
    assert(most < 8000 && dropped(&network.side[0], AT_DDP_NO_ROOM) > 1000);
    str_close(stream[0]);
    str_close(stream[1]);
    network_close(&network);
}

static void test_flush_discards_what_waits(void)
{
    struct network network;
    struct str_stream *stream;
    struct at_address to;
    network_open(&network, native, 2, 1);
    stream = datagrams(&network.side[0], 140, 9);
    to = network.side[1].node.address, to.socket = 140;
    network.is_full = 1;
    for (int i = 0; i < 100; i++)
        if (str_poll(stream, STR_POLLOUT))
            send_to(&network.side[0], stream, to, 9, text("waits", 5));
    network_settle(&network);
    assert(str_ioctl(stream, I_FLUSH, (void *)(intptr_t)FLUSHRW, NULL) == 0);
    network_settle(&network);
    assert(str_poll(stream, STR_POLLOUT));
    str_close(stream);
    network_close(&network);
}

static void test_frames_for_others_and_unbound_streams_are_dropped(void)
{
    struct network network;
    struct side *side = &network.side[0];
    struct str_stream *bound, *unbound;
    struct at_address to;
    at_byte frame[AT_LAP_HEADER + AT_LONG_HEADER] = {10, 11, AT_LAP_LONG};
    struct at_datagram d = {{9, 10, 140}, {9, 11, 140}, AT_LONG_HEADER, 0, 0, 9, AT_LONG_HEADER};
    network_open(&network, native, 1, 1);
    bound = datagrams(side, 140, 9);
    assert(graph_native.open_ddp(&side->node, &unbound) == 0);
    to = side->node.address, to.socket = 140;
    assert(send_to(side, unbound, to, 9, text("a", 1)) == 0);
    network_settle(&network);
    expect_nothing(bound);
    for (int node = 10; node < 13; node++) {
        d.to.node = (at_byte)node;
        at_long_write(frame + AT_LAP_HEADER, &d);
        assert(str_device_receive_bytes(side->node.device, frame, sizeof frame) == 0);
    }
    network_settle(&network);
    expect_text(bound, (struct at_address){9, 11, 140}, 9, "");
    expect_nothing(bound);
    assert(dropped(side, AT_DDP_ELSEWHERE) == 2 && dropped(side, AT_DDP_ADDRESS) == 1);
    str_close(bound);
    str_close(unbound);
    network_close(&network);
}

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

int main(void)
{
    RUN(binding_is_checked);
    RUN(malformed_requests_are_dropped_or_refused);
    RUN(datagrams_in_both_forms_of_the_header);
    RUN(type_selects_the_receiver);
    RUN(errors_of_datagrams_are_reported);
    RUN(broadcasts_reach_both_nodes);
    RUN(checksums_find_changed_frames);
    RUN(a_full_link_holds_datagrams_back);
    RUN(a_slow_user_bounds_memory);
    RUN(flush_discards_what_waits);
    RUN(frames_for_others_and_unbound_streams_are_dropped);
    return 0;
}
