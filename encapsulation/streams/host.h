/* The host of STREAMS, and the head of a stream: what the program that contains them calls.
 *
 * No routine blocks: EAGAIN takes the place of sleep. Results are 0 or an errno value unless stated otherwise.
 * Queues are served by `str_run` (and while an ioctl waits for its answer), timeouts by `str_tick` only. */
#ifndef NACRE_STREAMS_HOST_H
#define NACRE_STREAMS_HOST_H

#include "stream.h" /* it includes this header */

/* What a host needs of its program. */
struct str_environment {
    void *context; /* the first argument of each routine */
    uint64_t (*now)(void *); /* nanoseconds, never decreasing; NULL: time stands still */
    void (*random)(void *, void *bytes, size_t count); /* NULL: a fixed sequence */
    void *(*allocate)(void *, size_t); /* aligned as by malloc; NULL: malloc */
    void (*release)(void *, void *, size_t); /* NULL: free */
    void (*log)(void *, const char *line); /* NULL: dropped */
    size_t memory; /* limit of all blocks in bytes; 0: none */
    int cache; /* free blocks that are kept of each size; 0: a default; -1: none */
};

/* Returns NULL without memory. The environment is copied; NULL: all defaults. */
struct str_host *str_host_open(const struct str_environment *);
/* Closes all streams and devices. The memory of the host is released with its last block. */
void str_host_close(struct str_host *);

/* The current host of this thread. `str_enter` sets it and returns the one before. */
struct str_host *str_current(void);
struct str_host *str_enter(struct str_host *);

