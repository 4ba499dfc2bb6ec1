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
            u_char control;
            struct frmrinfo {
                u_char rej_pdu_0, rej_pdu_1, frmr_control, frmr_control_ext, frmr_cause;
            } frmrinfo;
        } type_frmr;
        struct {
            u_char control, control_ext;
        } type_raw;
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
#define llc_control_ext llc_un.type_raw.control_ext
#define llc_frmrinfo llc_un.type_frmr.frmrinfo
#define llc_frmr_pdu0 llc_un.type_frmr.frmrinfo.rej_pdu_0
#define llc_frmr_pdu1 llc_un.type_frmr.frmrinfo.rej_pdu_1
#define llc_frmr_control llc_un.type_frmr.frmrinfo.frmr_control
#define llc_frmr_control_ext llc_un.type_frmr.frmrinfo.frmr_control_ext
#define llc_frmr_cause llc_un.type_frmr.frmrinfo.frmr_cause
/* Lengths of headers on the wire. */
#define LLC_ISFRAMELEN 4
#define LLC_UFRAMELEN 3
#define LLC_FRMRLEN 7
#define LLC_DISC 0x43
#define LLC_DISC_P 0x53
#define LLC_UA 0x63
#define LLC_UA_P 0x73
#define LLC_FRMR 0x87
#define LLC_FRMR_P 0x97
#define LLC_DM 0x0f
#define LLC_DM_P 0x1f
#define LLC_SABME 0x6f
#define LLC_SABME_P 0x7f
#define LLC_INFO 0x00
#define LLC_RR 0x01
#define LLC_RNR 0x05
#define LLC_REJ 0x09
#define LLC_X25_LSAP 0x7e
#define LLC_UI 0x3
#define LLC_UI_P 0x13
#define LLC_XID 0xaf
#define LLC_XID_P 0xbf
#define LLC_TEST 0xe3
#define LLC_TEST_P 0xf3
#define LLC_ISO_LSAP 0xfe
#define LLC_SNAP_LSAP 0xaa
#endif
