/* Types of interfaces. */
#ifndef BSD_NET_IF_TYPES_H
#define BSD_NET_IF_TYPES_H
#pragma GCC system_header
#define IFT_OTHER 0x1
#define IFT_X25DDN 0x4
#define IFT_X25 0x5
#define IFT_1822 0x2
#define IFT_ETHER 0x6
#define IFT_ISO88023 0x7
#define IFT_ISO88024 0x8
#define IFT_ISO88025 0x9
#define IFT_ISO88026 0xa
#define IFT_HDH1822 0x3
#define IFT_STARLAN 0xb
#define IFT_P10 0xc
#define IFT_P80 0xd
#define IFT_HY 0xe
#define IFT_LAPB 0x10
#define IFT_SDLC 0x11
#define IFT_T1 0x12
#define IFT_ISDNBASIC 0x14
#define IFT_PTPSERIAL 0x16
#define IFT_X25PLE 0x28
#define IFT_ATM 0x25
#define IFT_ARCNET 0x23
#define IFT_FDDI 0xf
#define IFT_PPP 0x17
#define IFT_LOOP 0x18
#define IFT_EON 0x19
#define IFT_SLIP 0x1c
#define IFT_LOCALTALK 0x2a
#endif