uint64_t str_now(struct str_host *);
void str_random(struct str_host *, void *bytes, size_t count);
void str_log(struct str_host *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Serves enabled queues in order of enabling, and bufcalls. Returns whether some are left: it ends after a great
 * number. */
bool str_run(struct str_host *);
/* Runs the timeouts that are due, and serves queues. */
bool str_tick(struct str_host *);
/* Calls a routine at a time of the host's clock. An identifier, or 0 without memory. Untimeout: 0, or ENOENT if it
 * has run. */
timeout_id_t str_timeout(struct str_host *, void (*)(void *), void *argument, uint64_t at);
int str_untimeout(struct str_host *, timeout_id_t);
/* The time of the next timeout, or UINT64_MAX. */
uint64_t str_deadline(struct str_host *);
size_t str_live_blocks(struct str_host *); /* message blocks that are allocated */
size_t str_live_bytes(struct str_host *); /* of their data blocks with headers */

/* Kinds of a streamtab. */
#define STR_DEVICE 1
#define STR_MODULE 2

/* EEXIST, EINVAL (names have 1 to 63 bytes), ENOMEM. Without flags: STR_MODULE | STR_DEVICE. */
int str_install(struct str_host *, const char *name, struct streamtab *, int flags);
/* ENOENT; EBUSY while a stream has it. */
int str_uninstall(struct str_host *, const char *name);

/* Opens a stream by a clone open (CLONEOPEN): the driver chooses the minor device. ENXIO: no such device. */
int str_open(struct str_host *, const char *device, struct str_stream **);
/* Opens a minor device. A stream that it has already is opened again; it is closed as many times. */
int str_open_minor(struct str_host *, const char *device, unsigned minor, struct str_stream **);
/* Closes: unlinks (I_LINK), pops and closes. A stream that is linked below a multiplexor closes when it is unlinked. */
void str_close(struct str_stream *);
/* A pair of streams, each the other's lower end. */
int str_pipe(struct str_host *, struct str_stream *both[2]);

/* EINVAL: no such module; ENXIO: hung up; or what its open procedure returns. */
int str_push(struct str_stream *, const char *module);
int str_pop(struct str_stream *); /* EINVAL: none is pushed */
/* Links `lower` below the multiplexor `upper` (I_LINK), and with STR_PERSISTENT beyond its close (I_PLINK). */
#define STR_PERSISTENT 1
int str_link(struct str_stream *upper, struct str_stream *lower, int flags, int *id);
#define MUXID_ALL (-1)
int str_unlink(struct str_stream *upper, int id, int flags);

/* A control or data part. maxlen is for getmsg, len for both; a len of -1: no part. */
struct strbuf {
    int maxlen, len;
    void *buf;
};

#define RS_HIPRI 0x01
#define MORECTL 1
#define MOREDATA 2
#define MSG_HIPRI 0x01
#define MSG_ANY 0x02
#define MSG_BAND 0x04

int str_write(struct str_stream *, const void *bytes, size_t count, size_t *written);
/* 0 with no bytes: the end (hang-up), or an empty message. EBADMSG: the next message is no data. */
int str_read(struct str_stream *, void *bytes, size_t count, size_t *got);
int str_putmsg(struct str_stream *, const struct strbuf *control, const struct strbuf *data, int flags);
int str_putpmsg(struct str_stream *, const struct strbuf *control, const struct strbuf *data, int band, int flags);
/* `more` is set to MORECTL, MOREDATA, both or 0. After a hang-up both lengths are 0. */
int str_getmsg(struct str_stream *, struct strbuf *control, struct strbuf *data, int *flags, int *more);
int str_getpmsg(struct str_stream *, struct strbuf *control, struct strbuf *data, int *band, int *flags, int *more);
/* Without copying: sends a message (it is taken unless an error is returned); takes the next whole one (after a hang-up
 * NULL, without an error). */
int str_send(struct str_stream *, mblk_t *);
int str_receive(struct str_stream *, mblk_t **);

/* An ioctl. While its answer is under way EAGAIN is returned; the same call then continues it. */
int str_ioctl(struct str_stream *, int command, void *argument, int *value);
/* Gives up one that is under way: a late answer is dropped. */
void str_ioctl_cancel(struct str_stream *);

/* Events of poll. */
#define STR_POLLIN 0x001 /* a message of any band but high priority */
#define STR_POLLPRI 0x002 /* a message of high priority */
#define STR_POLLOUT 0x004 /* band 0 may be written */
#define STR_POLLERR 0x008
#define STR_POLLHUP 0x010
#define STR_POLLRDNORM 0x040
#define STR_POLLRDBAND 0x080
#define STR_POLLWRBAND 0x200 /* a band that was written exists and may be written */
int str_poll(struct str_stream *, int events); /* those that hold */
/* Calls a routine whenever an event may have begun, within any routine of the library; it must only take notes. */
void str_watch(struct str_stream *, void (*)(void *context, struct str_stream *), void *context);
/* Signals of M_SIG and M_PCSIG since the last call: bit N-1 for signal N. */
uint64_t str_signals(struct str_stream *);

/* Commands of str_ioctl, with the argument of each. Others are transparent (M_COPYIN, M_COPYOUT). */
#define STR_I(n) (('S' << 8) | (n))
#define I_NREAD STR_I(1) /* int *: bytes of the first message; value: messages */
#define I_PUSH STR_I(2) /* const char * */
#define I_POP STR_I(3)
#define I_LOOK STR_I(4) /* char[FMNAMESZ + 1] */
#define I_FLUSH STR_I(5) /* intptr_t: FLUSHR, FLUSHW or FLUSHRW */
#define I_SRDOPT STR_I(6) /* intptr_t */
#define I_GRDOPT STR_I(7) /* int * */
#define I_STR STR_I(8) /* struct strioctl * */
#define I_FIND STR_I(11) /* const char *; value: 1 if it is pushed */
#define I_LINK STR_I(12) /* struct str_stream *; value: the identifier */
#define I_UNLINK STR_I(13) /* intptr_t */
#define I_PEEK STR_I(15) /* struct strpeek *; value: 1 if there is a message */
#define I_FDINSERT STR_I(16) /* struct strfdinsert * */
#define I_SWROPT STR_I(19) /* intptr_t: SNDZERO */
#define I_GWROPT STR_I(20) /* int * */
#define I_LIST STR_I(21) /* struct str_list *, or NULL; value: the number */
#define I_PLINK STR_I(22)
#define I_PUNLINK STR_I(23)
#define I_FLUSHBAND STR_I(28) /* struct bandinfo * */
#define I_CKBAND STR_I(29) /* intptr_t; value: 1 if there is a message of the band */
#define I_GETBAND STR_I(30) /* int *: of the first message */
#define I_ATMARK STR_I(31) /* intptr_t: ANYMARK or LASTMARK; value: 1 if the first is marked */
#define I_CANPUT STR_I(34) /* intptr_t: a band; value: 1 if it may be written */

#define FMNAMESZ 63
#define SNDZERO 0x001
#define ANYMARK 0x01
#define LASTMARK 0x02
#define INFTIM (-1)

struct strioctl {
    int ic_cmd;
    int ic_timout; /* seconds; 0: 15; INFTIM */
    int ic_len;
    char *ic_dp; /* with room for the data of the answer, too */
};

struct strpeek {
    struct strbuf ctlbuf, databuf;
    long flags;
};

struct strfdinsert {
    struct strbuf ctlbuf, databuf;
    long flags;
    struct str_stream *fildes;
    int offset; /* in the control part: of a queue_t *, the read queue of the driver of `fildes` */
};

struct bandinfo {
    unsigned char bi_pri;
    int bi_flag;
};

struct str_list {
    int sl_nmods;
    char (*sl_modlist)[FMNAMESZ + 1];
};

/* A device driver whose frames the program sends and receives. */
struct str_device;

struct str_device_calls {
    /* A frame (M_DATA blocks) that was written. 0: it was taken; EAGAIN: it waits until str_device_ready; else it
     * is dropped. */
    int (*transmit)(void *context, mblk_t *frame);
};

struct str_device_statistics {
    uint64_t sent, received; /* frames */
    uint64_t refused, dropped; /* not taken for flow control, and for other reasons */
};

/* Installs a device; it has one stream at a time. EEXIST, EINVAL, ENOMEM. */
int str_device_create(struct str_host *, const char *name, const struct str_device_calls *, void *context,
                      struct str_device **);
int str_device_destroy(struct str_device *); /* EBUSY while its stream is open */
/* Passes a received frame up; it is taken in all cases. ENETDOWN: no stream; ENOBUFS: no room, the frame was
 * dropped. */
int str_device_receive(struct str_device *, mblk_t *frame);
int str_device_receive_bytes(struct str_device *, const void *bytes, size_t count); /* a copy of the bytes */
void str_device_ready(struct str_device *);
void str_device_hangup(struct str_device *); /* M_HANGUP */
const struct str_device_statistics *str_device_statistics(const struct str_device *);

#endif
