/* STREAMS of System V Release 4 and Solaris in user space: messages, queues and the services of modules and
 * drivers.
 *
 * The semantics are those of the manual pages of section 9 (9F, 9S, 9E) and of the STREAMS Programmer's Guide
 * (SVR4, Solaris). All state belongs to a `struct str_host` (host.h). Routines whose documented signature has no
 * host use the current host of the thread, which the library sets whenever it enters a module. A host and all that
 * belongs to it is used by one thread at a time.
 *
 * The functions have the prefix `str_`; names.h defines the documented names as macros, unless STR_PREFIXED is
 * defined. */
#ifndef NACRE_STREAMS_STREAM_H
#define NACRE_STREAMS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct str_host;
struct str_stream;

typedef struct msgb mblk_t;
typedef struct datab dblk_t;
typedef struct queue queue_t;
typedef struct qband qband_t;
typedef struct cred cred_t;
typedef uintptr_t timeout_id_t;
typedef uintptr_t bufcall_id_t;

/* The release of a buffer that its owner lent (esballoc). The structure belongs to the owner and lives until it is
 * called. */
typedef struct free_rtn {
    void (*free_func)(char *);
    char *free_arg;
} frtn_t;

/* A message block: a view of a data block. Blocks of one message are joined by b_cont, messages of a queue by
 * b_next. */
struct msgb {
    struct msgb *b_next, *b_prev, *b_cont;
    unsigned char *b_rptr, *b_wptr; /* the first byte, and the byte after the last */
    struct datab *b_datap;
    unsigned char b_band; /* 0: ordinary */
    unsigned char b_spare;
    unsigned short b_flag; /* MSG... */
};

/* A data block. It is released with its last message block. */
struct datab {
    struct free_rtn *db_frtnp; /* NULL: the buffer is the library's */
    unsigned char *db_base, *db_lim; /* the buffer, and the byte after it */
    unsigned int db_ref; /* message blocks that refer to it */
    unsigned char db_type; /* M_... */
    unsigned char db_size; /* of the library, as those that follow */
    unsigned short db_spare;
    struct str_pool *db_pool; /* where it returns to: it belongs to a host */
};

/* Flags of a message (b_flag). */
#define MSGMARK 0x01 /* the last byte is marked */
#define MSGNOLOOP 0x02 /* do not loop it around to the write side of the stream */
#define MSGDELIM 0x04 /* the message is delimited */
#define MSGMARKNEXT 0x10
#define MSGNOTMARKNEXT 0x20

/* Types of messages (db_type). Those from QPCTL on have high priority: they are not subject to flow control. */
#define QNORM 0x00
#define QPCTL 0x80
#define M_DATA 0x00
#define M_PROTO 0x01
#define M_BREAK 0x08
#define M_PASSFP 0x09
#define M_EVENT 0x0a
#define M_SIG 0x0b
#define M_DELAY 0x0c
#define M_CTL 0x0d
#define M_IOCTL 0x0e
#define M_SETOPTS 0x10
#define M_RSE 0x11
#define M_IOCACK 0x81
#define M_IOCNAK 0x82
#define M_PCPROTO 0x83
#define M_PCSIG 0x84
#define M_READ 0x85
#define M_FLUSH 0x86
#define M_STOP 0x87
#define M_START 0x88
#define M_HANGUP 0x89
#define M_ERROR 0x8a
#define M_COPYIN 0x8b
#define M_COPYOUT 0x8c
#define M_IOCDATA 0x8d
#define M_PCRSE 0x8e
#define M_STOPI 0x8f
#define M_STARTI 0x90
#define M_PCEVENT 0x91
#define M_UNHANGUP 0x92

/* Priorities of allocation. They are accepted and have no effect. */
#define BPRI_LO 1
#define BPRI_MED 2
#define BPRI_HI 3

#define INFPSZ (-1) /* no limit */

/* What a module is. Sizes are in bytes. */
struct module_info {
    unsigned short mi_idnum;
    const char *mi_idname;
    ssize_t mi_minpsz, mi_maxpsz; /* of a message that it accepts */
    size_t mi_hiwat, mi_lowat; /* water marks */
};

/* Procedures of one side of a queue pair. Results are 0 or an errno value; those of put and service procedures are
 * not used. */
struct qinit {
    int (*qi_putp)(queue_t *, mblk_t *);
    int (*qi_srvp)(queue_t *);
    int (*qi_qopen)(queue_t *, dev_t *, int oflag, int sflag, cred_t *); /* of the read side */
    int (*qi_qclose)(queue_t *, int flag, cred_t *); /* of the read side */
    int (*qi_qadmin)(void);
    struct module_info *qi_minfo;
    void *qi_mstat;
};

struct streamtab {
    struct qinit *st_rdinit, *st_wrinit;
    struct qinit *st_muxrinit, *st_muxwinit; /* of lower streams; NULL: no multiplexor */
};

