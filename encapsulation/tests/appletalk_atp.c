/* The AppleTalk core: requests and exactly-once transactions of ATP. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "stacks/appletalk/core/atp.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint32_t state = 1;

static uint32_t random_below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * limit >> 32);
}

static const struct at_address server = {5, 12, 130}, client = {5, 13, 140};

struct requester {
    struct at_requests all;
    struct at_request slots[4];
};

static void requester_init(struct requester *r)
{
    at_requests_init(&r->all, r->slots, 4, 0xFFFC, 2000, 2);
}

static struct at_request *ask(struct requester *r, at_byte control, at_byte bitmap, at_short reference, at_long now)
{
    struct at_atp header = {control, bitmap, reference};
    enum at_atp_fault fault;
    struct at_request *request = at_request_open(&r->all, &server, &header, NULL, now, &fault);
    assert((request != NULL) == (fault == AT_ATP_GOOD));
    if (request != NULL)
        assert(header.tid == request->tid && (header.control & AT_ATP_FUNCTION) == AT_ATP_REQUEST);
    return request;
}

static int answer(struct requester *r, const struct at_request *request, at_byte control, at_byte number, at_long now)
{
    struct at_atp header = {control | AT_ATP_RESPONSE, number, request->tid};
    struct at_request *found = NULL;
    enum at_atp_fault fault;
    int what = at_response_arrived(&r->all, &server, &header, now, &found, &fault);
    assert((what != 0) == (fault == AT_ATP_GOOD) && (what == 0 || found == request));
    return what;
}

static void test_atp_header_has_its_published_form(void)
{
    at_byte bytes[AT_ATP_HEADER] = {0, 0, 0, 0, 'u', 's', 'e', 'r'};
    struct at_atp header = {AT_ATP_REQUEST | AT_ATP_XO | 2, 0x07, 0x1234}, read;
    at_atp_write(bytes, &header);
    assert(memcmp(bytes, "\x62\x07\x12\x34user", 8) == 0);
    assert(at_atp_read(bytes, 8, &read) == 0 && read.control == 0x62 && read.bitmap == 7 && read.tid == 0x1234);
    assert(at_atp_read(bytes, 7, &read) == -1);
}

static void test_response_of_many_packets_in_any_order(void)
{
    struct requester r;
    struct at_request *request;
    requester_init(&r);
    request = ask(&r, AT_ATP_XO | 1 | AT_ATP_EOM, 0xFF, 42, 0);
    assert(request->reference == 42 && request->control == (AT_ATP_REQUEST | AT_ATP_XO | 1) && request->last == 7);
    assert(answer(&r, request, 0, 2, 1) == AT_TAKE && request->bitmap == 0xFB);
    assert(answer(&r, request, 0, 2, 1) == 0); /* twice */
    assert(answer(&r, request, AT_ATP_EOM, 3, 1) == AT_TAKE && request->bitmap == 0x03 && request->last == 3);
    assert(answer(&r, request, 0, 5, 1) == 0); /* after the last */
    assert(answer(&r, request, AT_ATP_STS, 0, 500) == (AT_TAKE | AT_ASK) && request->deadline == 2500);
    assert(answer(&r, request, AT_ATP_STS, 1, 1) == (AT_TAKE | AT_DONE));
    assert(answer(&r, request, 0, 8, 1) == 0);
    at_request_close(&r.all, request);
    assert(answer(&r, request, 0, 0, 1) == 0 && r.all.used == 0);
}

static void test_response_without_eom_ends_with_the_last_asked_packet(void)
{
    struct requester r;
    struct at_request *request;
    requester_init(&r);
    request = ask(&r, 0, 0x03, 0, 0);
    assert(request->last == 1 && answer(&r, request, 0, 1, 0) == AT_TAKE);
    assert(answer(&r, request, 0, 0, 0) == (AT_TAKE | AT_DONE) && request->last == 1);
}

