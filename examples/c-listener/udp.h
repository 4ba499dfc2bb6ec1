/* The part of the host that only POSIX knows: a UDP socket over IPv4, a clock, random numbers. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "nacre_listener.h"

/* Opens a socket that does not block, and prints its port. */
static int open_udp(int port) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t len = sizeof own;
    int udp = socket(AF_INET, SOCK_DGRAM, 0);
    if (udp < 0 || bind(udp, (struct sockaddr *)&own, sizeof own) < 0 || fcntl(udp, F_SETFL, O_NONBLOCK) < 0 ||
        getsockname(udp, (struct sockaddr *)&own, &len) < 0) {
        perror("cannot open the port");
        exit(1);
    }
    printf("port %d\n", ntohs(own.sin_port));
    fflush(stdout);
    return udp;
}

/* An address as the listener keeps it: 4 bytes of IP, 2 of the port. Limits are for each IP address. */
static struct nacre_address address_of(const struct sockaddr_in *from) {
    struct nacre_address address = {.len = 6, .network = 4};
    memcpy(address.bytes, &from->sin_addr, 4);
    memcpy(address.bytes + 4, &from->sin_port, 2);
    return address;
}

static inline struct nacre_address loopback(int port) {
    struct sockaddr_in to = {.sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return address_of(&to);
}

/* A datagram leaves; one for which the socket has no room is lost, as it may be in the network. */
static void send_udp(void *host, const struct nacre_address *to, const struct nacre_segment *segments, uint32_t count) {
    struct sockaddr_in peer = {.sin_family = AF_INET};
    struct iovec pieces[64];
    struct msghdr message = {.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = pieces};
    memcpy(&peer.sin_addr, to->bytes, 4);
    memcpy(&peer.sin_port, to->bytes + 4, 2);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        pieces[i] = (struct iovec){(void *)(uintptr_t)segments[i].at, segments[i].len};
    }
    message.msg_iovlen = count < 64 ? count : 64;
    (void)!sendmsg(*(int *)host, &message, 0);
}

/* Returns the length of the next datagram; -1: there is none. */
static int receive_udp(int udp, uint8_t *frame, size_t size, struct nacre_address *from) {
    struct sockaddr_in peer;
    socklen_t len = sizeof peer;
    int received = (int)recvfrom(udp, frame, size, 0, (struct sockaddr *)&peer, &len);
    if (received >= 0) {
        *from = address_of(&peer);
    }
    return received;
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* For poll: rounded up; -1: never. */
static int milliseconds_until(uint64_t deadline, uint64_t now) {
    uint64_t left = deadline > now ? (deadline - now + 999999) / 1000000 : 0;
    return deadline == NACRE_NEVER ? -1 : left < 60000 ? (int)left : 60000;
}

static void draw_seed(uint8_t seed[32]) {
    if (getrandom(seed, 32, 0) != 32) {
        perror("no random numbers");
        exit(1);
    }
}
