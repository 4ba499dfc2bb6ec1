/* Headers of IEEE 802.2. */
#ifndef BSD_NET_IF_LLC_H
#define BSD_NET_IF_LLC_H
#pragma GCC system_header
#include <sys/types.h>
struct llc {
    u_char llc_dsap, llc_ssap;
    union {
        struct {
            u_char control, format_id, class_u, window_x2;
        } type_u;
        struct {
            u_char num_snd_x2, num_rcv_x2;
        } type_i;
        struct {
            u_char control, num_rcv_x2;
        } type_s;
        struct {
            u_char control, org_code[3];
            u_short ether_type;
        } type_snap;
    } llc_un;
};
#define llc_control llc_un.type_u.control
#define llc_fid llc_un.type_u.format_id
#define llc_class llc_un.type_u.class_u
#define llc_window llc_un.type_u.window_x2
#define llc_snap llc_un.type_snap
#define llc_snap_org_code llc_un.type_snap.org_code
#define llc_snap_ether_type llc_un.type_snap.ether_type
#define llc_org_code llc_un.type_snap.org_code
#define llc_ether_type llc_un.type_snap.ether_type
#define LLC_UI 0x3
#define LLC_UI_P 0x13
#define LLC_XID 0xaf
#define LLC_XID_P 0xbf
#define LLC_TEST 0xe3
#define LLC_TEST_P 0xf3
#define LLC_ISO_LSAP 0xfe
#define LLC_SNAP_LSAP 0xaa
#endif
