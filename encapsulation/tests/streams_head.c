/* The stream head: reading, writing, messages from below, flushing, errors. */
#include "streams_queue.h"

static bool read_is(struct str_stream *stream, size_t count, const char *expected) {
    char bytes[64];
    size_t got = 99;
    return str_read(stream, bytes, count, &got) == 0 && got == strlen(expected) && memcmp(bytes, expected, got) == 0;
}

static int read_error(struct str_stream *stream) {
    char bytes[8];
    size_t got;
    return str_read(stream, bytes, sizeof bytes, &got);
}

static void up(mblk_t *message) { putnext(driver, message); }

static void control_up(unsigned char type, const char *bytes, size_t count) {
    mblk_t *message = allocb(count, BPRI_HI);
    memcpy(message->b_wptr, bytes, count);
    message->b_wptr += count;
    message->b_datap->db_type = type;
    up(message);
}

static int read_mode(struct str_stream *stream, int mode) {
    return str_ioctl(stream, I_SRDOPT, (void *)(intptr_t)mode, NULL);
}

static void test_read_bytes(void) {
    struct str_stream *stream = opened();
    CHECK(read_error(stream) == EAGAIN && read_is(stream, 0, ""));
    up(text("abc"));
    mblk_t *two = text("de");
    linkb(two, text("fg"));
    up(two);
    CHECK(read_is(stream, 2, "ab") && read_is(stream, 4, "cdef") && read_is(stream, 10, "g"));
    up(text("x"));
    up(text("")); /* an end of file */
    up(text("y"));
    CHECK(read_is(stream, 9, "x") && read_is(stream, 9, "") && read_is(stream, 9, "y"));
    mblk_t *marked = text("m");
    marked->b_flag = MSGMARK;
    up(marked);
    up(text("n"));
    int value;
    CHECK(str_ioctl(stream, I_ATMARK, (void *)ANYMARK, &value) == 0 && value == 1);
    CHECK(read_is(stream, 9, "m") && read_is(stream, 9, "n"));
    CHECK(str_ioctl(stream, I_ATMARK, (void *)ANYMARK, &value) == 0 && value == 0);
    str_close(stream);
}

static void test_read_modes(void) {
    struct str_stream *stream = opened();
    int mode;
    CHECK(str_ioctl(stream, I_GRDOPT, &mode, NULL) == 0 && mode == (RNORM | RPROTNORM));
    CHECK(read_mode(stream, RMSGD) == 0);
    up(text("abcd"));
    up(text("ef"));
    CHECK(read_is(stream, 3, "abc") && read_is(stream, 3, "ef"));
    CHECK(read_mode(stream, RMSGN) == 0);
    up(text("abcd"));
    up(text("ef"));
    CHECK(read_is(stream, 3, "abc") && read_is(stream, 3, "d") && read_is(stream, 3, "ef"));
    CHECK(read_mode(stream, 3) == EINVAL && read_mode(stream, 99) == EINVAL && read_mode(stream, -1) == EINVAL);
    CHECK(read_mode(stream, RNORM | RPROTDIS | RPROTDAT) == EINVAL);
    CHECK(str_ioctl(stream, I_GRDOPT, &mode, NULL) == 0 && mode == (RMSGN | RPROTNORM));
    str_close(stream);
}

static mblk_t *with_control(unsigned char type, const char *control, const char *data) {
    mblk_t *message = typed(type, 0, control);
    if (data)
        linkb(message, text(data));
    return message;
}

static void test_read_of_control_parts(void) {
    struct str_stream *stream = opened();
    up(text("a"));
    up(with_control(M_PROTO, "head", "data"));
    CHECK(read_is(stream, 9, "a") && read_error(stream) == EBADMSG && read_error(stream) == EBADMSG);
    CHECK(read_mode(stream, RNORM | RPROTDAT) == 0 && read_is(stream, 20, "headdata"));
    CHECK(read_mode(stream, RNORM | RPROTDIS) == 0);
    up(with_control(M_PROTO, "head", "data"));
    up(with_control(M_PCPROTO, "only control", NULL));
    up(text("next"));
    CHECK(read_is(stream, 20, "datanext"));
    /* A block that others hold keeps its type. */
    CHECK(read_mode(stream, RNORM | RPROTDAT) == 0);
    mblk_t *message = with_control(M_PROTO, "h", "d"), *held = dupb(message);
    up(message);
    CHECK(read_is(stream, 9, "hd") && held->b_datap->db_type == M_PROTO);
    freeb(held);
    str_close(stream);
}

