/* TPI primitives: checks and builders. */
#define STR_PREFIXED
#include "tpi.h"

#include <string.h>

#define NONE 0xff

/* Where a structure has its lengths; the offset follows each. In bytes. */
struct shape {
    unsigned char size, address, options, unused;
};

#define SHAPE(type, structure, address, options) [type] = {sizeof(struct structure), address, options, 0}
#define AT(structure, field) offsetof(struct structure, field)

static const struct shape shapes[] = {
    SHAPE(T_CONN_REQ, T_conn_req, AT(T_conn_req, DEST_length), AT(T_conn_req, OPT_length)),
    SHAPE(T_CONN_RES, T_conn_res, NONE, AT(T_conn_res, OPT_length)),
    SHAPE(T_DISCON_REQ, T_discon_req, NONE, NONE),
    SHAPE(T_DATA_REQ, T_data_req, NONE, NONE),
    SHAPE(T_EXDATA_REQ, T_exdata_req, NONE, NONE),
    SHAPE(T_INFO_REQ, T_info_req, NONE, NONE),
    SHAPE(T_BIND_REQ, T_bind_req, AT(T_bind_req, ADDR_length), NONE),
    SHAPE(T_UNBIND_REQ, T_unbind_req, NONE, NONE),
    SHAPE(T_UNITDATA_REQ, T_unitdata_req, AT(T_unitdata_req, DEST_length), AT(T_unitdata_req, OPT_length)),
    SHAPE(T_OPTMGMT_REQ, T_optmgmt_req, NONE, AT(T_optmgmt_req, OPT_length)),
    SHAPE(T_ORDREL_REQ, T_ordrel_req, NONE, NONE),
    SHAPE(T_CONN_IND, T_conn_ind, AT(T_conn_ind, SRC_length), AT(T_conn_ind, OPT_length)),
    SHAPE(T_CONN_CON, T_conn_con, AT(T_conn_con, RES_length), AT(T_conn_con, OPT_length)),
    SHAPE(T_DISCON_IND, T_discon_ind, NONE, NONE),
    SHAPE(T_DATA_IND, T_data_ind, NONE, NONE),
    SHAPE(T_EXDATA_IND, T_exdata_ind, NONE, NONE),
    SHAPE(T_INFO_ACK, T_info_ack, NONE, NONE),
    SHAPE(T_BIND_ACK, T_bind_ack, AT(T_bind_ack, ADDR_length), NONE),
    SHAPE(T_ERROR_ACK, T_error_ack, NONE, NONE),
    SHAPE(T_OK_ACK, T_ok_ack, NONE, NONE),
    SHAPE(T_UNITDATA_IND, T_unitdata_ind, AT(T_unitdata_ind, SRC_length), AT(T_unitdata_ind, OPT_length)),
    SHAPE(T_UDERROR_IND, T_uderror_ind, AT(T_uderror_ind, DEST_length), AT(T_uderror_ind, OPT_length)),
    SHAPE(T_OPTMGMT_ACK, T_optmgmt_ack, NONE, AT(T_optmgmt_ack, OPT_length)),
    SHAPE(T_ORDREL_IND, T_ordrel_ind, NONE, NONE),
    SHAPE(T_ADDR_REQ, T_addr_req, NONE, NONE),
    SHAPE(T_ADDR_ACK, T_addr_ack, AT(T_addr_ack, LOCADDR_length), AT(T_addr_ack, REMADDR_length)),
    SHAPE(T_CAPABILITY_REQ, T_capability_req, NONE, NONE),
    SHAPE(T_CAPABILITY_ACK, T_capability_ack, NONE, NONE),
};

#define NAME(type) [type] = #type

static const char *const names[] = {
    NAME(T_CONN_REQ), NAME(T_CONN_RES), NAME(T_DISCON_REQ), NAME(T_DATA_REQ), NAME(T_EXDATA_REQ), NAME(T_INFO_REQ),
    NAME(T_BIND_REQ), NAME(T_UNBIND_REQ), NAME(T_UNITDATA_REQ), NAME(T_OPTMGMT_REQ), NAME(T_ORDREL_REQ),
    NAME(T_CONN_IND), NAME(T_CONN_CON), NAME(T_DISCON_IND), NAME(T_DATA_IND), NAME(T_EXDATA_IND), NAME(T_INFO_ACK),
    NAME(T_BIND_ACK), NAME(T_ERROR_ACK), NAME(T_OK_ACK), NAME(T_UNITDATA_IND), NAME(T_UDERROR_IND),
    NAME(T_OPTMGMT_ACK), NAME(T_ORDREL_IND), NAME(T_ADDR_REQ), NAME(T_ADDR_ACK), NAME(T_CAPABILITY_REQ),
    NAME(T_CAPABILITY_ACK),
};

