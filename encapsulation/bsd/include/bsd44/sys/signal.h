/* Signals that sources of protocols name. */
#ifndef BSD_SYS_SIGNAL_H
#define BSD_SYS_SIGNAL_H
#pragma GCC system_header

#define SIGPIPE 13
#define SIGURG 16
#define SIGIO 23
struct proc;
void psignal(struct proc *process, int number);

#endif
