/* As many datagrams in one direction over bare UDP sockets on loopback as the sender can send: what no protocol can beat. Prints those that
 * arrived in a second. Arguments: bytes of each; `plain`: one system call for each, or `offload`: the system divides and joins them. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define DIVIDES 103 /* UDP_SEGMENT */
#define JOINS 104   /* UDP_GRO */
#define SECONDS 0.5

static atomic_bool stop;
static uint64_t arrived;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *receive(void *of) {
    static char data[1 << 16];
    while (!stop) {
        ssize_t n = recv(*(int *)of, data, sizeof data, 0);
        if (n > 0) { arrived += (uint64_t)n; }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) { return 2; }
    int size = atoi(argv[1]), offload = strcmp(argv[2], "offload") == 0, one = 1, buffer = 4 << 20;
    int from = socket(AF_INET, SOCK_DGRAM, 0), to = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    struct timeval soon = {.tv_usec = 50000};
    if (size < 1 || size > 60000 || bind(to, (struct sockaddr *)&at, len) != 0 || getsockname(to, (struct sockaddr *)&at, &len) != 0) { return 1; }
    setsockopt(to, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    if (offload && (setsockopt(to, IPPROTO_UDP, JOINS, &one, sizeof one) != 0 ||
                    setsockopt(from, IPPROTO_UDP, DIVIDES, &size, sizeof size) != 0)) { return 1; }
    static char data[65000];
    int at_once = offload ? ((int)sizeof data / size < 64 ? (int)sizeof data / size : 64) : 1;
    pthread_t thread;
    if (pthread_create(&thread, NULL, receive, &to) != 0) { return 1; }
    double begin = seconds(), took;
    do {
        for (int i = 0; i < 64; i++) { sendto(from, data, (size_t)(at_once * size), 0, (struct sockaddr *)&at, sizeof at); }
        took = seconds() - begin;
    } while (took < SECONDS);
    stop = true;
    pthread_join(thread, NULL);
    printf("%.0f\n", (double)arrived / size / took);
    return 0;
}