static void test_write(void) {
    struct str_stream *stream = opened();
    size_t written;
    CHECK(str_write(stream, "hello", 5, &written) == 0 && written == 5 && next_is(WR(driver), "hello"));
    CHECK(str_write(stream, "", 0, &written) == 0 && !WR(driver)->q_first);
    CHECK(str_ioctl(stream, I_SWROPT, (void *)SNDZERO, NULL) == 0);
    CHECK(str_write(stream, "", 0, &written) == 0 && next_is(WR(driver), ""));
    char bytes[250];
    memset(bytes, 'x', sizeof bytes);
    CHECK(strqset(WR(driver), QMAXPSZ, 0, 40) == 0);
    CHECK(str_write(stream, bytes, 250, &written) == 0 && written == 120);
    CHECK(qsize(WR(driver)) == 3); /* until it is full */
    CHECK(str_write(stream, bytes, 1, &written) == EAGAIN && written == 0);
    flushq(WR(driver), FLUSHALL);
    CHECK(strqset(WR(driver), QMINPSZ, 0, 10) == 0);
    CHECK(str_write(stream, bytes, 41, &written) == ERANGE && str_write(stream, bytes, 9, &written) == ERANGE);
    CHECK(str_write(stream, bytes, 40, NULL) == 0);
    most_allocations = 1;
    CHECK(str_write(stream, bytes, 10, &written) == ENOSR && written == 0);
    most_allocations = 0;
    str_close(stream);
}

static void test_setopts(void) {
    struct str_stream *stream = opened();
    struct stroptions set = {.so_flags = SO_READOPT | SO_WROFF | SO_HIWAT | SO_LOWAT | SO_MAXBLK,
                             .so_readopt = RMSGN,
                             .so_wroff = 14,
                             .so_hiwat = 30,
                             .so_lowat = 10,
                             .so_maxblk = 4};
    control_up(M_SETOPTS, (const char *)&set, sizeof set);
    control_up(M_SETOPTS, (const char *)&set, sizeof set - 1); /* cut: ignored */
    CHECK(str_write(stream, "0123456789", 10, NULL) == 0);
    mblk_t *message = getq(WR(driver));
    CHECK(has(message, "0123456789") && message->b_rptr - message->b_datap->db_base == 14);
    CHECK(message->b_wptr - message->b_rptr == 4 && message->b_cont->b_wptr - message->b_cont->b_rptr == 4);
    freemsg(message);
    str_run(host);
    services[0] = 0;
    up(text("012345678901234567890123456789"));
    CHECK(!canputnext(driver) && read_is(stream, 5, "01234") && read_is(stream, 60, "5678901234567890123456789"));
    CHECK(canputnext(driver) && served("d")); /* back-enabled at the low-water mark */
    set = (struct stroptions){.so_flags = SO_DELIM};
    control_up(M_SETOPTS, (const char *)&set, sizeof set);
    CHECK(strqset(WR(driver), QMAXPSZ, 0, 3) == 0 && str_write(stream, "01234", 5, NULL) == 0);
    for (unsigned i = 0; i < 2; i++) {
        message = getq(WR(driver));
        CHECK(message && message->b_flag == (i == 0 ? 0 : MSGDELIM)); /* the end of what was written */
        freemsg(message);
    }
    set = (struct stroptions){.so_flags = SO_HIWAT | SO_BAND, .so_band = 2, .so_hiwat = 1};
    control_up(M_SETOPTS, (const char *)&set, sizeof set);
    up(typed(M_DATA, 2, "x"));
    CHECK(!bcanputnext(driver, 2) && canputnext(driver));
    str_close(stream);
}

static void test_putmsg(void) {
    struct str_stream *stream = opened();
    char head[] = "head", data[] = "data";
    struct strbuf control = {.len = 4, .buf = head}, body = {.len = 4, .buf = data}, none = {.len = -1};
    CHECK(str_putmsg(stream, &control, &body, 0) == 0);
    mblk_t *message = getq(WR(driver));
    CHECK(has(message, "headdata") && message->b_datap->db_type == M_PROTO);
    CHECK(message->b_cont->b_datap->db_type == M_DATA);
    freemsg(message);
    CHECK(str_putmsg(stream, &control, NULL, RS_HIPRI) == 0 && str_putmsg(stream, NULL, &body, 0) == 0);
    message = getq(WR(driver));
    CHECK(has(message, "head") && message->b_datap->db_type == M_PCPROTO && !message->b_cont);
    freemsg(message);
    message = getq(WR(driver));
    CHECK(has(message, "data") && message->b_datap->db_type == M_DATA);
    freemsg(message);
    CHECK(str_putmsg(stream, NULL, &none, 0) == 0 && !WR(driver)->q_first);
    CHECK(str_putmsg(stream, NULL, &body, RS_HIPRI) == EINVAL && str_putmsg(stream, &control, &body, 2) == EINVAL);
    body.len = 1001;
    CHECK(str_putmsg(stream, &control, &body, 0) == ERANGE);
    control.len = 1000000;
    CHECK(str_putmsg(stream, &control, NULL, 0) == ERANGE);
    /* Flow control; high priority is not subject to it. */
    mblk_t *full = allocb(100, BPRI_LO);
    full->b_wptr += 100;
    putq(WR(driver), full);
    body.len = control.len = 4;
    CHECK(str_putmsg(stream, NULL, &body, 0) == EAGAIN && str_putmsg(stream, &control, &body, RS_HIPRI) == 0);
    str_close(stream);
}

