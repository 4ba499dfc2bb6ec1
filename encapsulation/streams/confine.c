/* Confines a process to computing (seccomp). */
#define _GNU_SOURCE
#define STR_PREFIXED
#include "isolate.h"

#include "isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEMORY (4UL << 30) /* bytes */

#if defined(__x86_64__)
#define PROCESSOR AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define PROCESSOR AUDIT_ARCH_AARCH64
#endif

#if defined(PROCESSOR) && !defined(__SANITIZE_ADDRESS__)
#define ALLOW(number)                                                                                                  \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define LOW(place) LOAD(args[place]) /* both processors are little-endian */
#define HIGH(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[place]) + 4)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define WRITES (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/* Before an object is loaded: reading of files, and what confines further. */
static const struct sock_filter loading[] = {
    ALLOW(SYS_read),
    ALLOW(SYS_pread64),
    ALLOW(SYS_lseek),
    ALLOW(SYS_fstat),
    ALLOW(SYS_newfstatat),
    ALLOW(SYS_prctl),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
    LOW(2),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, WRITES, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    REFUSE,
};

static bool install(const struct sock_filter *program, size_t count) {
    const struct sock_fprog all = {.len = (unsigned short)count, .filter = (struct sock_filter *)(uintptr_t)program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0) == 0;
}

static bool filter(const void *turn, bool is_loading) {
    const uint64_t address = (uintptr_t)turn;
    const struct sock_filter computing[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROCESSOR, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(SYS_mmap),
        ALLOW(SYS_munmap),
        ALLOW(SYS_mremap),
        ALLOW(SYS_mprotect),
        ALLOW(SYS_madvise),
        ALLOW(SYS_brk),
        ALLOW(SYS_close),
        ALLOW(SYS_getppid),
        ALLOW(SYS_rt_sigprocmask),
        ALLOW(SYS_rt_sigreturn),
        ALLOW(SYS_clock_gettime),
        ALLOW(SYS_exit),
        ALLOW(SYS_exit_group),
        /* It sleeps only in the host's turn: a sleep takes no processor time, so nothing else would limit it. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 11),
        LOW(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)address, 0, 8),
        HIGH(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(address >> 32), 0, 6),
        LOW(1),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAKE, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAIT, 0, 3),
        LOW(2),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TURN_HOST, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        REFUSE,
    };
    enum { COMPUTING = sizeof computing / sizeof *computing, LOADING = sizeof loading / sizeof *loading };
    struct sock_filter all[COMPUTING + LOADING + 1];
    size_t count = COMPUTING;
    memcpy(all, computing, sizeof computing);
    if (is_loading) {
        memcpy(all + count, loading, sizeof loading);
        count += LOADING;
    }
    all[count++] = (struct sock_filter)REFUSE;
    return install(all, count);
}

bool isolated_confine(const void *turn, bool is_loading) {
    if (is_loading)
        setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY, MEMORY});
    return filter(turn, is_loading);
}
#else
bool isolated_confine(const void *turn, bool is_loading) { return (void)turn, (void)is_loading, true; }
#endif
