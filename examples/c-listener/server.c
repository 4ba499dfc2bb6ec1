/* Returns each message to its sender, for many peers over one UDP socket: generated C, no library.
 * usage: server PORT (0: any, which is printed) */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nacre_listener.h"
#include "reliable.h"
#include "udp.h"

/* Sends back what was delivered: copied first, as it is lent until the next call. */
static void answer(struct nacre_listener *listener, uint64_t now, const struct nacre_listener_event *event) {
    static uint8_t message[1 << 17]; /* longer than any message that `reliable` takes */
    uint32_t len = 0;
    for (uint32_t i = 0; i < event->segments_len; i++) {
        if (event->segments[i].len > sizeof message - len) {
            fprintf(stderr, "a message is too long\n");
            return;
        }
        memcpy(message + len, event->segments[i].at, event->segments[i].len);
        len += event->segments[i].len;
    }
    if (nacre_listener_send(listener, now, event->connection, message, len) != NACRE_OK) {
        fprintf(stderr, "a peer sends faster than it reads\n");
    }
}

int main(int argc, char **argv) {
    static uint8_t frame[65536];
    int udp = open_udp(argc > 1 ? atoi(argv[1]) : 0);
    struct nacre_listener_stack stack = {.stack = &reliable_stack, .served = true};
    struct nacre_listener_options options;
    nacre_listener_defaults(&options, 16);
    options.host = &udp;
    options.send = send_udp;
    options.stacks = &stack;
    options.stacks_len = 1;
    draw_seed(options.seed);
    size_t size = nacre_listener_size(&options);
    struct nacre_listener *listener = nacre_listener_init(malloc(size), size, &options, now_ns());
    if (listener == NULL) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    for (;;) {
        struct nacre_address from;
        struct nacre_listener_event event;
        int len = receive_udp(udp, frame, sizeof frame, &from);
        uint64_t now = now_ns();
        if (len >= 0) {
            nacre_listener_receive(listener, now, &from, frame, (uint32_t)len);
        }
        while (nacre_listener_next(listener, now, &event)) {
            if (event.kind == NACRE_DELIVERED) {
                answer(listener, now, &event);
            } else if (event.kind == NACRE_ENDED) {
                printf("a connection ended, reason %u\n", event.reason);
                fflush(stdout);
            }
        }
        if (len < 0) {
            struct pollfd wait = {.fd = udp, .events = POLLIN};
            poll(&wait, 1, milliseconds_until(nacre_listener_deadline(listener), now_ns()));
        }
    }
}
