/* Services of an operating system that usrsctp asks for: one thread, the host's clock, no sockets. */
#define _GNU_SOURCE
#include "instance.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* One thread: locks are free, and nobody waits. */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *how) { return (void)mutex, (void)how, 0; }
int pthread_mutex_destroy(pthread_mutex_t *mutex) { return (void)mutex, 0; }
int pthread_mutex_lock(pthread_mutex_t *mutex) { return (void)mutex, 0; }
int pthread_mutex_trylock(pthread_mutex_t *mutex) { return (void)mutex, 0; }
int pthread_mutex_unlock(pthread_mutex_t *mutex) { return (void)mutex, 0; }
int pthread_mutexattr_init(pthread_mutexattr_t *how) { return (void)how, 0; }
int pthread_mutexattr_settype(pthread_mutexattr_t *how, int type) { return (void)how, (void)type, 0; }
int pthread_mutexattr_destroy(pthread_mutexattr_t *how) { return (void)how, 0; }
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *how) { return (void)cond, (void)how, 0; }
int pthread_cond_destroy(pthread_cond_t *cond) { return (void)cond, 0; }
int pthread_cond_signal(pthread_cond_t *cond) { return (void)cond, 0; }
int pthread_cond_broadcast(pthread_cond_t *cond) { return (void)cond, 0; }

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    (void)cond, (void)mutex;
    capsule_fail("a call would block", __FILE__, __LINE__);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *argument) {
    (void)thread, (void)how, (void)work, (void)argument;
    return EAGAIN;
}

int pthread_join(pthread_t thread, void **result) { return (void)thread, (void)result, ESRCH; }

int nanosleep(const struct timespec *time, struct timespec *left) {
    (void)time, (void)left;
    return 0;
}

/* usrsctp takes a time of zero for none, and a host may begin at zero. */
#define BEGIN_S 1000

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    uint64_t now = capsule_now() / 1000;
    *time = (struct timeval){.tv_sec = (time_t)(now / 1000000) + BEGIN_S, .tv_usec = (suseconds_t)(now % 1000000)};
    return 0;
}

long random(void) { return (long)(capsule_random() >> 1); }
void srandom(unsigned seed) { (void)seed; }
pid_t getpid(void) { return 1; }

/* The name of a thread. */
int prctl(int option, ...) { return (void)option, 0; }

/* No sockets: packets come and go by lower streams. */
static int none(void) {
    errno = EAFNOSUPPORT;
    return -1;
}

int socket(int family, int type, int protocol) { return (void)family, (void)type, (void)protocol, none(); }
int bind(int fd, const struct sockaddr *address, socklen_t length) {
    return (void)fd, (void)address, (void)length, none();
}
int setsockopt(int fd, int level, int name, const void *value, socklen_t length) {
    return (void)fd, (void)level, (void)name, (void)value, (void)length, none();
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    return (void)fd, (void)message, (void)flags, none();
}
ssize_t recvmsg(int fd, struct msghdr *message, int flags) { return (void)fd, (void)message, (void)flags, none(); }
ssize_t recv(int fd, void *bytes, size_t length, int flags) {
    return (void)fd, (void)bytes, (void)length, (void)flags, none();
}
int shutdown(int fd, int how) { return (void)fd, (void)how, none(); }
int close(int fd) { return (void)fd, none(); }
int ioctl(int fd, unsigned long request, ...) { return (void)fd, (void)request, none(); }

/* Interfaces are the lower streams, whose addresses the options name. */
int getifaddrs(struct ifaddrs **all) {
    struct named {
        struct ifaddrs interface;
        struct sockaddr_in address;
        char name[IF_NAMESIZE];
    } *list = capsule_calloc(MOST_LINKS, sizeof *list);
    *all = NULL;
    if (!list) {
        errno = ENOMEM;
        return -1;
    }
    struct ifaddrs **next = all;
    uint32_t mask;
    for (unsigned i = 0; i < MOST_LINKS && link_address(i, &list[i].address, &mask); i++) {
        list[i].interface.ifa_name = if_indextoname(i + 1, list[i].name);
        list[i].interface.ifa_addr = (struct sockaddr *)(void *)&list[i].address;
        list[i].interface.ifa_flags = IFF_UP | IFF_RUNNING;
        *next = &list[i].interface;
        next = &list[i].interface.ifa_next;
    }
    if (!*all)
        capsule_free(list);
    return 0;
}

/* The first is the beginning of the array. */
void freeifaddrs(struct ifaddrs *all) { capsule_free(all); }

unsigned if_nametoindex(const char *name) {
    int is_link = strncmp(name, "link", 4) == 0 && name[4] >= '0' && name[4] <= '9' && !name[5];
    return is_link ? (unsigned)(name[4] - '0') + 1 : 0;
}

char *if_indextoname(unsigned index, char name[IF_NAMESIZE]) {
    if (index == 0 || index > MOST_LINKS) {
        errno = ENXIO;
        return NULL;
    }
    memcpy(name, "link0", 6);
    name[4] = (char)('0' + index - 1);
    return name;
}
