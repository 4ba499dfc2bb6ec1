/* Protocol switch. */
#ifndef BSD_SYS_PROTOSW_H
#define BSD_SYS_PROTOSW_H
#pragma GCC system_header

struct mbuf;
struct sockaddr;
struct socket;
struct domain;

struct protosw {
    short pr_type;            /* SOCK_... */
    struct domain *pr_domain; /* domain it belongs to */
    short pr_protocol;        /* number of the protocol */
    short pr_flags;
    void (*pr_input)();     /* input, from below */
    int (*pr_output)();     /* output, from above */
    void (*pr_ctlinput)();  /* control input, from below */
    int (*pr_ctloutput)();  /* control output, from above */
    int (*pr_usrreq)();     /* user request */
    void (*pr_init)();      /* once, before all others */
    void (*pr_fasttimo)();  /* every 200 ms */
    void (*pr_slowtimo)();  /* every 500 ms */
    void (*pr_drain)();     /* release memory if possible */
    int (*pr_sysctl)();
};

#define PR_SLOWHZ 2
#define PR_FASTHZ 5

#define PR_ATOMIC 0x01       /* exchanges atomic messages only */
#define PR_ADDR 0x02         /* addresses are given with messages */
#define PR_CONNREQUIRED 0x04 /* connection required by the protocol */
#define PR_WANTRCVD 0x08     /* wants PRU_RCVD calls */
#define PR_RIGHTS 0x10       /* passes capabilities */
#define PR_LISTEN 0x20       /* NetBSD: can listen */
#define PR_LASTHDR 0x40
#define PR_ABRTACPTDIS 0x80

#define PRU_ATTACH 0
#define PRU_DETACH 1
#define PRU_BIND 2
#define PRU_LISTEN 3
#define PRU_CONNECT 4
#define PRU_ACCEPT 5
#define PRU_DISCONNECT 6
#define PRU_SHUTDOWN 7
#define PRU_RCVD 8
#define PRU_SEND 9
#define PRU_ABORT 10
#define PRU_CONTROL 11
#define PRU_SENSE 12
#define PRU_RCVOOB 13
#define PRU_SENDOOB 14
#define PRU_SOCKADDR 15
#define PRU_PEERADDR 16
#define PRU_CONNECT2 17
#define PRU_FASTTIMO 18
#define PRU_SLOWTIMO 19
#define PRU_PROTORCV 20
#define PRU_PROTOSEND 21
#ifdef NetBSD
#define PRU_PURGEIF 22
#define PRU_NREQ 22
#else
#define PRU_NREQ 21
#endif

#ifdef PRUREQUESTS
char *prurequests[] = {
    "ATTACH",   "DETACH", "BIND",    "LISTEN", "CONNECT", "ACCEPT", "DISCONNECT", "SHUTDOWN", "RCVD",     "SEND",
    "ABORT",    "CONTROL", "SENSE",  "RCVOOB", "SENDOOB", "SOCKADDR", "PEERADDR", "CONNECT2", "FASTTIMO", "SLOWTIMO",
    "PROTORCV", "PROTOSEND", "PURGEIF",
};
#endif

#define PRC_IFDOWN 0
#define PRC_ROUTEDEAD 1
#define PRC_QUENCH2 3
#define PRC_QUENCH 4
#define PRC_MSGSIZE 5
#define PRC_HOSTDEAD 6
#define PRC_HOSTUNREACH 7
#define PRC_UNREACH_NET 8
#define PRC_UNREACH_HOST 9
#define PRC_UNREACH_PROTOCOL 10
#define PRC_UNREACH_PORT 11
#define PRC_UNREACH_SRCFAIL 13
#define PRC_REDIRECT_NET 14
#define PRC_REDIRECT_HOST 15
#define PRC_REDIRECT_TOSNET 16
#define PRC_REDIRECT_TOSHOST 17
#define PRC_TIMXCEED_INTRANS 18
#define PRC_TIMXCEED_REASS 19
#define PRC_PARAMPROB 20
#define PRC_NCMDS 21
#define PRC_IS_REDIRECT(c) ((c) >= PRC_REDIRECT_NET && (c) <= PRC_REDIRECT_TOSHOST)

#ifdef PRCREQUESTS
char *prcrequests[] = {
    "IFDOWN",       "ROUTEDEAD",    "#2",       "DEC-BIT-QUENCH2", "QUENCH",       "MSGSIZE",       "HOSTDEAD",
    "#7",           "NET-UNREACH",  "HOST-UNREACH", "PROTO-UNREACH", "PORT-UNREACH", "#12",          "SRCFAIL-UNREACH",
    "NET-REDIRECT", "HOST-REDIRECT", "TOSNET-REDIRECT", "TOSHOST-REDIRECT", "TX-INTRANS", "TX-REASS", "PARAMPROB",
};
#endif

#define PRCO_GETOPT 0
#define PRCO_SETOPT 1
#define PRCO_NCMDS 2

/* For the environment's own sources. */
#define BSD_OUTPUT_ROUTE , struct rtentry *rt __attribute__((unused)) /* the last parameter of if_output */
#define BSD_INPUT(pr, m, header, ifp) (*(pr)->pr_input)((m), (header))

struct protosw *pffindproto(int family, int protocol, int type);
struct protosw *pffindtype(int family, int type);
void pfctlinput(int command, struct sockaddr *address);

#endif
