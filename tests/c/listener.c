/* A listener under attack: a server and two clients in one process, and an attacker who sends random frames, old
 * frames, and old frames with mistakes, from any address, at times that also go backward. Compiled with sanitizers.
 * usage: listener SEED STEPS; prints how many messages arrived. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nacre_listener.h"
#include "stack.h"

#define HOSTS 3
#define FRAMES 256
#define FRAME_MAX 2048

struct host {
    struct nacre_listener *listener;
    void *memory;
    uint64_t connections[64];
    uint32_t connections_len;
    struct nacre_address address;
};

struct frame {
    struct nacre_address from, to;
    uint32_t len;
    uint8_t bytes[FRAME_MAX];
};

static struct host hosts[HOSTS];
static struct frame frames[FRAMES];
static uint64_t kept, state, now = 1000000000, delivered, ended;

static uint64_t draw(uint64_t bound) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % bound;
}

static struct nacre_address any_address(void) {
    struct nacre_address address = {.len = 6, .network = 4};
    if (draw(4) > 0) {
        return hosts[draw(HOSTS)].address;
    }
    address.len = (uint8_t)draw(NACRE_ADDRESS_MAX + 1);
    address.network = (uint8_t)draw(40);
    for (uint32_t i = 0; i < address.len; i++) {
        address.bytes[i] = (uint8_t)draw(3);
    }
    return address;
}

/* Keeps a datagram on its way, in place of an older one. */
static void send_frame(void *host, const struct nacre_address *to, const struct nacre_segment *segments,
                       uint32_t segments_len) {
    struct frame *frame = &frames[kept++ % FRAMES];
    frame->from = ((struct host *)host)->address;
    frame->to = *to;
    frame->len = 0;
    for (uint32_t i = 0; i < segments_len; i++) {
        if (frame->len + segments[i].len <= FRAME_MAX) {
            memcpy(frame->bytes + frame->len, segments[i].at, segments[i].len);
            frame->len += segments[i].len;
        }
    }
}

static void begin(struct host *host, int at) {
    struct nacre_listener_stack stack = {.stack = &STACK, .served = at == 0};
    struct nacre_listener_options options;
    nacre_listener_defaults(&options, 1 + (uint32_t)draw(6));
    options.host = host;
    options.send = send_frame;
    options.stacks = &stack;
    options.stacks_len = 1;
    options.moves = draw(2) == 0;
    options.retry_above = (uint32_t)draw(3);
    options.event_bytes = (uint32_t)draw(2) * 5000;
    options.text_max = (uint32_t)draw(256);
    options.departed = (uint32_t)draw(5);
    options.refusals = (uint32_t)draw(3);
    options.networks = (uint32_t)draw(4);
    for (int i = 0; i < 32; i++) {
        options.seed[i] = (uint8_t)draw(256);
    }
    size_t size = nacre_listener_size(&options);
    if (host->memory != NULL) {
        nacre_listener_end(host->listener);
        free(host->memory);
    }
    host->memory = malloc(size);
    host->listener = nacre_listener_init(host->memory, size, &options, now);
    host->connections_len = 0;
    host->address = (struct nacre_address){.bytes = {10, 0, 0, (uint8_t)at}, .len = 6, .network = 4};
    if (host->listener == NULL || nacre_listener_init(host->memory, size - 1, &options, now) != NULL) {
        fprintf(stderr, "no listener\n");
        exit(1);
    }
}

static void note(struct host *host, uint64_t connection) {
    host->connections[host->connections_len++ % 64] = connection;
}

static uint64_t any_connection(const struct host *host) {
    uint64_t len = host->connections_len < 64 ? host->connections_len : 64;
    return len > 0 ? host->connections[draw(len)] : draw(2) << 24;
}

/* Takes some events, or all of them. */
static void take(struct host *host, uint32_t most) {
    struct nacre_listener_event event;
    uint32_t sum = 0;
    while (most-- > 0 && nacre_listener_next(host->listener, now, &event)) {
        for (uint32_t i = 0; i < event.segments_len; i++) {
            for (uint32_t j = 0; j < event.segments[i].len; j++) {
                sum += event.segments[i].at[j];
            }
        }
        for (uint32_t i = 0; i < event.text_len; i++) {
            sum += event.text[i];
        }
        sum += event.address != NULL ? event.address->bytes[0] : 0;
        delivered += event.kind == NACRE_DELIVERED;
        ended += event.kind == NACRE_ENDED;
        if (event.kind == NACRE_ARRIVED) {
            note(host, event.connection);
        }
        if (event.kind == NACRE_DELIVERED && draw(4) == 0) {
            nacre_listener_send(host->listener, now, event.connection, (const uint8_t *)"again", 5);
        }
    }
    state += sum & 1;
}