/* Device numbers, and oflag. */
#define makedevice(major, minor) ((dev_t)(major) << 32 | (dev_t)(uint32_t)(minor))
#define getmajor(device) ((unsigned)((device) >> 32))
#define getminor(device) ((unsigned)((device)&0xffffffff))
#ifndef FREAD
#define FREAD 1
#define FWRITE 2
#endif
#define MODOPEN 1 /* sflag: the open of a module */
#define CLONEOPEN 2 /* sflag: the driver chooses a minor device */

/* A band of priority of a queue. */
struct qband {
    struct qband *qb_next;
    size_t qb_count, qb_blocks; /* bytes, and message blocks */
    mblk_t *qb_first, *qb_last;
    size_t qb_hiwat, qb_lowat;
    unsigned qb_flag; /* QB_... */
};

#define QB_FULL 0x01
#define QB_WANTW 0x02
#define QB_BACK 0x04

/* A queue: half of a pair. The read queue precedes the write queue. */
struct queue {
    struct qinit *q_qinfo;
    mblk_t *q_first, *q_last;
    struct queue *q_next; /* of the stream, in direction of the messages */
    void *q_ptr; /* the module's own */
    size_t q_count, q_blocks; /* bytes and message blocks of band 0 */
    unsigned q_flag; /* Q... */
    ssize_t q_minpsz, q_maxpsz;
    size_t q_hiwat, q_lowat;
    struct qband *q_bandp;
    unsigned char q_nband;
    struct queue *q_link; /* the next that is to be served */
    struct str_stream *q_stream;
    struct str_host *q_host;
};

#define QENAB 0x0001 /* scheduled */
#define QWANTR 0x0002 /* getq found nothing: the next message schedules it */
#define QWANTW 0x0004 /* canput refused: back-enable at the low-water mark */
#define QFULL 0x0008
#define QREADR 0x0010 /* the read side */
#define QUSE 0x0020
#define QNOENB 0x0040 /* putq does not schedule it */
#define QBACK 0x0100 /* was back-enabled */
#define QPROCS 0x0200 /* of the library: its procedures are on */
#define QEND 0x0400 /* of the library: closed */

struct iocblk {
    int ioc_cmd;
    cred_t *ioc_cr;
    unsigned ioc_id;
    unsigned ioc_count; /* bytes of data, or TRANSPARENT */
    int ioc_error;
    int ioc_rval;
    unsigned ioc_flag;
};

#define TRANSPARENT ((unsigned)-1)

/* Requests to copy between a module and the caller of an ioctl (M_COPYIN, M_COPYOUT), and the answer (M_IOCDATA). */
struct copyreq {
    int cq_cmd;
    cred_t *cq_cr;
    unsigned cq_id;
    char *cq_addr;
    size_t cq_size;
    unsigned cq_flag;
    mblk_t *cq_private;
};

struct copyresp {
    int cp_cmd;
    cred_t *cp_cr;
    unsigned cp_id;
    void *cp_rval; /* NULL: copied */
    unsigned cp_flag;
    mblk_t *cp_private;
};

/* Data of M_IOCTL with I_LINK, I_PLINK, I_UNLINK and I_PUNLINK. */
struct linkblk {
    queue_t *l_qtop; /* the lowest write queue of the upper stream; NULL: I_PLINK */
    queue_t *l_qbot; /* the write queue at the top of the lower stream */
    int l_index;
};

/* Data of M_SETOPTS. */
struct stroptions {
    unsigned so_flags;
    short so_readopt;
    unsigned short so_wroff;
    ssize_t so_minpsz, so_maxpsz;
    size_t so_hiwat, so_lowat;
    unsigned char so_band;
    unsigned short so_erropt;
    ssize_t so_maxblk;
};

#define SO_ALL 0x003f
#define SO_READOPT 0x0001
#define SO_WROFF 0x0002
#define SO_MINPSZ 0x0004
#define SO_MAXPSZ 0x0008
#define SO_HIWAT 0x0010
#define SO_LOWAT 0x0020
#define SO_MREADON 0x0040
#define SO_MREADOFF 0x0080
#define SO_NDELON 0x0100
#define SO_NDELOFF 0x0200
#define SO_ISTTY 0x0400
#define SO_ISNTTY 0x0800
#define SO_TOSTOP 0x1000
#define SO_TONSTOP 0x2000
#define SO_BAND 0x4000
#define SO_DELIM 0x8000
#define SO_NODELIM 0x10000
#define SO_ERROPT 0x40000
#define SO_MAXBLK 0x100000

/* Read modes (I_SRDOPT, so_readopt). */
#define RNORM 0x00 /* a stream of bytes */
#define RMSGD 0x01 /* messages; the rest is discarded */
#define RMSGN 0x02 /* messages; the rest is kept */
#define RMODEMASK 0x03
#define RPROTDAT 0x04
#define RPROTDIS 0x08
#define RPROTNORM 0x10