#define TYPES (sizeof shapes / sizeof *shapes)

static const struct shape *shape_of(int type) { return (unsigned)type < TYPES ? &shapes[type] : NULL; }

const char *tpi_name(int type) { return (unsigned)type < TYPES ? names[type] : "?"; }

size_t tpi_size(int type) { return (unsigned)type < TYPES ? shapes[type].size : 0; }

/* Whether a length and the offset after it describe a part of the block behind the structure. Negative ones are larger
 * than a block may be. */
static inline bool within(const mblk_t *block, uint64_t all, unsigned size, unsigned at) {
    uint32_t range[2];
    if (at == NONE)
        return true;
    memcpy(range, block->b_rptr + at, sizeof range);
    return range[0] == 0 || (range[1] >= size && (uint64_t)range[0] + range[1] <= all);
}

/* The structure, or NULL: the block has no complete one. */
static inline const struct shape *structure(const mblk_t *block, uint64_t *all, t_scalar_t *type) {
    unsigned char kind = block->b_datap->db_type;
    uint64_t length = (uint64_t)(block->b_wptr - block->b_rptr);
    if (__builtin_expect(kind != M_PROTO, 0) && kind != M_PCPROTO)
        return NULL;
    /* A negative length is a large one. */
    if (length - sizeof *type > INT32_MAX - sizeof *type || (uintptr_t)block->b_rptr % _Alignof(t_scalar_t) != 0)
        return NULL;
    memcpy(type, block->b_rptr, sizeof *type);
    if ((unsigned)*type >= TYPES || length < shapes[*type].size)
        return NULL;
    *all = length;
    return &shapes[*type];
}

int tpi_type(const mblk_t *block) {
    uint64_t all;
    t_scalar_t type;
    const struct shape *shape = structure(block, &all, &type);
    if (!shape || !within(block, all, shape->size, shape->address) || !within(block, all, shape->size, shape->options))
        return -1;
    return type;
}

static inline struct tpi_range range_at(const mblk_t *block, uint64_t all, unsigned size, unsigned at) {
    t_scalar_t range[2] = {0, 0};
    if (at != NONE && within(block, all, size, at))
        memcpy(range, block->b_rptr + at, sizeof range);
    return range[0] ? (struct tpi_range){block->b_rptr + range[1], (size_t)range[0]} : (struct tpi_range){NULL, 0};
}

/* They check their own range only. */
struct tpi_range tpi_address(const mblk_t *block) {
    uint64_t all;
    t_scalar_t type;
    const struct shape *shape = structure(block, &all, &type);
    return shape ? range_at(block, all, shape->size, shape->address) : (struct tpi_range){NULL, 0};
}

struct tpi_range tpi_options(const mblk_t *block) {
    uint64_t all;
    t_scalar_t type;
    const struct shape *shape = structure(block, &all, &type);
    return shape ? range_at(block, all, shape->size, shape->options) : (struct tpi_range){NULL, 0};
}

/* Acknowledgements have high priority. */
static unsigned char message_type(int type) {
    switch (type) {
    case T_INFO_REQ:
    case T_INFO_ACK:
    case T_BIND_ACK:
    case T_ERROR_ACK:
    case T_OK_ACK:
    case T_OPTMGMT_ACK:
    case T_ADDR_ACK:
    case T_CAPABILITY_REQ:
    case T_CAPABILITY_ACK:
        return M_PCPROTO;
    default:
        return M_PROTO;
    }
}

/* Expedited data is a priority band of its own. */
static unsigned char band(int type) { return type == T_EXDATA_REQ || type == T_EXDATA_IND; }

mblk_t *tpi_make_with(int type, const void *address, size_t length, mblk_t *data) {
    const struct shape *shape = shape_of(type);
    bool fits = shape && (length == 0 || (shape->address != NONE && length <= INT32_MAX / 2));
    mblk_t *message = fits ? str_allocb(shape->size + length, BPRI_HI) : NULL;
    if (!message) {
        str_freemsg(data);
        return NULL;
    }
    t_scalar_t number = type;
    memset(message->b_rptr, 0, shape->size);
    memcpy(message->b_rptr, &number, sizeof number);
    message->b_wptr += shape->size;
    if (shape->address != NONE) {
        t_scalar_t range[2] = {(t_scalar_t)length, shape->size};
        memcpy(message->b_rptr + shape->address, range, sizeof range);
        if (length > 0)
            memcpy(message->b_wptr, address, length);
        message->b_wptr += length;
    }
    message->b_datap->db_type = message_type(type);
    message->b_band = band(type);
    message->b_cont = data;
    return message;
}

