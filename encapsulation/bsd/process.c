/* What processes would do: one stands for all users of the streams (4.4BSD). */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/proc.h>
#include <sys/sysctl.h>
#include <sys/systm.h>
#include <sys/user.h>

static struct ucred credentials = {.cr_ref = 1, .cr_ngroups = 1};
static struct pcred process_credentials = {.pc_ucred = &credentials};
struct proc proc0 = {.p_cred = &process_credentials, .p_comm = "streams"};
struct proc *curproc = &proc0;
struct user u = {&credentials, &proc0, 0, 0};

void psignal(struct proc *process, int number) { (void)process, (void)number; }
struct proc *pfind(pid_t pid) { return (void)pid, NULL; }

/* Users of streams are trusted: what they may do is the program's decision. */
int suser(struct ucred *cred, u_short *acflag) {
    (void)cred, (void)acflag;
    return 0;
}

int sysctl_int(void *oldp, size_t *oldlenp, void *newp, size_t newlen, int *value) {
    if (oldp && *oldlenp < sizeof *value)
        return ENOMEM;
    if (newp && newlen != sizeof *value)
        return EINVAL;
    *oldlenp = sizeof *value;
    if (oldp)
        memcpy(oldp, value, sizeof *value);
    if (newp)
        memcpy(value, newp, sizeof *value);
    return 0;
}

int sysctl_rdint(void *oldp, size_t *oldlenp, void *newp, int value) {
    return newp ? EPERM : sysctl_int(oldp, oldlenp, NULL, 0, &value);
}

/* A structure that users may read, and one that they may write, too. */
int sysctl_rdstruct(void *oldp, size_t *oldlenp, void *newp, const void *from, int length) {
    if (newp)
        return EPERM;
    if (oldp && *oldlenp < (size_t)length)
        return ENOMEM;
    *oldlenp = (size_t)length;
    if (oldp)
        memcpy(oldp, from, (size_t)length);
    return 0;
}

int sysctl_struct(void *oldp, size_t *oldlenp, void *newp, size_t newlen, void *at, int length) {
    if (newp && newlen > (size_t)length)
        return EINVAL;
    int error = sysctl_rdstruct(oldp, oldlenp, NULL, at, length);
    if (!error && newp)
        memcpy(at, newp, newlen);
    return error;
}

int sysctl_rdstring(void *oldp, size_t *oldlenp, void *newp, const char *text) {
    return sysctl_rdstruct(oldp, oldlenp, newp, text, (int)strlen(text) + 1);
}