static void test_putpmsg(void) {
    struct str_stream *stream = opened();
    char data[] = "data";
    struct strbuf body = {.len = 4, .buf = data};
    CHECK(str_putpmsg(stream, NULL, &body, 7, MSG_BAND) == 0 && WR(driver)->q_first->b_band == 7);
    CHECK(str_putpmsg(stream, NULL, &body, 256, MSG_BAND) == EINVAL);
    CHECK(str_putpmsg(stream, NULL, &body, 0, 0) == EINVAL);
    CHECK(str_putpmsg(stream, &body, NULL, 1, MSG_HIPRI) == EINVAL);
    CHECK(str_putpmsg(stream, &body, NULL, 0, MSG_HIPRI) == 0);
    mblk_t *full = allocb(100, BPRI_LO);
    full->b_wptr += 100;
    full->b_band = 7;
    putq(WR(driver), full);
    int value;
    CHECK(str_putpmsg(stream, NULL, &body, 7, MSG_BAND) == EAGAIN);
    CHECK(str_putpmsg(stream, NULL, &body, 8, MSG_BAND) == 0);
    CHECK(str_ioctl(stream, I_CANPUT, (void *)7, &value) == 0 && value == 0);
    CHECK(str_ioctl(stream, I_CANPUT, (void *)0, &value) == 0 && value == 1);
    CHECK(str_poll(stream, STR_POLLOUT | STR_POLLWRBAND) == (STR_POLLOUT | STR_POLLWRBAND));
    str_close(stream);
}

static char control_bytes[64], data_bytes[64];

/* getmsg with room for so many bytes; whether it returns these parts (NULL: none) and this `more`. */
static bool get_is(struct str_stream *stream, int control_room, int data_room, const char *control, const char *data,
                   int expected_more, int expected_flags) {
    struct strbuf c = {.maxlen = control_room, .buf = control_bytes}, d = {.maxlen = data_room, .buf = data_bytes};
    int flags = 0, more = 99;
    if (str_getmsg(stream, &c, &d, &flags, &more) != 0)
        return false;
    bool same = c.len == (control ? (int)strlen(control) : -1) && d.len == (data ? (int)strlen(data) : -1);
    same = same && (!control || memcmp(control_bytes, control, strlen(control)) == 0);
    same = same && (!data || memcmp(data_bytes, data, strlen(data)) == 0);
    return same && more == expected_more && flags == expected_flags;
}

static void test_getmsg(void) {
    struct str_stream *stream = opened();
    up(with_control(M_PROTO, "head", "data"));
    CHECK(get_is(stream, 2, 3, "he", "dat", MORECTL | MOREDATA, 0));
    CHECK(get_is(stream, 9, 0, "ad", "", MOREDATA, 0));
    CHECK(get_is(stream, 9, 9, NULL, "a", 0, 0));
    up(with_control(M_PROTO, "head", "data"));
    CHECK(get_is(stream, -1, 9, NULL, "data", MORECTL, 0) && get_is(stream, 9, 9, "head", NULL, 0, 0));
    up(with_control(M_PROTO, "head", "data"));
    CHECK(get_is(stream, 9, -1, "head", NULL, MOREDATA, 0) && get_is(stream, -1, 9, NULL, "data", 0, 0));
    up(text(""));
    CHECK(get_is(stream, 9, 0, NULL, "", 0, 0));
    up(text("normal"));
    up(with_control(M_PCPROTO, "high", NULL));
    up(with_control(M_PCPROTO, "second", NULL)); /* one waits at most */
    CHECK(get_is(stream, 9, 9, "high", NULL, 0, RS_HIPRI));
    int flags = RS_HIPRI, more;
    struct strbuf part = {.maxlen = 9, .buf = data_bytes};
    CHECK(str_getmsg(stream, NULL, &part, &flags, &more) == EAGAIN);
    flags = 5;
    CHECK(str_getmsg(stream, NULL, &part, &flags, &more) == EINVAL);
    CHECK(get_is(stream, 9, 9, NULL, "normal", 0, 0) && !get_is(stream, 9, 9, NULL, NULL, 0, 0));
    str_close(stream);
}

