/* The device driver of frames. */
#include "streams_test.h"

static mblk_t *sent[8];
static unsigned frames;
static int result;

static int transmit(void *context, mblk_t *frame) {
    CHECK(context == &frames);
    if (result)
        return result;
    CHECK(frames < 8);
    sent[frames++] = frame;
    return 0;
}

static const struct str_device_calls calls = {transmit};

static struct str_device *device;
static struct str_stream *stream;

static void ready(void) {
    frames = 0;
    result = 0;
    CHECK(str_device_create(host, "link", &calls, &frames, &device) == 0);
    CHECK(str_device_create(host, "link", &calls, &frames, &device) == EEXIST);
    CHECK(str_device_create(host, "other", NULL, NULL, &device) == EINVAL);
    CHECK(str_open(host, "link", &stream) == 0);
}

static void done(void) {
    while (frames > 0)
        freemsg(sent[--frames]);
    CHECK(str_device_destroy(device) == EBUSY);
    str_close(stream);
    CHECK(str_device_destroy(device) == 0);
}

static void test_frames_are_sent(void) {
    ready();
    mblk_t *frame = text("frame");
    CHECK(str_send(stream, frame) == 0 && frames == 1 && sent[0] == frame); /* no copy */
    CHECK(str_device_statistics(device)->sent == 1);
    result = EIO;
    CHECK(str_send(stream, text("bad")) == 0 && str_device_statistics(device)->dropped == 1);
    CHECK(str_send(stream, typed(M_PROTO, 0, "no frame")) == 0 && frames == 1);
    struct strioctl request = {.ic_cmd = 9};
    CHECK(str_ioctl(stream, I_STR, &request, NULL) == EINVAL);
    done();
}

static void test_busy_device(void) {
    ready();
    result = EAGAIN;
    CHECK(str_send(stream, text("a")) == 0 && str_send(stream, text("b")) == 0);
    str_run(host);
    CHECK(frames == 0);
    mblk_t *large = allocb(131072, BPRI_LO), *more = text("more");
    large->b_wptr += 131072;
    CHECK(str_send(stream, large) == 0 && str_send(stream, more) == EAGAIN);
    result = 0;
    str_run(host);
    CHECK(frames == 0); /* not before it is ready */
    str_device_ready(device);
    CHECK(!str_run(host) && frames == 3 && has(sent[0], "a") && has(sent[1], "b") && str_send(stream, more) == 0);
    done();
}

static void test_frames_are_received(void) {
    ready();
    mblk_t *frame = text("frame"), *got;
    CHECK(str_device_receive(device, frame) == 0 && str_receive(stream, &got) == 0 && got == frame);
    freemsg(got);
    CHECK(str_device_receive_bytes(device, "bytes", 5) == 0 && str_receive(stream, &got) == 0 && has(got, "bytes"));
    freemsg(got);
    /* A full head: frames wait in the device, then they are refused. */
    unsigned accepted = 0;
    while (str_device_receive_bytes(device, "0123456789", 10) == 0)
        accepted++;
    CHECK(accepted * 10 >= 131072 && str_device_statistics(device)->refused == 1);
    CHECK(str_device_statistics(device)->received == accepted + 2);
    for (unsigned i = 0; i < accepted; i++) {
        while (str_receive(stream, &got) == EAGAIN)
            str_run(host);
        CHECK(has(got, "0123456789"));
        freemsg(got);
    }
    CHECK(str_receive(stream, &got) == EAGAIN);
    most_allocations = 1;
    CHECK(str_device_receive_bytes(device, "bytes", 5) == ENOBUFS);
    most_allocations = 0;
    done();
}

static void test_one_stream(void) {
    ready();
    struct str_stream *other;
    CHECK(str_open(host, "link", &other) == EBUSY);
    str_close(stream);
    CHECK(str_device_receive(device, text("lost")) == ENETDOWN && str_device_statistics(device)->dropped == 1);
    str_device_hangup(device);
    str_device_ready(device);
    CHECK(str_open(host, "link", &stream) == 0);
    str_device_hangup(device);
    CHECK(str_poll(stream, STR_POLLIN) == STR_POLLHUP);
    done();
}

static void test_flush_turns_around(void) {
    ready();
    result = EAGAIN;
    CHECK(str_send(stream, text("a")) == 0 && str_device_receive(device, text("up")) == 0);
    CHECK(str_ioctl(stream, I_FLUSH, (void *)FLUSHRW, NULL) == 0);
    mblk_t *got;
    CHECK(str_receive(stream, &got) == EAGAIN); /* the read side was flushed at the head */
    result = 0;
    str_device_ready(device);
    str_run(host);
    CHECK(frames == 0);
    result = EAGAIN; /* one side only */
    CHECK(str_send(stream, text("a")) == 0 && str_device_receive(device, text("up")) == 0);
    CHECK(str_ioctl(stream, I_FLUSH, (void *)FLUSHR, NULL) == 0 && str_receive(stream, &got) == EAGAIN);
    CHECK(str_device_receive(device, text("up")) == 0);
    CHECK(str_ioctl(stream, I_FLUSH, (void *)FLUSHW, NULL) == 0 && str_receive(stream, &got) == 0);
    freemsg(got);
    CHECK(str_send(stream, text("b")) == 0 && str_send(stream, typed(M_DATA, 3, "band")) == 0);
    struct bandinfo band = {.bi_pri = 3, .bi_flag = FLUSHW};
    CHECK(str_ioctl(stream, I_FLUSHBAND, &band, NULL) == 0);
    result = 0;
    str_device_ready(device);
    str_run(host);
    CHECK(frames == 1 && has(sent[0], "b"));
    done();
}

static void watch(void *context, struct str_stream *of) {
    (void)context;
    str_close(of); /* it takes effect when the library is left */
}

static void test_close_within_a_callback(void) {
    ready();
    str_watch(stream, watch, NULL);
    CHECK(str_device_receive(device, text("x")) == 0);
    CHECK(str_device_destroy(device) == 0);
}

int main(void) {
    RUN(frames_are_sent);
    RUN(busy_device);
    RUN(frames_are_received);
    RUN(one_stream);
    RUN(flush_turns_around);
    RUN(close_within_a_callback);
    return 0;
}
