/* Masks of Internet networks. Results that say whether something is so are zero if it is not. */
#ifndef XK_NETMASK_H
#define XK_NETMASK_H

extern IPhost IP_LOCAL_BCAST;

void netMaskInit(void);
int netMaskAdd(IPhost *net, IPhost *mask); /* 0, or -1: the table is full */
void netMaskFind(IPhost *mask, IPhost *host);
void netMaskDefault(IPhost *mask, IPhost *host); /* of the class of the address */
int netMaskSubnetsEqual(IPhost *, IPhost *);
int netMaskNetsEqual(IPhost *, IPhost *);
int netMaskIsBroadcast(IPhost *);

#endif