static void test_getpmsg(void) {
    struct str_stream *stream = opened();
    struct strbuf part = {.maxlen = 9, .buf = data_bytes};
    up(text("normal"));
    up(typed(M_DATA, 3, "three"));
    int band = 4, flags = MSG_BAND, more;
    CHECK(str_getpmsg(stream, NULL, &part, &band, &flags, &more) == EAGAIN);
    band = 2;
    CHECK(str_getpmsg(stream, NULL, &part, &band, &flags, &more) == 0 && band == 3 && flags == MSG_BAND);
    CHECK(part.len == 5);
    up(with_control(M_PCPROTO, "high", NULL));
    band = 0;
    flags = MSG_HIPRI;
    CHECK(str_getpmsg(stream, &part, NULL, &band, &flags, &more) == 0 && flags == MSG_HIPRI && part.len == 4);
    flags = MSG_ANY;
    CHECK(str_getpmsg(stream, NULL, &part, &band, &flags, &more) == 0 && flags == MSG_BAND && band == 0);
    flags = 9;
    CHECK(str_getpmsg(stream, NULL, &part, &band, &flags, &more) == EINVAL);
    str_close(stream);
}

static void test_send_and_receive(void) {
    struct str_stream *stream = opened();
    mblk_t *message = with_control(M_PROTO, "head", "data"), *got;
    CHECK(str_send(stream, message) == 0 && getq(WR(driver)) == message); /* the same blocks */
    CHECK(str_receive(stream, &got) == EAGAIN && !got);
    up(message);
    CHECK(str_receive(stream, &got) == 0 && got == message && !got->b_next);
    got->b_datap->db_type = M_IOCTL;
    CHECK(str_send(stream, got) == EINVAL);
    freemsg(got);
    mblk_t *full = allocb(100, BPRI_LO), *other = text("x");
    full->b_wptr += 100;
    CHECK(str_send(stream, full) == 0 && str_send(stream, other) == EAGAIN);
    freemsg(other);
    str_close(stream);
}

static void test_flush(void) {
    struct str_stream *stream = opened();
    up(text("data"));
    up(typed(M_DATA, 2, "band"));
    control_up(M_FLUSH, "\7\2", 2); /* FLUSHRW | FLUSHBAND: turns around, for the write side only */
    CHECK(read_is(stream, 9, "data"));
    mblk_t *message = getq(WR(driver));
    CHECK(message && message->b_datap->db_type == M_FLUSH && *message->b_rptr == (FLUSHW | FLUSHBAND));
    up(message); /* it does not turn around twice */
    CHECK(!WR(driver)->q_first);
    up(text("data"));
    control_up(M_FLUSH, "\1", 1);
    CHECK(read_error(stream) == EAGAIN && !WR(driver)->q_first);
    control_up(M_FLUSH, "", 0);
    CHECK(str_ioctl(stream, I_FLUSH, (void *)FLUSHRW, NULL) == 0);
    message = getq(WR(driver));
    CHECK(message && *message->b_rptr == FLUSHRW);
    freemsg(message);
    struct bandinfo band = {.bi_pri = 5, .bi_flag = FLUSHW};
    CHECK(str_ioctl(stream, I_FLUSHBAND, &band, NULL) == 0 && str_ioctl(stream, I_FLUSH, NULL, NULL) == EINVAL);
    message = getq(WR(driver));
    CHECK(message && message->b_rptr[0] == (FLUSHW | FLUSHBAND) && message->b_rptr[1] == 5);
    freemsg(message);
    str_close(stream);
}

static void test_error(void) {
    struct str_stream *stream = opened();
    up(text("data"));
    control_up(M_ERROR, "\5", 1);
    mblk_t *message = getq(WR(driver));
    CHECK(message && message->b_datap->db_type == M_FLUSH && *message->b_rptr == FLUSHRW);
    freemsg(message);
    CHECK(read_error(stream) == 5 && str_write(stream, "x", 1, NULL) == 5 && str_push(stream, "module") == 5);
    CHECK(str_poll(stream, STR_POLLIN | STR_POLLOUT) & STR_POLLERR);
    control_up(M_ERROR, "\0\7", 2);
    CHECK(read_is(stream, 9, "data") && str_write(stream, "x", 1, NULL) == 7);
    control_up(M_ERROR, "\6\377", 2); /* NOERROR: as before */
    CHECK(read_error(stream) == 6 && str_write(stream, "x", 1, NULL) == 7);
    control_up(M_ERROR, "\0", 1);
    control_up(M_ERROR, "", 0);
    CHECK(read_error(stream) == EAGAIN && str_write(stream, "x", 1, NULL) == 0);
    str_close(stream);
}

