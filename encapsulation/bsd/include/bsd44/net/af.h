#ifndef BSD_NET_AF_H
#define BSD_NET_AF_H
#pragma GCC system_header
struct afhash {
    unsigned afh_hosthash, afh_nethash;
};
#endif
