#ifndef BSD_NET_BPF_H
#define BSD_NET_BPF_H
#pragma GCC system_header
#define DLT_NULL 0
#define DLT_EN10MB 1
#define bpfattach(a, b, c, d) ((void)0)
#define bpf_mtap(a, b) ((void)0)
#endif
