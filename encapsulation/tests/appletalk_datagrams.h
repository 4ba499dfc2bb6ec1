/* Endpoints of DDP: what tests do with them. */
#ifndef TESTS_APPLETALK_DATAGRAMS_H
#define TESTS_APPLETALK_DATAGRAMS_H

#include "appletalk_network.h"
#include "stacks/appletalk/streams/appletalk.h"

static inline struct str_stream *datagrams(struct side *side, at_byte socket, at_byte type)
{
    struct str_stream *stream;
    assert(side->graph->open_ddp(&side->node, &stream) == 0);
    assert(graph_bind(&side->node, stream, socket, type) == socket || socket == 0);
    return stream;
}

/* Sends a request and takes the answer. */
static inline mblk_t *answer_to(struct side *side, struct str_stream *stream, mblk_t *mp)
{
    assert(mp != NULL && str_send(stream, mp) == 0);
    str_run(side->node.host);
    assert(str_receive(stream, &mp) == 0);
    return mp;
}

static inline t_scalar_t error_of(mblk_t *mp)
{
    t_scalar_t error;
    assert(tpi_type(mp) == T_ERROR_ACK);
    error = ((struct T_error_ack *)mp->b_rptr)->TLI_error;
    freemsg(mp);
    return error;
}

static inline mblk_t *bind_to(at_byte socket, at_byte type)
{
    const struct at_address address = {0, 0, socket};
    at_byte name[AT_NAME_LENGTH];
    at_name_write(name, &address, type);
    return tpi_bind_req(name, sizeof name, 0);
}

static inline mblk_t *of(t_scalar_t type)
{
    mblk_t *mp = allocb(sizeof type, BPRI_MED);
    assert(mp != NULL);
    mp->b_datap->db_type = M_PROTO;
    memcpy(mp->b_wptr, &type, sizeof type);
    mp->b_wptr += sizeof type;
    return mp;
}

static inline mblk_t *text(const char *words, size_t count)
{
    mblk_t *mp = allocb(count, BPRI_MED);
    assert(mp != NULL);
    memcpy(mp->b_wptr, words, count);
    mp->b_wptr += count;
    return mp;
}

static inline int send_to(struct side *side, struct str_stream *stream, struct at_address to, at_byte type,
                          mblk_t *data)
{
    at_byte name[AT_NAME_LENGTH];
    str_enter(side->node.host);
    at_name_write(name, &to, type);
    return str_send(stream, tpi_unitdata_req(name, sizeof name, data));
}

static inline void expect_text(struct str_stream *stream, struct at_address from, at_byte type, const char *words)
{
    struct at_address sender;
    at_byte found;
    mblk_t *mp;
    struct tpi_range name;
    assert(str_receive(stream, &mp) == 0 && tpi_type(mp) == T_UNITDATA_IND);
    name = tpi_address(mp);
    assert(at_name_read(name.bytes, (at_long)name.length, &sender, &found) == 0);
    assert(at_same_address(&sender, &from) && found == type);
    assert(msgdsize(mp) == strlen(words) && (mp->b_cont == NULL || pullupmsg(mp->b_cont, -1)));
    assert(strlen(words) == 0 || memcmp(mp->b_cont->b_rptr, words, strlen(words)) == 0);
    freemsg(mp);
}

static inline void expect_nothing(struct str_stream *stream)
{
    mblk_t *mp;
    assert(str_receive(stream, &mp) == EAGAIN);
}

static inline void expect_error(struct str_stream *stream, t_scalar_t error)
{
    mblk_t *mp;
    assert(str_receive(stream, &mp) == 0 && tpi_type(mp) == T_UDERROR_IND);
    assert(((struct T_uderror_ind *)mp->b_rptr)->ERROR_type == error);
    freemsg(mp);
}

static inline unsigned long dropped(struct side *side, enum at_ddp_fault fault)
{
    struct at_ddp_counts counts;
    assert(graph_control(&side->node, side->node.control, DDP_GET_COUNTS, &counts, sizeof counts) == 0);
    return counts.dropped[fault];
}

#endif
