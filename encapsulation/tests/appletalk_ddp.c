/* The AppleTalk core: headers, checksum, names, routes and sockets of DDP. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/appletalk/core/atp.h"
#include "stacks/appletalk/core/ddp.h"

static uint32_t state = 1;

static uint32_t random_below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * limit >> 32);
}

static const struct at_datagram example = {
    .to = {0x1234, 56, 4}, .from = {0x0102, 3, 253}, .length = 17, .checksum = 0xBEEF, .hops = 5, .type = 3,
    .header = 13};

static void test_long_header_has_its_published_form(void)
{
    static const at_byte expected[] = {0x14, 17, 0xBE, 0xEF, 0x12, 0x34, 1, 2, 56, 3, 4, 253, 3};
    at_byte bytes[AT_LONG_HEADER];
    struct at_datagram read;
    at_long_write(bytes, &example);
    assert(memcmp(bytes, expected, sizeof bytes) == 0);
    assert(at_long_read(bytes, sizeof bytes, 17, &read) == AT_DDP_GOOD);
    assert(at_same_address(&read.to, &example.to) && at_same_address(&read.from, &example.from));
    assert(read.length == 17 && read.checksum == 0xBEEF && read.hops == 5 && read.type == 3 && read.header == 13);
}

static void test_short_header_takes_nodes_from_the_link(void)
{
    static const at_byte expected[] = {0x02, 0x4F, 4, 253, 3}, lap[] = {9, 8, AT_LAP_SHORT};
    struct at_datagram d = example, read;
    at_byte bytes[AT_SHORT_HEADER];
    d.length = AT_SHORT_HEADER + AT_DDP_DATA;
    at_short_write(bytes, &d);
    assert(memcmp(bytes, expected, sizeof bytes) == 0);
    assert(at_short_read(bytes, sizeof bytes, d.length, 77, lap, &read) == AT_DDP_GOOD);
    assert(read.to.net == 77 && read.from.net == 77 && read.to.node == 9 && read.from.node == 8);
    assert(read.to.socket == 4 && read.from.socket == 253 && read.checksum == 0 && read.hops == 0 && read.header == 5);
}

static enum at_ddp_fault long_with(struct at_datagram d, at_long count, at_long total)
{
    at_byte bytes[AT_LONG_HEADER];
    struct at_datagram read;
    at_long_write(bytes, &d);
    return at_long_read(bytes, count, total, &read);
}

static void test_impossible_long_headers_are_refused(void)
{
    struct at_datagram d = example;
    at_byte bytes[AT_LONG_HEADER];
    assert(long_with(d, 12, 17) == AT_DDP_TRUNCATED);
    assert(long_with(d, 13, 16) == AT_DDP_TRUNCATED);
    assert(long_with(d, 13, 60) == AT_DDP_GOOD); /* the link pads */
    d.length = 12;
    assert(long_with(d, 13, 60) == AT_DDP_LENGTH);
    d.length = AT_DDP_MOST;
    assert(long_with(d, 13, 599) == AT_DDP_GOOD);
    d.length = AT_DDP_MOST + 1;
    assert(long_with(d, 13, 600) == AT_DDP_LENGTH);
    d = example, d.to.socket = 0;
    assert(long_with(d, 13, 17) == AT_DDP_ADDRESS);
    d = example, d.from.socket = 255;
    assert(long_with(d, 13, 17) == AT_DDP_ADDRESS);
    d = example, d.from.node = AT_BROADCAST;
    assert(long_with(d, 13, 17) == AT_DDP_ADDRESS);
    d = example, d.to.node = 0;
    assert(long_with(d, 13, 17) == AT_DDP_ADDRESS);
    d = example, d.to.socket = 255;
    assert(long_with(d, 13, 17) == AT_DDP_ADDRESS);
    d = example, d.from.socket = 0;
    assert(long_with(d, 13, 17) == AT_DDP_ADDRESS);
    d = example, d.to.socket = AT_LAST_SOCKET, d.from.socket = AT_FIRST_SOCKET, d.hops = AT_MOST_HOPS;
    assert(long_with(d, 13, 17) == AT_DDP_GOOD);
    d.to.socket = AT_FIRST_SOCKET, d.from.socket = AT_LAST_SOCKET, d.length = 13;
    assert(long_with(d, 13, 13) == AT_DDP_GOOD);
    d = example, d.type = 0;
    assert(long_with(d, 13, 17) == AT_DDP_ADDRESS);
    at_long_write(bytes, &example);
    bytes[0] |= 0x80;
    assert(at_long_read(bytes, 13, 17, &d) == AT_DDP_LENGTH);
}

