/* Processes: one stands for all users of the streams. */
#ifndef BSD_SYS_PROC_H
#define BSD_SYS_PROC_H
#pragma GCC system_header
#include <sys/ucred.h>
struct pcred {
    struct ucred *pc_ucred;
    uid_t p_ruid, p_svuid;
};
struct proc {
    struct pcred *p_cred;
    pid_t p_pid;
    u_short p_acflag;
    char p_comm[MAXCOMLEN + 1];
};
#define p_ucred p_cred->pc_ucred
extern struct proc *curproc, proc0;
struct proc *pfind(pid_t pid);
#endif
