/* A ping-pong of 16 bytes over bare UDP sockets on loopback: what no protocol can beat. Prints the median round trip in nanoseconds.
 * Arguments: rounds, and `polling` or `blocking`. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static void get(int s, char *data, int flags) {
    while (recv(s, data, 64, flags) < 0) { }
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    int flags = argc > 2 && strcmp(argv[2], "polling") == 0 ? MSG_DONTWAIT : 0;
    struct sockaddr_in here, there;
    int a = bound(&here), b = bound(&there);
    char data[64] = {0};
    pid_t echo = fork();
    if (echo == 0) {
        for (int i = 0; i < rounds; i++) {
            get(b, data, flags);
            if (sendto(b, data, 16, 0, (struct sockaddr *)&here, sizeof here) != 16) { _exit(1); }
        }
        _exit(0);
    }
    uint64_t *times = malloc((size_t)rounds * sizeof *times);
    for (int i = 0; i < rounds; i++) {
        uint64_t start = nanoseconds();
        if (sendto(a, data, 16, 0, (struct sockaddr *)&there, sizeof there) != 16) { return 1; }
        get(a, data, flags);
        times[i] = nanoseconds() - start;
    }
    waitpid(echo, NULL, 0);
    qsort(times, (size_t)rounds, sizeof *times, by_size);
    printf("%llu\n", (unsigned long long)times[rounds / 2]);
    return 0;
}
