/* ATP of STREAMS in the place of BSD's ATP, above the imported DDP: names, keys, and what is refused. */
#include "appletalk_datagrams.h"

static const struct graph *const graphs[2] = {&graph_import4, &graph_import4};

static void wait_for(struct network *network, uint64_t length)
{
    for (uint64_t end = network->clock + length; network->clock < end;)
        network_advance(network, end - network->clock);
}

/* A stream of the device, without the module. */
static struct str_stream *bare(struct side *side)
{
    struct str_stream *stream;
    assert(str_open(side->node.host, "at.atp", &stream) == 0);
    return stream;
}

static void say(struct side *side, struct str_stream *stream, mblk_t *mp)
{
    str_enter(side->node.host);
    assert(mp != NULL && str_send(stream, mp) == 0);
    str_run(side->node.host);
}

static mblk_t *heard(struct side *side, struct str_stream *stream)
{
    mblk_t *mp;
    str_enter(side->node.host);
    return str_receive(stream, &mp) == 0 ? mp : NULL;
}

static int type_of(mblk_t *mp)
{
    int type = mp == NULL ? -1 : (int)tpi_type(mp);
    if (mp != NULL)
        freemsg(mp);
    return type;
}

static int bind_at(struct side *side, struct str_stream *stream, at_byte socket)
{
    str_enter(side->node.host);
    say(side, stream, bind_to(socket, AT_TYPE_ATP));
    return type_of(heard(side, stream));
}

static void send_bytes(struct side *side, struct str_stream *stream, at_byte node, at_byte socket, size_t count)
{
    static const char zeros[700];
    const struct at_address address = {network_number, node, socket};
    at_byte name[AT_NAME_LENGTH];
    at_name_write(name, &address, AT_TYPE_ATP);
    str_enter(side->node.host);
    say(side, stream, tpi_unitdata_req(name, sizeof name, text(zeros, count)));
}

static void test_packets_reach_the_stream_that_is_bound(void)
{
    struct network network;
    struct side *one = &network.side[0], *two = &network.side[1];
    struct str_stream *a, *b, *c;
    network_open(&network, graphs, 2, 1);
    a = bare(one), b = bare(two), c = bare(two);
    assert(bind_at(one, a, 150) == T_BIND_ACK && bind_at(two, b, 150) == T_BIND_ACK);
    assert(bind_at(two, c, 150) == T_ERROR_ACK && bind_at(two, c, 151) == T_BIND_ACK);
    send_bytes(one, a, two->node.address.node, 150, 20);
    wait_for(&network, 100 * MS);
    mblk_t *mp = heard(two, b);
    assert(mp != NULL && tpi_type(mp) == T_UNITDATA_IND && msgdsize(mp) == 20);
    struct tpi_range from = tpi_address(mp);
    assert(from.length == AT_NAME_LENGTH && from.bytes[2] == 150 && from.bytes[3] == AT_TYPE_ATP);
    assert(from.bytes[6] == one->node.address.node);
    freemsg(mp);
    assert(heard(two, c) == NULL);
    send_bytes(one, a, two->node.address.node, 152, 20); /* nobody's */
    send_bytes(one, a, two->node.address.node, 151, 20);
    wait_for(&network, 100 * MS);
    assert(type_of(heard(two, c)) == T_UNITDATA_IND && heard(two, c) == NULL && heard(two, b) == NULL);
    str_close(b);
    assert(bind_at(two, c, 150) == T_ERROR_ACK); /* it is bound */
    str_enter(two->node.host);
    say(two, c, of(T_UNBIND_REQ));
    assert(type_of(heard(two, c)) == T_OK_ACK && bind_at(two, c, 150) == T_BIND_ACK);
    send_bytes(one, a, two->node.address.node, 150, 20);
    wait_for(&network, 100 * MS);
    assert(type_of(heard(two, c)) == T_UNITDATA_IND);
    str_close(a);
    str_close(c);
    network_close(&network);
}

static void test_what_cannot_be_sent_is_refused(void)
{
    struct network network;
    struct side *side = &network.side[0];
    struct str_stream *a;
    char interface[32] = "at0";
    network_open(&network, graphs, 1, 1);
    a = bare(side);
    send_bytes(side, a, 5, 150, 20); /* it is not bound */
    mblk_t *mp = heard(side, a);
    assert(mp == NULL || tpi_type(mp) == T_ERROR_ACK || tpi_type(mp) == T_UDERROR_IND);
    freemsg(mp);
    str_close(a); /* such a stream may have an error */
    a = bare(side);
    assert(bind_at(side, a, 255) == T_ERROR_ACK && bind_at(side, a, 0) == T_BIND_ACK);
    send_bytes(side, a, 5, 150, AT_DDP_DATA + 1);
    assert(type_of(heard(side, a)) == T_UDERROR_IND);
    send_bytes(side, a, 5, 150, AT_DDP_DATA);
    assert(heard(side, a) == NULL);
    /* Commands are of streams that have a socket. */
    assert(graph_control(&side->node, a, (int)(0xc0000000u | 32u << 16 | 'i' << 8 | 33), interface, 32) == EOPNOTSUPP);
    str_close(a);
    network_close(&network);
}

static void test_a_stream_that_is_full_loses_packets(void)
{
    struct network network;
    struct side *one = &network.side[0], *two = &network.side[1];
    struct str_stream *a, *b;
    int got = 0;
    network_open(&network, graphs, 2, 1);
    a = bare(one), b = bare(two);
    assert(bind_at(one, a, 150) == T_BIND_ACK && bind_at(two, b, 150) == T_BIND_ACK);
    for (int i = 0; i < 3000; i++) {
        send_bytes(one, a, two->node.address.node, 150, AT_DDP_DATA);
        wait_for(&network, 10 * MS);
    }
    wait_for(&network, 1000 * MS);
    while (type_of(heard(two, b)) == T_UNITDATA_IND)
        got++;
    assert(got > 4 && got < 3000);
    send_bytes(one, a, two->node.address.node, 150, 1);
    wait_for(&network, 100 * MS);
    assert(type_of(heard(two, b)) == T_UNITDATA_IND);
    str_close(a);
    str_close(b);
    network_close(&network);
}

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

int main(void)
{
    RUN(packets_reach_the_stream_that_is_bound);
    RUN(what_cannot_be_sent_is_refused);
    RUN(a_stream_that_is_full_loses_packets);
    return 0;
}
