/* ATP, the transaction protocol of AppleTalk: packets, the tables of requests and of exactly-once transactions (Inside
 * AppleTalk, 2nd edition, chapter 9). The tables have a fixed size, which their user gives; what they hold of packets
 * are pointers of the user, who releases them. Time is in milliseconds of any origin and wraps. */
#ifndef APPLETALK_CORE_ATP_H
#define APPLETALK_CORE_ATP_H

#include "types.h"

#define AT_ATP_HEADER 8
#define AT_ATP_DATA 578
#define AT_ATP_PACKETS 8 /* of a response */

/* The control byte. */
#define AT_ATP_FUNCTION 0xC0
#define AT_ATP_FAILED 0x00 /* only between ATP and its user: no response came */
#define AT_ATP_REQUEST 0x40
#define AT_ATP_RESPONSE 0x80
#define AT_ATP_RELEASE 0xC0
#define AT_ATP_XO 0x20    /* exactly once */
#define AT_ATP_EOM 0x10   /* the last packet of a response */
#define AT_ATP_STS 0x08   /* the responder asks which packets are missing */
#define AT_ATP_TIMER 0x07 /* of an exactly-once request: how long the responder remembers it */

struct at_atp {
    at_byte control;
    at_byte bitmap; /* of a request: the packets that are missing; of a response: its number, 0 to 7 */
    at_short tid;
};

/* Reads a header of `count` bytes or more; 0 or -1. The four bytes of the user at offset 4 are left alone. */
int at_atp_read(const at_byte *bytes, at_long count, struct at_atp *header);
void at_atp_write(at_byte *to, const struct at_atp *header);

enum at_atp_fault {
    AT_ATP_GOOD,
    AT_ATP_MALFORMED, /* too short, too long, no such function, a bitmap or number that cannot be */
    AT_ATP_UNKNOWN,   /* belongs to no transaction */
    AT_ATP_TWICE,     /* a response or an exactly-once request that was received before */
    AT_ATP_FULL,      /* the table is full, or no buffer */
    AT_ATP_FAULTS
};

struct at_atp_counts {
    unsigned long requests, responses, releases; /* received and used */
    unsigned long resent, expired, forgotten;    /* by time: requests sent again, failed; transactions never released */
    unsigned long dropped[AT_ATP_FAULTS];
};

/* A request that was sent. */
struct at_request {
    struct at_address peer;
    at_short tid;       /* the low bits are the slot */
    at_short reference; /* by which the user knows it */
    at_byte used;
    at_byte control;
    at_byte bitmap; /* packets that are missing */
    at_byte last;   /* number of the last packet of the response */
    at_short tries; /* that are left */
    at_long deadline;
    void *owner;
    void *packet; /* the request, to be sent again */
    void *response[AT_ATP_PACKETS];
};

#define AT_TRIES_FOREVER 0xFFFF

struct at_requests {
    struct at_request *slot;
    at_short count; /* a power of two, at most 1024 */
    at_short used;
    at_short next; /* slots are used in turn, so that a number returns late */
    at_short tries;
    at_long retry_ms;
};

/* `first` is a random number: where the numbers of transactions begin. */
void at_requests_init(struct at_requests *requests, struct at_request *slots, at_short count, at_short first,
                      at_long retry_ms, at_short tries);

/* Begins a request; completes the header. NULL if its bitmap is not the lowest bits or the table is full (`*fault`). */
struct at_request *at_request_open(struct at_requests *requests, const struct at_address *peer, struct at_atp *header,
                                   void *owner, at_long now, enum at_atp_fault *fault);
void at_request_close(struct at_requests *requests, struct at_request *request);

#define AT_TAKE 1 /* keep the packet as response[header->bitmap] */
#define AT_ASK 2  /* send the request again, with the bitmap that it has now */
#define AT_DONE 4 /* the response is complete: packets 0 to `last` */

/* A response arrived. Returns what to do; 0 if the packet is dropped, for `*fault`. */
int at_response_arrived(struct at_requests *requests, const struct at_address *from, const struct at_atp *header,
                        at_long now, struct at_request **request, enum at_atp_fault *fault);

/* The next request from slot `*cursor` on whose time has come, or NULL. If `*again` it is to be sent again, else it
 * failed. */
struct at_request *at_request_due(struct at_requests *requests, at_long now, at_short *cursor, int *again);

/* The header of a request that is sent again. */
void at_request_header(const struct at_request *request, struct at_atp *header);

/* An exactly-once transaction of a responder. */
struct at_transaction {
    struct at_address peer;
    at_short tid;
    at_byte socket; /* ours */
    at_byte used;
    at_byte bitmap;      /* packets that the requester misses, as far as known */
    at_byte timer;       /* of the request's control byte */
    at_short head, next; /* chains of the hash table; of free slots */
    at_long deadline;
    void *owner;
    void *response[AT_ATP_PACKETS]; /* what was sent */
};

struct at_transactions {
    struct at_transaction *slot;
    at_short count; /* a power of two, at most 1024 */
    at_short used;
    at_short free;
};

void at_transactions_init(struct at_transactions *transactions, struct at_transaction *slots, at_short count);

#define AT_DELIVER 1 /* a request for the user */
#define AT_RESEND 2  /* send again what was sent of the packets in `bitmap` */

/* A request arrived. Returns what to do; 0 if it is dropped, for `*fault`. `*transaction` is NULL unless the request is
 * exactly once. */
int at_request_arrived(struct at_transactions *transactions, const struct at_address *from, at_byte socket, void *owner,
                       const struct at_atp *header, at_long now, struct at_transaction **transaction,
                       enum at_atp_fault *fault);

struct at_transaction *at_transaction_find(struct at_transactions *transactions, const struct at_address *peer,
                                           at_byte socket, at_short tid);

/* A packet of its response was sent or sent again: the time to remember it begins anew. */
void at_transaction_answered(struct at_transaction *transaction, at_long now);
void at_transaction_close(struct at_transactions *transactions, struct at_transaction *transaction);

/* The next transaction from slot `*cursor` on whose release never came, or NULL. */
struct at_transaction *at_transaction_due(struct at_transactions *transactions, at_long now, at_short *cursor);

/* Milliseconds for which a transaction is remembered, by the low bits of the request's control byte. */
at_long at_release_ms(at_byte control);

#endif