static void test_responses_of_others_are_dropped(void)
{
    struct requester r;
    struct at_request *request, *found;
    struct at_atp header = {AT_ATP_RESPONSE, 0, 0};
    struct at_address from = server;
    enum at_atp_fault fault;
    requester_init(&r);
    request = ask(&r, 0, 1, 0, 0);
    header.tid = request->tid;
    from.node++;
    assert(at_response_arrived(&r.all, &from, &header, 0, &found, &fault) == 0 && fault == AT_ATP_UNKNOWN);
    from = server, from.socket++;
    assert(at_response_arrived(&r.all, &from, &header, 0, &found, &fault) == 0);
    from = server, from.net++;
    assert(at_response_arrived(&r.all, &from, &header, 0, &found, &fault) == 0);
    request->peer.net = AT_ANY_NET; /* the user left it open */
    header.tid = (at_short)(request->tid + 4);
    assert(at_response_arrived(&r.all, &from, &header, 0, &found, &fault) == 0);
    header.tid = request->tid;
    assert(at_response_arrived(&r.all, &from, &header, 0, &found, &fault) == (AT_TAKE | AT_DONE));
}

static void test_requests_are_bounded_and_their_numbers_return_late(void)
{
    struct requester r;
    struct at_request *request[4];
    static at_byte seen[65536];
    int i;
    at_requests_init(&r.all, r.slots, 4, 0xABCF, 2000, 2);
    for (i = 0; i < 4; i++)
        request[i] = ask(&r, 0, 1, 0, 0);
    assert(ask(&r, 0, 1, 0, 0) == NULL);
    for (i = 0; i < 4; i++)
        at_request_close(&r.all, request[i]);
    assert(ask(&r, 0, 0, 0, 0) == NULL && ask(&r, 0, 5, 0, 0) == NULL); /* no bitmap of a request */
    for (i = 0; i < 65536; i++) {
        request[0] = ask(&r, 0, 1, 0, 0);
        assert(seen[request[0]->tid]++ == 0);
        at_request_close(&r.all, request[0]);
    }
}

static void test_requests_are_sent_again_then_fail(void)
{
    struct requester r;
    struct at_request *request;
    at_short cursor = 0;
    int again;
    requester_init(&r);
    request = ask(&r, 0, 3, 0, 0xFFFFFF00u); /* time wraps */
    assert(at_request_due(&r.all, 0xFFFFFF00u + 1999, &cursor, &again) == NULL);
    cursor = 0;
    assert(at_request_due(&r.all, 0xFFFFFF00u + 2000, &cursor, &again) == request && again);
    assert(at_request_due(&r.all, 0xFFFFFF00u + 2000, &cursor, &again) == NULL);
    cursor = 0;
    assert(at_request_due(&r.all, 0xFFFFFF00u + 4000, &cursor, &again) == request && again);
    cursor = 0;
    assert(at_request_due(&r.all, 0xFFFFFF00u + 6000, &cursor, &again) == request && !again);
    request->tries = AT_TRIES_FOREVER;
    for (cursor = 0; cursor < 1; cursor = 0) {
        assert(at_request_due(&r.all, request->deadline, &cursor, &again) == request && again);
        if (request->deadline > 3000000)
            break;
    }
    assert(request->tries == AT_TRIES_FOREVER);
}

struct responder {
    struct at_transactions all;
    struct at_transaction slots[8];
};

static int arrive(struct responder *r, at_byte control, at_byte bitmap, at_short tid, struct at_transaction **found)
{
    struct at_atp header = {AT_ATP_REQUEST | control, bitmap, tid};
    enum at_atp_fault fault;
    int what = at_request_arrived(&r->all, &client, 130, NULL, &header, 0, found, &fault);
    assert((what != 0) == (fault == AT_ATP_GOOD));
    return what;
}

static void test_at_least_once_leaves_nothing(void)
{
    struct responder r;
    struct at_transaction *one;
    at_transactions_init(&r.all, r.slots, 8);
    assert(arrive(&r, 0, 1, 7, &one) == AT_DELIVER && one == NULL && r.all.used == 0);
    assert(arrive(&r, 0, 1, 7, &one) == AT_DELIVER && one == NULL);
    assert(arrive(&r, 0, 0, 7, &one) == 0);
}

