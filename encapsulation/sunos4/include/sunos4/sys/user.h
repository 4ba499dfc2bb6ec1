/* What protocols read of the current user. */
#ifndef SUNOS_SYS_USER_H
#define SUNOS_SYS_USER_H
#pragma GCC system_header
#include <sys/param.h>
#include <sys/proc.h>
#include <sys/systm.h>

struct user {
    struct proc *u_procp;
    struct ucred *u_cred;
    int u_error;
    short u_acflag;
    char u_comm[17];
};
#define u_uid u_cred->cr_uid
#define u_gid u_cred->cr_gid
#define u_ruid u_cred->cr_ruid
#define u_rgid u_cred->cr_rgid
#define u_groups u_cred->cr_groups
extern struct user u;

#endif
