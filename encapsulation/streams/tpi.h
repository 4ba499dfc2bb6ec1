/* The Transport Provider Interface, version 1.5 (X/Open, Unix International): primitives, states, errors, and the
 * checks of lengths.
 *
 * A primitive is the first block of an M_PROTO or M_PCPROTO message and begins with its type. Addresses and
 * options are at offsets from the start of the block. Data follows in M_DATA blocks. */
#ifndef NACRE_STREAMS_TPI_H
#define NACRE_STREAMS_TPI_H

#include "stream.h"

typedef int32_t t_scalar_t;
typedef uint32_t t_uscalar_t;

enum {
    T_CONN_REQ = 0,
    T_CONN_RES,
    T_DISCON_REQ,
    T_DATA_REQ,
    T_EXDATA_REQ,
    T_INFO_REQ,
    T_BIND_REQ,
    T_UNBIND_REQ,
    T_UNITDATA_REQ,
    T_OPTMGMT_REQ,
    T_ORDREL_REQ,
    T_CONN_IND,
    T_CONN_CON,
    T_DISCON_IND,
    T_DATA_IND,
    T_EXDATA_IND,
    T_INFO_ACK,
    T_BIND_ACK,
    T_ERROR_ACK,
    T_OK_ACK,
    T_UNITDATA_IND,
    T_UDERROR_IND,
    T_OPTMGMT_ACK,
    T_ORDREL_IND,
    T_ADDR_REQ,
    T_ADDR_ACK,
    T_CAPABILITY_REQ,
    T_CAPABILITY_ACK
};

/* States of an endpoint (CURRENT_state). */
enum {
    TS_UNBND = 0,
    TS_WACK_BREQ,
    TS_WACK_UREQ,
    TS_IDLE,
    TS_WACK_OPTREQ,
    TS_WACK_CREQ,
    TS_WCON_CREQ,
    TS_WRES_CIND,
    TS_WACK_CRES,
    TS_DATA_XFER,
    TS_WIND_ORDREL,
    TS_WREQ_ORDREL,
    TS_WACK_DREQ6,
    TS_WACK_DREQ7,
    TS_WACK_DREQ9,
    TS_WACK_DREQ10,
    TS_WACK_DREQ11,
    TS_NOSTATES
};

/* Errors (TLI_error, of T_ERROR_ACK). With TSYSERR, UNIX_error is an errno value. */
enum {
    TBADADDR = 1,
    TBADOPT,
    TACCES,
    TBADF,
    TNOADDR,
    TOUTSTATE,
    TBADSEQ,
    TSYSERR,
    TLOOK,
    TBADDATA,
    TBUFOVFLW,
    TFLOW,
    TNODATA,
    TNODIS,
    TNOUDERR,
    TBADFLAG,
    TNOREL,
    TNOTSUPPORT,
    TSTATECHNG,
    TNOSTRUCTYPE,
    TBADNAME,
    TBADQLEN,
    TADDRBUSY,
    TINDOUT,
    TPROVMISMATCH,
    TRESQLEN,
    TRESADDR,
    TQFULL,
    TPROTO
};

/* Service types (SERV_type), provider flags, and values of sizes. */
#define T_COTS 1
#define T_COTS_ORD 2
#define T_CLTS 3
#define SENDZERO 0x001
#define XPG4_1 0x002
#define T_INFINITE (-1)
#define T_INVALID (-2)

/* Flags of option management. */
#define T_NEGOTIATE 0x004
#define T_CHECK 0x008
#define T_DEFAULT 0x010
#define T_SUCCESS 0x020
#define T_FAILURE 0x040
#define T_CURRENT 0x080
#define T_PARTSUCCESS 0x100
#define T_READONLY 0x200
#define T_NOTSUPPORT 0x400

struct T_conn_req {
    t_scalar_t PRIM_type, DEST_length, DEST_offset, OPT_length, OPT_offset;
};

