/* The configuration of lwIP in a capsule: one thread, no sockets, memory from the host's accounts. */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_TIMERS 1
#define LWIP_SOCKET 0
#define LWIP_NETCONN 0
#define LWIP_RAW 1
#define LWIP_ARP 0
#define LWIP_DHCP 0
#define LWIP_DNS 0
#define LWIP_IPV4 1
#define LWIP_IPV6 1
#define LWIP_IPV6_AUTOCONFIG 0
#define LWIP_ICMP6 1
#define IPV6_FRAG_COPYHEADER 1
#define LWIP_IPV6_MLD 0
#define LWIP_IPV6_DUP_DETECT_ATTEMPTS 0
#define LWIP_NETIF_LOOPBACK 1
#define LWIP_HAVE_LOOPIF 0

/* Blocks of the host pass through without copying. */
#define LWIP_SUPPORT_CUSTOM_PBUF 1
#define LWIP_NETIF_TX_SINGLE_PBUF 0

/* As usual, but never the end: one port after it, of 16 bits, is 0, and the first bind without a port fails. */
#define TCP_LOCAL_PORT_RANGE_START 0xc000
#define TCP_LOCAL_PORT_RANGE_END 0xffff
#define TCP_ENSURE_LOCAL_PORT_RANGE(port) \
    ((u16_t)(TCP_LOCAL_PORT_RANGE_START + (port) % (TCP_LOCAL_PORT_RANGE_END - TCP_LOCAL_PORT_RANGE_START)))

/* Memory: pools would be the same for all uses of a capsule. What a peer can make it keep is bounded below. */
#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define MEM_ALIGNMENT 8
#define IP_REASS_MAX_PBUFS 64
#define TCP_LISTEN_BACKLOG 1
#define TCP_QUEUE_OOSEQ 1
#define TCP_OOSEQ_MAX_BYTES TCP_WND
#define TCP_OOSEQ_MAX_PBUFS 1024

/* Long fat networks. */
#define LWIP_TCP 1
#define LWIP_UDP 1
#define TCP_MSS 1460
#define LWIP_WND_SCALE 1
#define TCP_RCV_SCALE 4
#define TCP_WND (512 * 1024)
#define TCP_SND_BUF (512 * 1024)
#define TCP_SND_QUEUELEN 4096
#define MEMP_NUM_TCP_SEG 4096
#define TCP_SNDLOWAT (TCP_SND_BUF / 2)
#define TCP_SNDQUEUELOWAT (TCP_SND_QUEUELEN / 2)
#define LWIP_TCP_TIMESTAMPS 1
#define LWIP_TCP_SACK_OUT 1
#define TCP_OVERSIZE 0
#define SO_REUSE 1

#define LWIP_STATS 1
#define LWIP_STATS_DISPLAY 0
#define LWIP_DEBUG 0
/* Pools that are not used have no size to check. */
#define LWIP_DISABLE_TCP_SANITY_CHECKS 1

#endif
