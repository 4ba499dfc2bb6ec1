/* Hosts that are interrupted or killed while an instance computes. */
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "streams/capsule.h"
#include "streams/stream.h"

#define PATIENCE 2000 /* milliseconds */

static uint64_t now_of(void *context) { return (void)context, 1; }

static int transmit(void *context, mblk_t *frame) {
    (void)context;
    freemsg(frame);
    return 0;
}

/* Loads an instance of the module, and sends it a command. */
static void tell(const char *what, const char *option) {
    static const struct str_device_calls calls = {transmit};
    struct str_host *host = str_host_open(&(struct str_environment){.now = now_of});
    struct str_device *device;
    assert(host && str_device_create(host, "wire", &calls, NULL, &device) == 0);
    const char *options[] = {option, NULL}, *why = "";
    struct str_instance *instance;
    int error = str_load(host, CAPSULE, "trouble", options, &instance, &why);
    if (error)
        fprintf(stderr, "%s: %s: %s\n", option, strerror(error), why);
    assert(error == 0);
    struct str_stream *stream;
    assert(str_open(host, "wire", &stream) == 0 && str_push(stream, "trouble") == 0);
    assert(str_write(stream, what, strlen(what), NULL) == 0);
    while (str_run(host))
        ;
    str_close(stream);
    int unloaded = str_unload(instance);
    assert(unloaded == 0);
    str_host_close(host);
}

static void nothing(int signal) { (void)signal; }

static double children(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

/* Signals that the host gets do not shorten the time of an entry. */
static void test_signals(void) {
    struct sigaction action = {.sa_handler = nothing}, before;
    sigaction(SIGALRM, &action, &before);
    struct timeval often = {.tv_usec = 200};
    setitimer(ITIMER_REAL, &(struct itimerval){often, often}, NULL);
    char option[32];
    snprintf(option, sizeof option, "isolate=%d", PATIENCE);
    double used = children();
    tell("l", option);
    setitimer(ITIMER_REAL, &(struct itimerval){{0}, {0}}, NULL);
    sigaction(SIGALRM, &before, NULL);
    used = children() - used;
    printf("%.0f ms of processor time\n", used);
    assert(used > PATIENCE * 0.9);
}

/* A host whose children are nobody's to wait for. */
static void test_ignored_children(void) {
    signal(SIGCHLD, SIG_IGN);
    tell("c", "isolate=300");
    tell("l", "isolate=300");
    signal(SIGCHLD, SIG_DFL);
}

/* The processor time of the first child of another process, in milliseconds; 0: it has none. */
static double time_of_child(pid_t parent) {
    char path[64], line[32] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    FILE *file = fopen(path, "r");
    assert(file);
    pid_t child = fgets(line, sizeof line, file) ? atoi(line) : 0;
    fclose(file);
    clockid_t clock;
    struct timespec time;
    if (child == 0 || clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* A worker in an endless loop ends soon after its host was killed. */
static void test_killed_host(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* the worker becomes ours */
    fflush(stdout);
    pid_t host = fork();
    assert(host >= 0);
    if (host == 0) {
        tell("l", "isolate=3600000");
        _exit(0);
    }
    double used = 0; /* by the worker: it has looked for its host, and goes on */
    for (int i = 0; i < 600 && used < 1200; i++) {
        usleep(100000);
        used = time_of_child(host);
    }
    assert(used >= 1200);
    kill(host, SIGKILL);
    assert(waitpid(host, NULL, 0) == host);
    pid_t worker = 0;
    for (int i = 0; i < 600 && worker == 0; i++) { /* a minute, as it looks by its processor time */
        worker = waitpid(-1, NULL, WNOHANG);
        usleep(100000);
    }
    assert(worker > 0);
}

int main(void) {
    test_signals();
    puts("ok signals");
    test_ignored_children();
    puts("ok ignored_children");
    test_killed_host();
    puts("ok killed_host");
    return 0;
}
