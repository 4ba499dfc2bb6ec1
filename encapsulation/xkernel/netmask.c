/* Masks of Internet networks. */
#include "inside.h"

#define MOST_MASKS 64

IPhost IP_LOCAL_BCAST = {255, 255, 255, 255};

static struct {
    IPhost net, mask;
} masks[MOST_MASKS];
static int count;

void netMaskInit(void) {}

int netMaskAdd(IPhost *net, IPhost *mask) {
    for (int i = 0; i < count; i++)
        if (IP_EQUAL(masks[i].net, *net)) {
            masks[i].mask = *mask;
            return 0;
        }
    if (count == MOST_MASKS)
        return -1;
    masks[count].net = *net;
    masks[count++].mask = *mask;
    return 0;
}

void netMaskDefault(IPhost *mask, IPhost *host) {
    *mask = (IPhost){255, host->a < 128 ? 0 : 255, host->a < 192 ? 0 : 255, 0};
}

static IPhost part(IPhost *host, IPhost *mask) {
    IPhost result;
    IP_AND(result, *host, *mask);
    return result;
}

void netMaskFind(IPhost *mask, IPhost *host) {
    netMaskDefault(mask, host);
    IPhost net = part(host, mask);
    for (int i = 0; i < count; i++)
        if (IP_EQUAL(masks[i].net, net))
            *mask = masks[i].mask;
}

int netMaskSubnetsEqual(IPhost *one, IPhost *other) {
    IPhost mask, theirs;
    netMaskFind(&mask, one);
    netMaskFind(&theirs, other);
    IPhost net = part(one, &mask), net_of_other = part(other, &mask);
    return IP_EQUAL(mask, theirs) && IP_EQUAL(net, net_of_other);
}

int netMaskNetsEqual(IPhost *one, IPhost *other) {
    IPhost mask, theirs;
    netMaskDefault(&mask, one);
    netMaskDefault(&theirs, other);
    IPhost net = part(one, &mask), net_of_other = part(other, &mask);
    return IP_EQUAL(mask, theirs) && IP_EQUAL(net, net_of_other);
}

/* All ones or all zeros in the part of the host. */
static bool is_uniform(IPhost *host, IPhost *mask) {
    IPhost rest, none = {0, 0, 0, 0};
    IP_COMP(rest, *mask);
    IPhost own = part(host, &rest);
    return IP_EQUAL(own, rest) || IP_EQUAL(own, none);
}

int netMaskIsBroadcast(IPhost *host) {
    IPhost mask, usual;
    netMaskFind(&mask, host);
    netMaskDefault(&usual, host);
    return IP_EQUAL(*host, IP_LOCAL_BCAST) || is_uniform(host, &mask) || is_uniform(host, &usual);
}
