/* Types of interfaces. */
#ifndef BSD_NET_IF_TYPES_H
#define BSD_NET_IF_TYPES_H
#pragma GCC system_header
#define IFT_OTHER 0x1
#define IFT_X25DDN 0x4
#define IFT_X25 0x5
#define IFT_ETHER 0x6
#define IFT_ISO88023 0x7
#define IFT_ISO88025 0x9
#define IFT_FDDI 0xf
#define IFT_PPP 0x17
#define IFT_LOOP 0x18
#define IFT_EON 0x19
#define IFT_SLIP 0x1c
#define IFT_LOCALTALK 0x2a
#endif
