/* A ping-pong of 16 bytes over bare UDP sockets on loopback: what no protocol can beat. Prints the median round trip in nanoseconds.
 * Arguments: rounds, and `polling` or `blocking`. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static uint64_t nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int bound(struct sockaddr_in *at) {
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof *at;
    if (s < 0 || bind(s, (struct sockaddr *)at, len) != 0 || getsockname(s, (struct sockaddr *)at, &len) != 0) { exit(1); }
    return s;
}

/* Whoever serves more than one peer needs to know who sent it. */
static void get(int s, char *data, int flags) {
    struct sockaddr_in from;
    socklen_t len = sizeof from;
    while (recvfrom(s, data, 64, flags, (struct sockaddr *)&from, &len) < 0) { }
}

struct echo {
    int socket, rounds, flags;
    struct sockaddr_in to;
};

/* The other end: a thread, as in the measurement of the runtime. */
static void *echo_all(void *of) {
    const struct echo *e = of;
    char data[64] = {0};
    for (int i = 0; i < e->rounds; i++) {
        get(e->socket, data, e->flags);
        if (sendto(e->socket, data, 16, 0, (const struct sockaddr *)&e->to, sizeof e->to) != 16) { exit(1); }
    }
    return NULL;
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    int flags = argc > 2 && strcmp(argv[2], "polling") == 0 ? MSG_DONTWAIT : 0;
    struct sockaddr_in here, there;
    int a = bound(&here);
    char data[64] = {0};
    struct echo echo = {bound(&there), rounds, flags, here};
    pthread_t thread;
    if (pthread_create(&thread, NULL, echo_all, &echo) != 0) { return 1; }
    uint64_t *times = malloc((size_t)rounds * sizeof *times);
    for (int i = 0; i < rounds; i++) {
        uint64_t start = nanoseconds();
        if (sendto(a, data, 16, 0, (struct sockaddr *)&there, sizeof there) != 16) { return 1; }
        get(a, data, flags);
        times[i] = nanoseconds() - start;
    }
    pthread_join(thread, NULL);
    qsort(times, (size_t)rounds, sizeof *times, by_size);
    printf("%llu\n", (unsigned long long)times[rounds / 2]);
    return 0;
}