static void test_hangup(void) {
    struct str_stream *stream = opened();
    up(text("last"));
    putnextctl(driver, M_HANGUP);
    CHECK(str_poll(stream, STR_POLLIN | STR_POLLOUT) == (STR_POLLHUP | STR_POLLIN));
    CHECK(str_write(stream, "x", 1, NULL) == ENXIO && str_push(stream, "module") == ENXIO && str_pop(stream) == ENXIO);
    CHECK(read_is(stream, 9, "last") && read_is(stream, 9, ""));
    memset(control_bytes, 'x', sizeof control_bytes);
    CHECK(get_is(stream, 9, 9, "", "", 0, 0));
    mblk_t *message;
    CHECK(str_receive(stream, &message) == 0 && !message);
    putnextctl(driver, M_UNHANGUP);
    CHECK(read_error(stream) == EAGAIN && str_write(stream, "x", 1, NULL) == 0);
    str_close(stream);
}

static void test_signals(void) {
    struct str_stream *stream = opened();
    control_up(M_PCSIG, "\1", 1);
    CHECK(str_signals(stream) == 1);
    control_up(M_PCSIG, "\2", 1);
    control_up(M_SIG, "\3", 1); /* the queue is empty: at once */
    CHECK(str_signals(stream) == (1 << 1 | 1 << 2) && str_signals(stream) == 0);
    up(text("data"));
    control_up(M_SIG, "\4", 1);
    control_up(M_SIG, "\0", 1);
    control_up(M_PCSIG, "\101", 1); /* no such signal */
    CHECK(str_signals(stream) == 0 && read_is(stream, 9, "data") && str_signals(stream) == 1 << 3);
    str_close(stream);
}

static unsigned notes;

static void noted(void *context, struct str_stream *stream) {
    CHECK(context == &notes && stream);
    notes++;
}

static void test_poll_and_watch(void) {
    struct str_stream *stream = opened();
    notes = 0;
    str_watch(stream, noted, &notes);
    int all = STR_POLLIN | STR_POLLPRI | STR_POLLOUT | STR_POLLRDNORM | STR_POLLRDBAND;
    CHECK(str_poll(stream, all) == STR_POLLOUT && notes == 0);
    up(text("data"));
    CHECK(str_poll(stream, all) == (STR_POLLOUT | STR_POLLIN | STR_POLLRDNORM) && notes == 1);
    up(typed(M_DATA, 1, "band"));
    CHECK(str_poll(stream, all) == (STR_POLLOUT | STR_POLLIN | STR_POLLRDBAND) && notes == 2);
    up(with_control(M_PCPROTO, "high", NULL));
    CHECK(str_poll(stream, all) == (STR_POLLOUT | STR_POLLPRI));
    mblk_t *full = allocb(100, BPRI_LO);
    full->b_wptr += 100;
    putq(WR(driver), full);
    CHECK(str_poll(stream, STR_POLLOUT) == 0);
    notes = 0;
    freemsg(getq(WR(driver)));
    str_run(host);
    CHECK(notes == 1 && str_poll(stream, STR_POLLOUT) == STR_POLLOUT);
    str_close(stream);
}

static void test_other_messages_are_dropped(void) {
    struct str_stream *stream = opened();
    for (unsigned type = 0; type < 256; type++) {
        if (datamsg((unsigned char)type) || type == M_HANGUP || type == M_ERROR)
            continue;
        up(typed((unsigned char)type, 0, ""));
        up(typed((unsigned char)type, 0, "xy"));
        flushq(WR(driver), FLUSHALL);
        CHECK(read_error(stream) == EAGAIN);
    }
    str_close(stream);
}

int main(void) {
    RUN(read_bytes);
    RUN(read_modes);
    RUN(read_of_control_parts);
    RUN(write);
    RUN(setopts);
    RUN(putmsg);
    RUN(putpmsg);
    RUN(getmsg);
    RUN(getpmsg);
    RUN(send_and_receive);
    RUN(flush);
    RUN(error);
    RUN(hangup);
    RUN(signals);
    RUN(poll_and_watch);
    RUN(other_messages_are_dropped);
    return 0;
}