struct T_conn_res {
    t_scalar_t PRIM_type;
    t_uscalar_t ACCEPTOR_id; /* of the accepting endpoint: from its T_BIND_ACK's stream (T_capability), or I_FDINSERT */
    t_scalar_t OPT_length, OPT_offset, SEQ_number;
};

struct T_discon_req {
    t_scalar_t PRIM_type, SEQ_number;
};

struct T_data_req {
    t_scalar_t PRIM_type, MORE_flag;
};

struct T_exdata_req {
    t_scalar_t PRIM_type, MORE_flag;
};

struct T_info_req {
    t_scalar_t PRIM_type;
};

struct T_bind_req {
    t_scalar_t PRIM_type, ADDR_length, ADDR_offset;
    t_uscalar_t CONIND_number; /* connection indications that may wait: > 0 listens */
};

struct T_unbind_req {
    t_scalar_t PRIM_type;
};

struct T_unitdata_req {
    t_scalar_t PRIM_type, DEST_length, DEST_offset, OPT_length, OPT_offset;
};

struct T_optmgmt_req {
    t_scalar_t PRIM_type, OPT_length, OPT_offset, MGMT_flags;
};

struct T_ordrel_req {
    t_scalar_t PRIM_type;
};

struct T_addr_req {
    t_scalar_t PRIM_type;
};

struct T_conn_ind {
    t_scalar_t PRIM_type, SRC_length, SRC_offset, OPT_length, OPT_offset, SEQ_number;
};

struct T_conn_con {
    t_scalar_t PRIM_type, RES_length, RES_offset, OPT_length, OPT_offset;
};

struct T_discon_ind {
    t_scalar_t PRIM_type, DISCON_reason, SEQ_number;
};

struct T_data_ind {
    t_scalar_t PRIM_type, MORE_flag;
};

struct T_exdata_ind {
    t_scalar_t PRIM_type, MORE_flag;
};

struct T_info_ack {
    t_scalar_t PRIM_type, TSDU_size, ETSDU_size, CDATA_size, DDATA_size, ADDR_size, OPT_size, TIDU_size, SERV_type,
        CURRENT_state, PROVIDER_flag;
};

struct T_bind_ack {
    t_scalar_t PRIM_type, ADDR_length, ADDR_offset;
    t_uscalar_t CONIND_number;
};

struct T_error_ack {
    t_scalar_t PRIM_type, ERROR_prim, TLI_error, UNIX_error;
};

struct T_ok_ack {
    t_scalar_t PRIM_type, CORRECT_prim;
};

struct T_unitdata_ind {
    t_scalar_t PRIM_type, SRC_length, SRC_offset, OPT_length, OPT_offset;
};

struct T_uderror_ind {
    t_scalar_t PRIM_type, DEST_length, DEST_offset, OPT_length, OPT_offset, ERROR_type;
};

struct T_optmgmt_ack {
    t_scalar_t PRIM_type, OPT_length, OPT_offset, MGMT_flags;
};

struct T_ordrel_ind {
    t_scalar_t PRIM_type;
};

struct T_addr_ack {
    t_scalar_t PRIM_type, LOCADDR_length, LOCADDR_offset, REMADDR_length, REMADDR_offset;
};

/* Bits of CAP_bits1: what is asked for, and what the answer has. */
#define TC1_INFO 0x1
#define TC1_ACCEPTOR_ID 0x2

struct T_capability_req {
    t_scalar_t PRIM_type;
    t_uscalar_t CAP_bits1;
};

struct T_capability_ack {
    t_scalar_t PRIM_type;
    t_uscalar_t CAP_bits1;
    struct T_info_ack INFO_ack;
    t_uscalar_t ACCEPTOR_id;
};

/* An option (T_OPTMGMT_REQ); its value follows. */
struct opthdr {
    t_scalar_t level, name, len;
};