static void call(struct host *host) {
    static const uint8_t message[3000];
    struct nacre_listener *l = host->listener;
    uint64_t id = any_connection(host), arguments[4] = {draw(9), draw(9), 0, 0};
    const char *text = "g\xc3\xa4nzlich \xff unverst\xc3\xa4ndlich";
    switch (draw(12)) {
    case 0: {
        struct nacre_address to = draw(3) > 0 ? hosts[draw(HOSTS)].address : any_address();
        if (nacre_listener_connect(l, now, &to, (uint32_t)draw(2), NULL, &id) == NACRE_OK) {
            note(host, id);
        }
        break;
    }
    case 1:
        nacre_listener_close(l, now, id, 3, draw(2) ? text : NULL, (uint32_t)draw(2) * 20);
        break;
    case 2:
        nacre_listener_refuse(l, now, id, 3, text, (uint32_t)draw(2) * 11);
        break;
    case 3:
        nacre_listener_discard(l, now, id);
        break;
    case 4:
        nacre_listener_grant(l, now, id, (uint32_t)draw(70000));
        break;
    case 5:
        nacre_listener_call(l, now, id, (uint32_t)draw(12), draw(2) ? arguments : NULL, message, (uint32_t)draw(200));
        break;
    default:
        nacre_listener_send(l, now, id, message, (uint32_t)draw(2) * (uint32_t)draw(3000));
        break;
    }
}

/* An old frame, or none at all, with mistakes. */
static void attack(struct host *host) {
    static uint8_t huge[65536];
    struct frame frame = frames[draw(FRAMES)];
    struct nacre_address from = draw(3) > 0 ? frame.from : any_address();
    if (draw(50) == 0) {
        memcpy(huge, frame.bytes, frame.len);
        nacre_listener_receive(host->listener, now, &from, huge, 65535 + (uint32_t)draw(2));
        return;
    }
    if (draw(6) == 0) {
        frame.len = (uint32_t)draw(80);
        for (uint32_t i = 0; i < frame.len; i++) {
            frame.bytes[i] = (uint8_t)draw(256);
        }
        frame.bytes[0] = draw(2) ? 0xfe : frame.bytes[0];
        frame.bytes[4] = 1;
        frame.bytes[5] = (uint8_t)draw(12);
        frame.bytes[6] = frame.bytes[7] = 0;
    }
    for (uint64_t i = draw(3); i > 0 && frame.len > 0; i--) {
        frame.bytes[draw(frame.len)] ^= (uint8_t)(1 << draw(8));
    }
    frame.len = draw(4) == 0 ? (uint32_t)draw(frame.len + 1) : frame.len;
    /* In memory of exactly this length, so that a byte behind it is found. */
    uint8_t *exact = malloc(frame.len > 0 ? frame.len : 1);
    memcpy(exact, frame.bytes, frame.len);
    nacre_listener_receive(host->listener, now, &from, frame.len > 0 ? exact : NULL, frame.len);
    take(host, 1000);
    free(exact);
}

int main(int argc, char **argv) {
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (int i = 0; i < HOSTS; i++) {
        begin(&hosts[i], i);
    }
    for (uint64_t step = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000; step > 0; step--) {
        struct host *host = &hosts[draw(HOSTS)];
        uint64_t what = draw(100);
        if (what < 45) {
            struct frame *frame = &frames[draw(2) ? draw(FRAMES) : (kept + FRAMES - 1 - draw(8)) % FRAMES];
            for (int i = 0; i < HOSTS; i++) {
                if (memcmp(hosts[i].address.bytes, frame->to.bytes, 6) == 0 && frame->to.len == 6) {
                    static uint8_t bytes[FRAME_MAX];
                    memcpy(bytes, frame->bytes, FRAME_MAX);
                    nacre_listener_receive(hosts[i].listener, now, &frame->from, bytes, frame->len);
                    take(&hosts[i], draw(5) > 0 ? 1000 : (uint32_t)draw(3));
                    take(&hosts[i], 1000);
                }
            }
        } else if (what < 70) {
            call(host);
            take(host, draw(3) > 0 ? 1000 : 0);
        } else if (what < 85) {
            attack(host);
        } else if (what < 99) {
            uint64_t due = nacre_listener_deadline(host->listener);
            uint64_t jump = draw(1000) == 0 ? UINT64_C(1) << 40 : draw(2000) * 1000000;
            now = draw(10) == 0 ? now - draw(1000000000) : due < now + jump && due > now ? due : now + jump;
            take(host, 1000);
        } else if (draw(10) == 0) {
            begin(host, (int)(host - hosts));
        }
        if (nacre_listener_statistics(host->listener)->events_lost != 0) {
            fprintf(stderr, "an event was lost\n");
            return 1;
        }
    }
    for (int i = 0; i < HOSTS; i++) {
        nacre_listener_end(hosts[i].listener);
        free(hosts[i].memory);
    }
    printf("%llu messages, %llu ends\n", (unsigned long long)delivered, (unsigned long long)ended);
    return delivered > 0 && ended > 0 ? 0 : 1;
}