static void test_exactly_once_is_delivered_once_and_answered_again(void)
{
    struct responder r;
    struct at_transaction *one, *again;
    int packet;
    at_transactions_init(&r.all, r.slots, 8);
    assert(arrive(&r, AT_ATP_XO | 2, 3, 7, &one) == AT_DELIVER && one != NULL);
    assert(one->deadline == 120000);
    assert(arrive(&r, AT_ATP_XO | 2, 3, 7, &again) == 0); /* the user works on it */
    one->response[1] = &packet;
    at_transaction_answered(one, 500);
    assert(one->deadline == 120500);
    assert(arrive(&r, AT_ATP_XO | 2, 1, 7, &again) == 0); /* misses a packet that was not sent yet */
    assert(arrive(&r, AT_ATP_XO | 2, 2, 7, &again) == AT_RESEND && again == one && one->bitmap == 2);
    assert(at_transaction_find(&r.all, &client, 130, 7) == one);
    assert(at_transaction_find(&r.all, &client, 131, 7) == NULL);
    assert(at_transaction_find(&r.all, &server, 130, 7) == NULL);
    one->response[1] = NULL;
    at_transaction_close(&r.all, one);
    assert(at_transaction_find(&r.all, &client, 130, 7) == NULL);
    assert(arrive(&r, AT_ATP_XO, 1, 7, &one) == AT_DELIVER); /* after a release it is a new one */
}

static void test_transactions_are_bounded_and_chains_hold(void)
{
    struct responder r;
    struct at_transaction *one[8], *more;
    at_short open[8], i;
    int step, used = 0;
    at_transactions_init(&r.all, r.slots, 8);
    for (step = 0; step < 20000; step++) {
        if (random_below(2) == 0) {
            at_short tid = (at_short)step;
            int what = arrive(&r, AT_ATP_XO, 1, tid, &more);
            assert((what == AT_DELIVER) == (used < 8));
            if (what)
                open[used] = tid, one[used++] = more;
        } else if (used > 0) {
            int which = (int)random_below((uint32_t)used);
            at_transaction_close(&r.all, one[which]);
            used--;
            open[which] = open[used], one[which] = one[used];
        }
        assert(r.all.used == used);
        for (i = 0; i < used; i++)
            assert(at_transaction_find(&r.all, &client, 130, open[i]) == one[i]);
    }
}

static void test_transactions_without_release_are_forgotten(void)
{
    struct responder r;
    struct at_transaction *one;
    at_short cursor = 0;
    static const at_long minutes[] = {30, 60, 120, 240, 480, 30, 30, 30};
    at_transactions_init(&r.all, r.slots, 8);
    for (size_t i = 0; i < COUNT(minutes); i++)
        assert(at_release_ms((at_byte)(AT_ATP_XO | i)) == minutes[i] * 1000);
    assert(arrive(&r, AT_ATP_XO, 1, 7, &one) == AT_DELIVER);
    assert(at_transaction_due(&r.all, 29999, &cursor) == NULL);
    cursor = 0;
    assert(at_transaction_due(&r.all, 30000, &cursor) == one && at_transaction_due(&r.all, 30000, &cursor) == NULL);
}

#define RUN(name) (test_##name(), puts("ok " #name))

int main(void)
{
    RUN(atp_header_has_its_published_form);
    RUN(response_of_many_packets_in_any_order);
    RUN(response_without_eom_ends_with_the_last_asked_packet);
    RUN(responses_of_others_are_dropped);
    RUN(requests_are_bounded_and_their_numbers_return_late);
    RUN(requests_are_sent_again_then_fail);
    RUN(at_least_once_leaves_nothing);
    RUN(exactly_once_is_delivered_once_and_answered_again);
    RUN(transactions_are_bounded_and_chains_hold);
    RUN(transactions_without_release_are_forgotten);
    return 0;
}