union T_primitives {
    t_scalar_t type;
    struct T_conn_req conn_req;
    struct T_conn_res conn_res;
    struct T_discon_req discon_req;
    struct T_data_req data_req;
    struct T_exdata_req exdata_req;
    struct T_info_req info_req;
    struct T_bind_req bind_req;
    struct T_unbind_req unbind_req;
    struct T_unitdata_req unitdata_req;
    struct T_optmgmt_req optmgmt_req;
    struct T_ordrel_req ordrel_req;
    struct T_addr_req addr_req;
    struct T_conn_ind conn_ind;
    struct T_conn_con conn_con;
    struct T_discon_ind discon_ind;
    struct T_data_ind data_ind;
    struct T_exdata_ind exdata_ind;
    struct T_info_ack info_ack;
    struct T_bind_ack bind_ack;
    struct T_error_ack error_ack;
    struct T_ok_ack ok_ack;
    struct T_unitdata_ind unitdata_ind;
    struct T_uderror_ind uderror_ind;
    struct T_optmgmt_ack optmgmt_ack;
    struct T_ordrel_ind ordrel_ind;
    struct T_addr_ack addr_ack;
    struct T_capability_req capability_req;
    struct T_capability_ack capability_ack;
};

/* A range of bytes within a primitive. */
struct tpi_range {
    const unsigned char *bytes;
    size_t length;
};

/* The type of the primitive of an M_PROTO or M_PCPROTO message, or -1: its first block is no complete structure of
 * a known type, is not aligned, or has an address or options outside the block. After success its structure may be
 * read at b_rptr. */
int tpi_type(const mblk_t *);
/* The address (source or destination) and the options of a primitive that tpi_type accepted; empty if it has none. */
struct tpi_range tpi_address(const mblk_t *);
struct tpi_range tpi_options(const mblk_t *);
const char *tpi_name(int type); /* "T_CONN_REQ" ..., or "?" */
size_t tpi_size(int type); /* of the structure, or 0 */

/* Builders. Each returns a message, or NULL without memory; then `data`, which the others append, has been freed. */
/* A primitive of the size of its structure, zeroed but for its type. `type` below 0 is refused. */
mblk_t *tpi_make(int type);
mblk_t *tpi_make_with(int type, const void *address, size_t length, mblk_t *data); /* with an address */
mblk_t *tpi_ok_ack(t_scalar_t primitive);
mblk_t *tpi_error_ack(t_scalar_t primitive, t_scalar_t error, int unix_error);
mblk_t *tpi_bind_req(const void *address, size_t length, t_uscalar_t connections);
mblk_t *tpi_bind_ack(const void *address, size_t length, t_uscalar_t connections);
mblk_t *tpi_conn_req(const void *address, size_t length, mblk_t *data);
mblk_t *tpi_conn_ind(const void *address, size_t length, t_scalar_t sequence, mblk_t *data);
mblk_t *tpi_conn_res(t_uscalar_t acceptor, t_scalar_t sequence, mblk_t *data);
mblk_t *tpi_conn_con(const void *address, size_t length, mblk_t *data);
mblk_t *tpi_discon_req(t_scalar_t sequence, mblk_t *data);
mblk_t *tpi_discon_ind(t_scalar_t reason, t_scalar_t sequence, mblk_t *data);
mblk_t *tpi_data_req(bool more, mblk_t *data);
mblk_t *tpi_data_ind(bool more, mblk_t *data);
mblk_t *tpi_exdata_req(bool more, mblk_t *data);
mblk_t *tpi_exdata_ind(bool more, mblk_t *data);
mblk_t *tpi_unitdata_req(const void *address, size_t length, mblk_t *data);
mblk_t *tpi_unitdata_ind(const void *address, size_t length, mblk_t *data);
mblk_t *tpi_uderror_ind(const void *address, size_t length, t_scalar_t error);
mblk_t *tpi_info_ack(const struct T_info_ack *);

#endif