static void test_short_length_has_ten_bits(void)
{
    static const at_byte lap[] = {9, 8, AT_LAP_SHORT};
    at_byte bytes[AT_SHORT_HEADER] = {4, 5, 4, 253, 3};
    struct at_datagram read;
    assert(at_short_read(bytes, 5, 2000, 0, lap, &read) == AT_DDP_LENGTH);
    bytes[0] = 0;
    assert(at_short_read(bytes, 5, 5, 0, lap, &read) == AT_DDP_GOOD);
    assert(at_short_read(bytes, 4, 5, 0, lap, &read) == AT_DDP_TRUNCATED);
    bytes[1] = 4;
    assert(at_short_read(bytes, 5, 5, 0, lap, &read) == AT_DDP_LENGTH);
}

static void test_checksum_rotates_after_each_byte(void)
{
    static const at_byte one[] = {1}, bytes[] = {0x80, 0x00, 0xFF, 0x12, 0x34};
    at_short sum = 0, parts;
    size_t i;
    assert(at_checksum_add(0, one, 1) == 2);
    assert(at_checksum_add(0x7FFF, one, 1) == 1); /* 0x8000 rotates to 1 */
    assert(at_checksum_add(0xFFFF, one, 1) == 0 && at_checksum_sent(0) == 0xFFFF && at_checksum_sent(7) == 7);
    for (i = 0; i < sizeof bytes; i++) {
        sum = (at_short)(sum + bytes[i]);
        sum = (at_short)(sum << 1 | sum >> 15);
    }
    parts = at_checksum_add(at_checksum_add(0, bytes, 2), bytes + 2, 3);
    assert(at_checksum_add(0, bytes, 5) == sum && parts == sum);
}

static void test_random_bytes_are_read_within_bounds(void)
{
    int i;
    for (i = 0; i < 200000; i++) {
        at_long count = random_below(20), k;
        at_byte lap[AT_LAP_HEADER] = {(at_byte)random_below(256), (at_byte)random_below(256), 2};
        at_byte *bytes = malloc(count == 0 ? 1 : count);
        struct at_datagram d;
        struct at_atp header;
        at_long total = count + random_below(620);
        assert(bytes != NULL);
        for (k = 0; k < count; k++)
            bytes[k] = (at_byte)(random_below(3) == 0 ? random_below(8) : random_below(256));
        if (at_long_read(bytes, count, total, &d) == AT_DDP_GOOD)
            assert(d.length <= total && d.length >= 13 && d.hops <= AT_MOST_HOPS && count >= 13);
        if (at_short_read(bytes, count, total, 1, lap, &d) == AT_DDP_GOOD)
            assert(d.length <= total && d.length >= 5 && count >= 5 && lap[0] != 0);
        assert((at_atp_read(bytes, count, &header) == 0) == (count >= 8));
        free(bytes);
    }
}

static void test_names_begin_like_a_sockaddr(void)
{
    static const at_byte expected[AT_NAME_LENGTH] = {16, 16, 4, 3, 0x12, 0x34, 56};
    at_byte name[AT_NAME_LENGTH], type;
    struct at_address address;
    at_name_write(name, &example.to, 3);
    assert(memcmp(name, expected, sizeof name) == 0);
    assert(at_name_read(name, sizeof name, &address, &type) == 0 && type == 3);
    assert(at_same_address(&address, &example.to));
    assert(at_name_read(name, 15, &address, &type) == -1);
    name[1] = 2;
    assert(at_name_read(name, sizeof name, &address, &type) == -1);
}