mblk_t *tpi_make(int type) { return tpi_make_with(type, NULL, 0, NULL); }

static union T_primitives *in(mblk_t *message) { return (union T_primitives *)(void *)message->b_rptr; }

mblk_t *tpi_ok_ack(t_scalar_t primitive) {
    mblk_t *message = tpi_make(T_OK_ACK);
    if (message)
        in(message)->ok_ack.CORRECT_prim = primitive;
    return message;
}

mblk_t *tpi_error_ack(t_scalar_t primitive, t_scalar_t error, int unix_error) {
    mblk_t *message = tpi_make(T_ERROR_ACK);
    if (message) {
        in(message)->error_ack.ERROR_prim = primitive;
        in(message)->error_ack.TLI_error = error;
        in(message)->error_ack.UNIX_error = error == TSYSERR ? unix_error : 0;
    }
    return message;
}

mblk_t *tpi_bind_req(const void *address, size_t length, t_uscalar_t connections) {
    mblk_t *message = tpi_make_with(T_BIND_REQ, address, length, NULL);
    if (message)
        in(message)->bind_req.CONIND_number = connections;
    return message;
}

mblk_t *tpi_bind_ack(const void *address, size_t length, t_uscalar_t connections) {
    mblk_t *message = tpi_make_with(T_BIND_ACK, address, length, NULL);
    if (message)
        in(message)->bind_ack.CONIND_number = connections;
    return message;
}

mblk_t *tpi_conn_req(const void *address, size_t length, mblk_t *data) {
    return tpi_make_with(T_CONN_REQ, address, length, data);
}

mblk_t *tpi_conn_ind(const void *address, size_t length, t_scalar_t sequence, mblk_t *data) {
    mblk_t *message = tpi_make_with(T_CONN_IND, address, length, data);
    if (message)
        in(message)->conn_ind.SEQ_number = sequence;
    return message;
}

mblk_t *tpi_conn_res(t_uscalar_t acceptor, t_scalar_t sequence, mblk_t *data) {
    mblk_t *message = tpi_make_with(T_CONN_RES, NULL, 0, data);
    if (message) {
        in(message)->conn_res.ACCEPTOR_id = acceptor;
        in(message)->conn_res.SEQ_number = sequence;
    }
    return message;
}

mblk_t *tpi_conn_con(const void *address, size_t length, mblk_t *data) {
    return tpi_make_with(T_CONN_CON, address, length, data);
}

mblk_t *tpi_discon_req(t_scalar_t sequence, mblk_t *data) {
    mblk_t *message = tpi_make_with(T_DISCON_REQ, NULL, 0, data);
    if (message)
        in(message)->discon_req.SEQ_number = sequence;
    return message;
}

mblk_t *tpi_discon_ind(t_scalar_t reason, t_scalar_t sequence, mblk_t *data) {
    mblk_t *message = tpi_make_with(T_DISCON_IND, NULL, 0, data);
    if (message) {
        in(message)->discon_ind.DISCON_reason = reason;
        in(message)->discon_ind.SEQ_number = sequence;
    }
    return message;
}

/* The four of data have the same structure. */
static mblk_t *with_data(int type, bool more, mblk_t *data) {
    mblk_t *message = tpi_make_with(type, NULL, 0, data);
    if (message)
        in(message)->data_req.MORE_flag = more;
    return message;
}

mblk_t *tpi_data_req(bool more, mblk_t *data) { return with_data(T_DATA_REQ, more, data); }

mblk_t *tpi_data_ind(bool more, mblk_t *data) { return with_data(T_DATA_IND, more, data); }

mblk_t *tpi_exdata_req(bool more, mblk_t *data) { return with_data(T_EXDATA_REQ, more, data); }

mblk_t *tpi_exdata_ind(bool more, mblk_t *data) { return with_data(T_EXDATA_IND, more, data); }

mblk_t *tpi_unitdata_req(const void *address, size_t length, mblk_t *data) {
    return tpi_make_with(T_UNITDATA_REQ, address, length, data);
}

mblk_t *tpi_unitdata_ind(const void *address, size_t length, mblk_t *data) {
    return tpi_make_with(T_UNITDATA_IND, address, length, data);
}

mblk_t *tpi_uderror_ind(const void *address, size_t length, t_scalar_t error) {
    mblk_t *message = tpi_make_with(T_UDERROR_IND, address, length, NULL);
    if (message)
        in(message)->uderror_ind.ERROR_type = error;
    return message;
}

mblk_t *tpi_info_ack(const struct T_info_ack *info) {
    mblk_t *message = tpi_make(T_INFO_ACK);
    if (message) {
        in(message)->info_ack = *info;
        in(message)->info_ack.PRIM_type = T_INFO_ACK;
    }
    return message;
}
