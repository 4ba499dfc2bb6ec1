/* Returns each message to its sender, for many peers over one UDP socket: generated C, no library.
 * usage: server PORT (0: any, which is printed) */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nacre_listener.h"
#include "reliable.h"
#include "udp.h"

/* An answer that its connection did not take yet. */
struct answer {
    struct answer *next;
    uint64_t connection;
    uint32_t len;
    uint8_t message[];
};

/* In the order of their messages; few, as a peer may send the next message when one of its own is answered. */
static struct answer *waiting;

/* Whether an earlier answer waits for the same connection. */
static bool comes_later(const struct answer *one) {
    for (const struct answer *other = waiting; other != one; other = other->next) {
        if (other->connection == one->connection) {
            return true;
        }
    }
    return false;
}

/* Sends the first answer that its connection takes. Returns the connection; 0: none. */
static uint64_t send_one(struct nacre_listener *listener, uint64_t now) {
    for (struct answer **at = &waiting; *at != NULL; at = &(*at)->next) {
        struct answer *one = *at;
        uint64_t connection = one->connection;
        if (!comes_later(one) && nacre_listener_send(listener, now, connection, one->message, one->len) == NACRE_OK) {
            *at = one->next;
            free(one);
            return connection;
        }
    }
    return 0;
}

static void forget_answers(uint64_t connection) {
    struct answer **at = &waiting;
    while (*at != NULL) {
        struct answer *one = *at;
        if (one->connection == connection) {
            *at = one->next;
            free(one);
        } else {
            at = &one->next;
        }
    }
}

/* Adds what was delivered to the answers: copied, as it is lent until the next call. */
static void add_answer(const struct nacre_listener_event *event) {
    struct answer **at = &waiting;
    size_t len = 0;
    for (uint32_t i = 0; i < event->segments_len; i++) {
        len += event->segments[i].len;
    }
    struct answer *one = malloc(sizeof *one + len);
    if (one == NULL) {
        fprintf(stderr, "no memory for an answer\n");
        exit(1);
    }
    *one = (struct answer){.connection = event->connection};
    for (uint32_t i = 0; i < event->segments_len; i++) {
        memcpy(one->message + one->len, event->segments[i].at, event->segments[i].len);
        one->len += event->segments[i].len;
    }
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = one;
}

static void handle_events(struct nacre_listener *listener, uint64_t now) {
    struct nacre_listener_event event;
    while (nacre_listener_next(listener, now, &event)) {
        switch (event.kind) {
        case NACRE_ARRIVED: nacre_listener_set_grants(listener, event.connection, false); break;
        case NACRE_DELIVERED: add_answer(&event); break;
        case NACRE_ENDED:
            forget_answers(event.connection);
            printf("a connection ended, reason %u\n", event.reason);
            fflush(stdout);
            break;
        default: break;
        }
    }
}

/* Handles all events, and sends what can be sent. For each answer that has left, its peer may send a message. No call
 * comes between events, so none is NACRE_BUSY. */
static void work(struct nacre_listener *listener, uint64_t now) {
    uint64_t answered;
    handle_events(listener, now);
    while ((answered = send_one(listener, now)) != 0) {
        handle_events(listener, now);
        nacre_listener_grant(listener, now, answered, 1);
        handle_events(listener, now);
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
        int len = receive_udp(udp, frame, sizeof frame, &from);
        uint64_t now = now_ns();
        if (len >= 0) {
            nacre_listener_receive(listener, now, &from, frame, (uint32_t)len);
        }
        work(listener, now);
        if (len < 0) {
            struct pollfd wait = {.fd = udp, .events = POLLIN};
            poll(&wait, 1, milliseconds_until(nacre_listener_deadline(listener), now_ns()));
        }
    }
}
