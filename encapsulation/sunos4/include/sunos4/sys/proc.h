/* Processes: one stands for all users of the streams. */
#ifndef SUNOS_SYS_PROC_H
#define SUNOS_SYS_PROC_H
#pragma GCC system_header
#include <sys/ucred.h>
struct proc {
    uid_t p_uid, p_suid;
    short p_pid, p_ppid, p_pgrp;
    int p_flag;
    struct ucred *p_cred;
};
extern struct proc *curproc, proc0;
struct proc *pfind(pid_t pid);
#endif
