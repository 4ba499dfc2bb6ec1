/* ATP of STREAMS: what users give it, limits, and what is left at a close. */
#include "appletalk_datagrams.h"

static const struct graph *const native[2] = {&graph_native, &graph_native};

static mblk_t *of_blocks(size_t count, at_byte control, at_byte bitmap)
{
    mblk_t *mp = NULL;
    for (size_t i = count; i-- > 0;) { /* a byte in each block */
        at_byte byte = i == 0 ? control : i == 1 ? bitmap : (at_byte)i;
        mblk_t *block = text((const char *)&byte, 1);
        block->b_cont = mp;
        mp = block;
    }
    return mp;
}

static void test_requests_of_a_user_are_bounded(void)
{
    struct network network;
    struct str_stream *stream;
    struct at_atp_counts counts;
    struct atp_retry retry = {1000, 0};
    const at_byte user[4] = {0};
    struct at_address to;
    network_open(&network, native, 1, 1);
    stream = endpoint(&network.side[0], 0, NULL);
    assert(graph_control(&network.side[0].node, stream, ATP_SET_RETRY, &retry, sizeof retry) == 0);
    to = network.side[0].node.address, to.node = 99, to.socket = 140;
    for (int i = 0; i < 100; i++) {
        struct at_atp header = {AT_ATP_REQUEST, 1, (at_short)i};
        assert(graph_send(&network.side[0].node, stream, &to, &header, user, NULL, 0) == 0);
    }
    assert(graph_control(&network.side[0].node, stream, ATP_SET_RETRY, &retry, sizeof retry) == EBUSY);
    assert(graph_control(&network.side[0].node, stream, ATP_GET_COUNTS, &counts, sizeof counts) == 0);
    assert(counts.dropped[AT_ATP_FULL] == 36);
    while (network.clock < 1100 * MS)
        network_advance(&network, 100 * MS);
    assert(graph_control(&network.side[0].node, stream, ATP_GET_COUNTS, &counts, sizeof counts) == 0);
    assert(counts.expired == 64 && counts.resent == 0);
    str_close(stream);
    network_close(&network);
}

static void test_messages_of_atp_are_checked(void)
{
    struct network network;
    struct side *side = &network.side[0];
    struct str_stream *stream;
    struct at_address to;
    const size_t most = AT_ATP_HEADER + AT_ATP_DATA;
    const struct {
        size_t count;
        at_byte control, bitmap;
        t_scalar_t error;
    } cases[] = {
        {7, AT_ATP_REQUEST, 1, TBADDATA}, {most + 1, AT_ATP_REQUEST, 1, TBADDATA},
        {most, AT_ATP_REQUEST, 1, 0},     {8, AT_ATP_REQUEST, 1, 0},
        {8, AT_ATP_REQUEST, 2, TBADDATA}, {8, AT_ATP_RESPONSE, 7, 0},
        {8, AT_ATP_RESPONSE, 8, TBADDATA}, {8, AT_ATP_RELEASE, 0, TBADDATA},
        {8, AT_ATP_FAILED, 0, TBADDATA},
    };
    network_open(&network, native, 1, 1);
    stream = endpoint(side, 140, NULL);
    to = side->node.address, to.node = 99, to.socket = 141;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t before = network.used;
        mblk_t *mp = of_blocks(cases[i].count, cases[i].control, cases[i].bitmap);
        assert(send_to(side, stream, to, AT_TYPE_ATP, mp) == 0);
        network_settle(&network);
        assert(network.used - before == (cases[i].error == 0));
        if (cases[i].error != 0)
            expect_error(stream, cases[i].error);
        else
            assert(network.frames[before].count == AT_LAP_HEADER + AT_LONG_HEADER + cases[i].count);
        expect_nothing(stream);
    }
    for (int node = 0; node < 256; node += 255) {
        to.node = (at_byte)node;
        assert(send_to(side, stream, to, AT_TYPE_ATP, of_blocks(8, AT_ATP_REQUEST, 1)) == 0);
        expect_error(stream, TBADADDR);
    }
    str_close(stream);
    network_close(&network);
}

static void test_nothing_outlives_a_close(void)
{
    struct network network;
    struct str_stream *stream;
    const at_byte user[4] = {0};
    struct at_atp header = {AT_ATP_REQUEST | AT_ATP_XO, 1, 0};
    struct at_address to;
    network_open(&network, native, 1, 1);
    stream = endpoint(&network.side[0], 150, NULL);
    to = network.side[0].node.address, to.socket = 150;
    assert(graph_send(&network.side[0].node, stream, &to, &header, user, "to itself", 9) == 0);
    network_settle(&network);
    str_close(stream); /* with a request, a transaction and a message that is not read */
    assert(str_live_blocks(network.side[0].node.host) == 0 && str_deadline(network.side[0].node.host) == UINT64_MAX);
    network_close(&network);
}

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

int main(void)
{
    RUN(requests_of_a_user_are_bounded);
    RUN(messages_of_atp_are_checked);
    RUN(nothing_outlives_a_close);
    return 0;
}