static struct at_node two_ports(void)
{
    struct at_node node;
    at_node_init(&node);
    assert(at_node_set(&node, 0, 5, 12) == 0 && at_node_set(&node, 2, 6, 13) == 0);
    assert(at_node_set(&node, AT_PORTS, 5, 12) == -1 && at_node_set(&node, 0, 5, AT_BROADCAST) == -1);
    return node;
}

static void test_routes(void)
{
    struct at_node node = two_ports();
    struct at_route r;
    struct at_address own = {5, 12, 4}, other = {6, 99, 4}, all = {6, AT_BROADCAST, 4}, far = {7, 1, 4};
    struct at_address here = {0, 12, 4};
    assert(at_node_route(&node, &own, &r) == AT_DDP_GOOD && r.local && r.port == -1 && r.own == 0);
    assert(at_node_route(&node, &here, &r) == AT_DDP_GOOD && r.local && r.port == -1);
    assert(at_node_route(&node, &other, &r) == AT_DDP_GOOD && !r.local && r.port == 2 && r.next == 99);
    assert(r.own == 2);
    assert(at_node_route(&node, &all, &r) == AT_DDP_GOOD && r.local && r.port == 2 && r.next == AT_BROADCAST);
    assert(at_node_route(&node, &far, &r) == AT_DDP_UNREACHABLE);
    node.router_port = 2;
    node.router = 200;
    assert(at_node_route(&node, &far, &r) == AT_DDP_GOOD && !r.local && r.port == 2 && r.next == 200);
    assert(r.own == 2);
    at_node_init(&node);
    assert(at_node_route(&node, &here, &r) == AT_DDP_UNREACHABLE);
}

static void test_node_accepts_its_addresses_and_broadcasts(void)
{
    struct at_node node = two_ports();
    struct at_address to = {5, 12, 4};
    assert(at_node_accepts(&node, 0, &to));
    assert(at_node_accepts(&node, 2, &to)); /* by its other interface */
    to.net = 0;
    assert(at_node_accepts(&node, 0, &to) && !at_node_accepts(&node, 2, &to));
    to.net = 6;
    assert(!at_node_accepts(&node, 0, &to));
    to.node = AT_BROADCAST;
    assert(at_node_accepts(&node, 2, &to) && !at_node_accepts(&node, 0, &to));
    assert(!at_node_accepts(&node, 1, &to) && !at_node_accepts(&node, -1, &to));
    assert(!at_node_accepts(&node, AT_PORTS, &to));
}

static void test_sockets(void)
{
    static struct at_sockets sockets;
    int i, me;
    at_sockets_init(&sockets);
    assert(at_socket_bind(&sockets, 4, &me) == 4 && at_socket_bind(&sockets, 4, &me) == 0);
    assert(at_socket_bind(&sockets, 255, &me) == 0);
    assert(at_socket_bind(&sockets, AT_FIRST_SOCKET, &me) == AT_FIRST_SOCKET);
    for (i = AT_FIRST_DYNAMIC; i <= AT_LAST_SOCKET; i++)
        assert(at_socket_bind(&sockets, 0, &me) == i);
    assert(at_socket_bind(&sockets, 0, &me) == 0);
    at_socket_unbind(&sockets, 200);
    assert(at_socket_bind(&sockets, 0, &me) == 200 && sockets.owner[200] == &me);
}

#define RUN(name) (test_##name(), puts("ok " #name))

int main(void)
{
    RUN(long_header_has_its_published_form);
    RUN(short_header_takes_nodes_from_the_link);
    RUN(impossible_long_headers_are_refused);
    RUN(short_length_has_ten_bits);
    RUN(checksum_rotates_after_each_byte);
    RUN(random_bytes_are_read_within_bounds);
    RUN(names_begin_like_a_sockaddr);
    RUN(routes);
    RUN(node_accepts_its_addresses_and_broadcasts);
    RUN(sockets);
    return 0;
}
