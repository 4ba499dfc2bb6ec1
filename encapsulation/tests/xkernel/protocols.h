/* Test protocols in the style of the x-kernel: fragments, datagrams, requests with replies. */
#ifndef XK_TEST_PROTOCOLS_H
#define XK_TEST_PROTOCOLS_H

#include "xkernel.h"

/* frag: messages of up to FRAG_MOST frames between hosts. Its participants have a host. */
#define FRAG_HEADER 18
#define FRAG_MOST 16

/* dgram: ports above hosts; a checksum. Its participants have a host and a port (long) on top. */
#define DGRAM_HEADER 8

/* rr: requests that are repeated until the reply is there. Its participants have a host and a service (long) on top. */
#define RR_HEADER 12
#define RR_PORT 7
#define RR_TRIES 16
#define RR_WAIT 100000 /* microseconds */
#define RR_CTL 40
#define RR_GETRESENT (RR_CTL * MAXOPS + 0) /* an int */
#define RR_SETWAIT (RR_CTL * MAXOPS + 1)   /* an int, in microseconds */
#define RR_FAIL (RR_CTL * MAXOPS + 2)      /* a failed assertion */

extern int tracefragp, tracedgramp, tracerrp;
void frag_init(), dgram_init(), rr_init();

/* Numbers in network order at any place. */
#define PUT2(to, n) ((to)[0] = (char)((n) >> 8), (to)[1] = (char)(n))
#define GET2(from) ((u_char)(from)[0] << 8 | (u_char)(from)[1])
#define PUT4(to, n) (PUT2(to, (n) >> 16), PUT2((to) + 2, n))
#define GET4(from) ((u_int)GET2(from) << 16 | (u_int)GET2((from) + 2))

#endif
