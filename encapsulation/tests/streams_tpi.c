/* TPI: what the checks accept, and what the builders make. */
#include "streams_test.h"

static void test_builders(void) {
    static const unsigned char address[] = {1, 2, 3, 4, 5, 6};
    struct T_info_ack info = {.TSDU_size = 99, .SERV_type = T_CLTS};
    mblk_t *all[] = {
        tpi_ok_ack(T_BIND_REQ),
        tpi_error_ack(T_CONN_REQ, TSYSERR, ENOBUFS),
        tpi_bind_req(address, 6, 5),
        tpi_bind_ack(address, 6, 5),
        tpi_conn_req(address, 6, text("data")),
        tpi_conn_ind(address, 6, 8, NULL),
        tpi_conn_res(77, 8, NULL),
        tpi_conn_con(address, 6, NULL),
        tpi_discon_req(8, NULL),
        tpi_discon_ind(ECONNREFUSED, -1, NULL),
        tpi_data_req(true, text("data")),
        tpi_data_ind(false, text("data")),
        tpi_exdata_req(true, text("data")),
        tpi_exdata_ind(false, text("data")),
        tpi_unitdata_req(address, 6, text("data")),
        tpi_unitdata_ind(address, 6, text("data")),
        tpi_uderror_ind(address, 6, EHOSTUNREACH),
        tpi_info_ack(&info),
        tpi_make(T_ORDREL_REQ),
    };
    static const int types[] = {
        T_OK_ACK,       T_ERROR_ACK,    T_BIND_REQ,       T_BIND_ACK,       T_CONN_REQ,      T_CONN_IND,  T_CONN_RES,
        T_CONN_CON,     T_DISCON_REQ,   T_DISCON_IND,     T_DATA_REQ,       T_DATA_IND,      T_EXDATA_REQ, T_EXDATA_IND,
        T_UNITDATA_REQ, T_UNITDATA_IND, T_UDERROR_IND,    T_INFO_ACK,       T_ORDREL_REQ,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        CHECK(all[i] && tpi_type(all[i]) == types[i]);
        struct tpi_range range = tpi_address(all[i]);
        CHECK(range.length == 0 || (range.length == 6 && memcmp(range.bytes, address, 6) == 0));
        bool has_address = types[i] == T_BIND_REQ || types[i] == T_BIND_ACK || types[i] == T_CONN_REQ ||
                           types[i] == T_CONN_IND || types[i] == T_CONN_CON || types[i] == T_UNITDATA_REQ ||
                           types[i] == T_UNITDATA_IND || types[i] == T_UDERROR_IND;
        CHECK((range.length == 6) == has_address && tpi_options(all[i]).length == 0);
        bool high = types[i] == T_OK_ACK || types[i] == T_ERROR_ACK || types[i] == T_BIND_ACK || types[i] == T_INFO_ACK;
        CHECK(all[i]->b_datap->db_type == (high ? M_PCPROTO : M_PROTO));
        if (all[i]->b_cont)
            CHECK(has(all[i]->b_cont, "data"));
    }
    const union T_primitives *error = (const void *)all[1]->b_rptr, *bind = (const void *)all[2]->b_rptr;
    CHECK(error->error_ack.UNIX_error == ENOBUFS && error->error_ack.ERROR_prim == T_CONN_REQ);
    CHECK(bind->bind_req.CONIND_number == 5);
    CHECK(((const union T_primitives *)(const void *)all[10]->b_rptr)->data_req.MORE_flag == 1);
    CHECK(((const union T_primitives *)(const void *)all[17]->b_rptr)->info_ack.TSDU_size == 99);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        freemsg(all[i]);
}

static void test_builders_without_memory(void) {
    mblk_t *data = text("data");
    most_allocations = 1;
    CHECK(!tpi_unitdata_ind("x", 1, data)); /* the data is freed */
    most_allocations = 0;
    CHECK(!tpi_make(-1) && !tpi_make(1000) && !tpi_make_with(T_DATA_REQ, "x", 1, text("data")));
}

/* The same bytes as a message of a type. */
static mblk_t *raw(unsigned char type, const void *bytes, size_t count) {
    mblk_t *message = allocb(count, BPRI_LO);
    CHECK(message);
    memcpy(message->b_wptr, bytes, count);
    message->b_wptr += count;
    message->b_datap->db_type = type;
    return message;
}

static void test_lengths_and_offsets(void) {
    static const t_scalar_t bad[][2] = {
        {1, 0},  {1, 19}, {7, 20}, {6, 21},      {1, 26},          {-1, 20},
        {1, -1}, {1, 27}, {0x7fffffff, 20}, {6, 0x7fffffff}, {-0x7fffffff, -1},
    };
    struct {
        struct T_unitdata_req head;
        unsigned char address[6];
    } packet = {{.PRIM_type = T_UNITDATA_REQ}, {1, 2, 3, 4, 5, 6}};
    size_t size = sizeof packet.head + sizeof packet.address;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (unsigned options = 0; options < 2; options++) {
            packet.head.DEST_length = 6;
            packet.head.DEST_offset = 20;
            packet.head.OPT_length = packet.head.OPT_offset = 0;
            *(options ? &packet.head.OPT_length : &packet.head.DEST_length) = bad[i][0];
            *(options ? &packet.head.OPT_offset : &packet.head.DEST_offset) = bad[i][1];
            mblk_t *message = raw(M_PROTO, &packet, size);
            CHECK(tpi_type(message) == -1);
            CHECK(tpi_address(message).length == (options ? 6 : 0) && tpi_options(message).length == 0);
            freemsg(message);
        }
    packet.head = (struct T_unitdata_req){T_UNITDATA_REQ, 2, 24, 4, 20};
    mblk_t *message = raw(M_PROTO, &packet, size);
    CHECK(tpi_type(message) == T_UNITDATA_REQ && *tpi_address(message).bytes == 5 && *tpi_options(message).bytes == 1);
    freemsg(message);
}

static void test_types(void) {
    for (int type = -2; type < 64; type++) {
        size_t size = tpi_size(type);
        unsigned char bytes[128] = {0};
        t_scalar_t number = type;
        memcpy(bytes, &number, sizeof number);
        mblk_t *whole = raw(M_PROTO, bytes, size ? size : 64), *cut = raw(M_PROTO, bytes, size ? size - 1 : 3);
        CHECK(tpi_type(whole) == (size ? type : -1) && tpi_type(cut) == -1);
        CHECK((strcmp(tpi_name(type), "?") == 0) == (size == 0));
        whole->b_datap->db_type = M_DATA;
        CHECK(tpi_type(whole) == -1);
        whole->b_datap->db_type = M_PCPROTO;
        CHECK(tpi_type(whole) == (size ? type : -1));
        whole->b_wptr = whole->b_rptr;
        CHECK(tpi_type(whole) == -1);
        freemsg(whole);
        freemsg(cut);
    }
    CHECK(strcmp(tpi_name(T_UNITDATA_IND), "T_UNITDATA_IND") == 0);
    mblk_t *message = tpi_make(T_CONN_REQ), *odd = allocb(64, BPRI_LO);
    odd->b_datap->db_type = M_PROTO;
    memcpy(++odd->b_rptr, message->b_rptr, sizeof(struct T_conn_req));
    odd->b_wptr = odd->b_rptr + sizeof(struct T_conn_req);
    CHECK(tpi_type(odd) == -1); /* not aligned */
    freemsg(message);
    freemsg(odd);
}

int main(void) {
    RUN(builders);
    RUN(builders_without_memory);
    RUN(lengths_and_offsets);
    RUN(types);
    return 0;
}
