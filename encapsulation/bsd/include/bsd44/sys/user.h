/* Of other parts of the kernel: nothing here concerns protocols. */
#ifndef BSD_SYS_USER_H
#define BSD_SYS_USER_H
#pragma GCC system_header
#include <sys/param.h>
#include <sys/proc.h>

/* What sources of Net/2 and before read of the current user. */
struct user {
    struct ucred *u_cred;
    struct proc *u_procp;
    u_short u_acflag;
    int u_error;
};
extern struct user u;

#endif
