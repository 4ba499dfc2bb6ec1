/* The processes of isolated instances. */
#define _GNU_SOURCE
#define STR_PREFIXED
#include "outlet.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

int64_t worker_time(const struct isolate *it) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(it->pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return -1;
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Waits for the process; by its number alone where there are no descriptors of processes (old kernels, valgrind). */
static int wait_for(const struct isolate *it, siginfo_t *about, int options) {
    if (it->process < 0)
        return waitid(P_PID, (id_t)it->pid, about, options);
    return waitid((idtype_t)3 /* P_PIDFD */, (id_t)it->process, about, options);
}

int worker_end(struct isolate *it) {
    siginfo_t about = {0};
    if (it->pid <= 0)
        return 0;
    if (it->process >= 0)
        syscall(SYS_pidfd_send_signal, it->process, SIGKILL, NULL, 0);
    else
        kill(it->pid, SIGKILL);
    while (wait_for(it, &about, WEXITED) != 0 && errno == EINTR)
        ;
    if (it->process >= 0)
        close(it->process);
    it->process = -1;
    it->pid = 0;
    return about.si_code == CLD_EXITED ? 0 : about.si_status;
}

bool worker_has_ended(const struct isolate *it) {
    struct pollfd process = {.fd = it->process, .events = POLLIN};
    siginfo_t about = {0};
    if (it->process >= 0)
        return poll(&process, 1, 0) > 0;
    if (wait_for(it, &about, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD;
    return about.si_pid != 0;
}

int worker_start(struct isolate *it, const char *program, int area, int capsule) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_adddup2(&files, area, 3);
    posix_spawn_file_actions_adddup2(&files, capsule, 4);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    char *arguments[] = {(char *)program, NULL};
    int error = posix_spawn(&it->pid, program, &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error)
        it->pid = 0;
    else
        it->process = (int)syscall(SYS_pidfd_open, it->pid, 0);
    if (!error && it->process < 0 && errno != ENOSYS)
        error = errno;
    if (error)
        worker_end(it);
    return error;
}