/* The first byte of M_FLUSH; the second is the band if FLUSHBAND is set. */
#define FLUSHR 0x01
#define FLUSHW 0x02
#define FLUSHRW 0x03
#define FLUSHBAND 0x04

#define FLUSHALL 1 /* flushq: all messages */
#define FLUSHDATA 0 /* flushq: only data (datamsg) */

#define NOERROR 0xff /* M_ERROR: leave the error of this side as it is */

typedef enum qfields { QHIWAT, QLOWAT, QMAXPSZ, QMINPSZ, QCOUNT, QFIRST, QLAST, QFLAG } qfields_t;

/* Message blocks. Without memory those that allocate return NULL. */
mblk_t *str_allocb(size_t size, unsigned priority);
mblk_t *str_esballoc(unsigned char *base, size_t size, int priority, frtn_t *release);
void str_freeb(mblk_t *);
void str_freemsg(mblk_t *);
mblk_t *str_dupb(mblk_t *);
mblk_t *str_dupmsg(mblk_t *);
mblk_t *str_copyb(mblk_t *);
mblk_t *str_copymsg(mblk_t *);
/* Makes the first `length` bytes (-1: all of the blocks of the first's type) contiguous and aligned. 1, or 0: too
 * short or no memory. */
int str_pullupmsg(mblk_t *, ssize_t length);
mblk_t *str_msgpullup(mblk_t *, ssize_t length); /* the same with a copy of the message */
void str_linkb(mblk_t *first, mblk_t *second);
mblk_t *str_unlinkb(mblk_t *);
/* Removes a block of a message: returns the rest, or -1 if it is not there. */
mblk_t *str_rmvb(mblk_t *message, mblk_t *block);
/* Trims `length` bytes from the front or, if negative, -length bytes from the end. Returns 1, or 0 if the blocks of
 * that type hold fewer. */
int str_adjmsg(mblk_t *, ssize_t length);
size_t str_msgdsize(mblk_t *); /* bytes of M_DATA blocks */
size_t str_msgsize(mblk_t *); /* bytes of all blocks (msgsize of Solaris) */
int str_testb(size_t size, unsigned priority);
bufcall_id_t str_bufcall(size_t size, unsigned priority, void (*)(void *), void *argument);
void str_unbufcall(bufcall_id_t);
bufcall_id_t str_qbufcall(queue_t *, size_t size, unsigned priority, void (*)(void *), void *argument);
void str_qunbufcall(queue_t *, bufcall_id_t);
int str_datamsg(unsigned char type); /* M_DATA, M_PROTO, M_PCPROTO or M_DELAY */
int str_pcmsg(unsigned char type); /* of high priority */

/* Queues. */
int str_putq(queue_t *, mblk_t *);
int str_putbq(queue_t *, mblk_t *);
int str_insq(queue_t *, mblk_t *before, mblk_t *);
void str_rmvq(queue_t *, mblk_t *);
mblk_t *str_getq(queue_t *);
void str_flushq(queue_t *, int which);
void str_flushband(queue_t *, unsigned char band, int which);
void str_qenable(queue_t *);
void str_noenable(queue_t *);
void str_enableok(queue_t *);
int str_canenable(queue_t *);
int str_canput(queue_t *);
int str_bcanput(queue_t *, unsigned char band);
int str_canputnext(queue_t *);
int str_bcanputnext(queue_t *, unsigned char band);
int str_put(queue_t *, mblk_t *);
int str_putnext(queue_t *, mblk_t *);
int str_putctl(queue_t *, int type);
int str_putctl1(queue_t *, int type, int parameter);
int str_putnextctl(queue_t *, int type);
int str_putnextctl1(queue_t *, int type, int parameter);
void str_qreply(queue_t *, mblk_t *);
int str_qsize(queue_t *); /* messages */
queue_t *str_backq(queue_t *);
int str_strqget(queue_t *, qfields_t, unsigned char band, void *value);
int str_strqset(queue_t *, qfields_t, unsigned char band, intptr_t value);
void str_qprocson(queue_t *);
void str_qprocsoff(queue_t *);

/* Completion of M_IOCTL (mioc2ack & co). */
void str_miocack(queue_t *write, mblk_t *, int count, int value);
void str_miocnak(queue_t *write, mblk_t *, int count, int error);

/* Time in ticks of STR_HZ a second. */
#define STR_HZ 100
timeout_id_t str_ticks_timeout(void (*)(void *), void *argument, long ticks); /* 0 without memory */
long str_ticks_untimeout(timeout_id_t); /* ticks that were left, or -1 */
timeout_id_t str_qtimeout(queue_t *, void (*)(void *), void *argument, long ticks);
long str_quntimeout(queue_t *, timeout_id_t);
long str_drv_usectohz(long microseconds);
long str_drv_hztousec(long ticks);
long str_lbolt(void); /* ticks since the host was opened */

#include "host.h"

#ifndef STR_PREFIXED
#include "names.h"
#endif

#endif
