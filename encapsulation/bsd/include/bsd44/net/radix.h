#ifndef BSD_NET_RADIX_H
#define BSD_NET_RADIX_H
#pragma GCC system_header
/* The routing table is a list here; rn_inithead serves as dom_rtattach. */
struct radix_node_head;
int rn_inithead(void **head, int offset);
#endif
