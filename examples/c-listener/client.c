/* Says hello to a server, prints the answer, and closes in order.
 * usage: client PORT [TIMES] */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nacre_listener.h"
#include "reliable.h"
#include "udp.h"

int main(int argc, char **argv) {
    static uint8_t frame[65536];
    if (argc < 2 || atoi(argv[1]) < 1 || atoi(argv[1]) > 65535 || (argc > 2 && atoi(argv[2]) < 1)) {
        fprintf(stderr, "usage: client PORT [TIMES]\n");
        return 2;
    }
    int udp = open_udp(0), times = argc > 2 ? atoi(argv[2]) : 1, sent = 0, answers = 0;
    struct nacre_address server = loopback(atoi(argv[1]));
    struct nacre_listener_stack stack = {.stack = &reliable_stack};
    struct nacre_listener_options options;
    nacre_listener_defaults(&options, 1);
    options.host = &udp;
    options.send = send_udp;
    options.stacks = &stack;
    options.stacks_len = 1;
    draw_seed(options.seed);
    size_t size = nacre_listener_size(&options);
    void *memory = malloc(size);
    struct nacre_listener *listener = nacre_listener_init(memory, size, &options, now_ns());
    uint64_t connection;
    bool is_closed = false;
    if (listener == NULL || nacre_listener_connect(listener, now_ns(), &server, 0, NULL, &connection) != NACRE_OK) {
        fprintf(stderr, "cannot connect\n");
        return 1;
    }
    /* After its end the connection still answers the peer, until that has everything, too. */
    while (nacre_listener_count(listener) > 0) {
        struct nacre_address from;
        struct nacre_listener_event event;
        int len = receive_udp(udp, frame, sizeof frame, &from);
        uint64_t now = now_ns();
        if (len >= 0) {
            nacre_listener_receive(listener, now, &from, frame, (uint32_t)len);
        }
        while (nacre_listener_next(listener, now, &event)) {
            if (event.kind == NACRE_DELIVERED && ++answers == times) {
                printf("%d answers, the last of %u bytes\n", answers, event.len);
                nacre_listener_close(listener, now, connection, 0, NULL, 0);
            } else if (event.kind == NACRE_ENDED) {
                printf("ended, reason %u\n", event.reason);
                is_closed = event.reason == NACRE_CLOSED;
            }
        }
        /* One message is on its way at a time. */
        if (sent == answers && sent < times &&
            nacre_listener_send(listener, now, connection, (const uint8_t *)"hello", 5) == NACRE_OK) {
            sent++;
        }
        if (len < 0 && nacre_listener_count(listener) > 0) {
            struct pollfd wait = {.fd = udp, .events = POLLIN};
            poll(&wait, 1, milliseconds_until(nacre_listener_deadline(listener), now_ns()));
        }
    }
    nacre_listener_end(listener);
    free(memory);
    return is_closed && answers == times ? 0 : 1;
}
