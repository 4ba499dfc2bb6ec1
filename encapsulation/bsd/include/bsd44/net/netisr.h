/* Software interrupts of protocols: each runs its routine once the entry that scheduled it is done. */
#ifndef BSD_NET_NETISR_H
#define BSD_NET_NETISR_H
#pragma GCC system_header
#define NETISR_RAW 0
#define NETISR_IP 2
#define NETISR_IMP 3
#define NETISR_NS 6
#define NETISR_ISO 7
#define NETISR_CCITT 10
#define NETISR_ATALK 16
#define NETISR_ARP 18
#define NETISR_IPX 23
#define NETISR_USER 28 /* from here to 31: for others */
extern int netisr;
#define schednetisr(anisr) ((void)(netisr |= 1 << (anisr)))
#define setsoftnet() ((void)0)
#endif
