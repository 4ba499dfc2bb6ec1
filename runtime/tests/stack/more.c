/* A C program that uses what `program.c` does not: names, given values, grants, wakers, signals, pointers of its own. */
#define _POSIX_C_SOURCE 200809L
#include "nacre_runtime.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

extern const struct nacre_stack nacre_stack_window;

#define CHECK(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); exit(1); } } while (0)

static void *wake(void *waker) {
    nacre_wake(waker);
    return NULL;
}

static void ignore(int number) { (void)number; }

struct prepared {
    uint64_t identity; /* 0: none */
    int calls, refused, refuses;
    struct nacre_address peer;
};

static int prepare(void *with, struct nacre_config *config, const struct nacre_address *peer) {
    struct prepared *prepared = with;
    uint8_t two[2] = {0, 0};
    prepared->calls++;
    prepared->peer = *peer;
    prepared->refused += nacre_set(config, "floor.nothing", 1) == NACRE_RUN_ERROR;
    prepared->refused += nacre_set(config, NULL, 1) == NACRE_RUN_ERROR;
    prepared->refused += nacre_set_bytes(config, "floor.identity", two, sizeof two) == NACRE_RUN_ERROR;
    if (prepared->identity) CHECK(nacre_set(config, "floor.identity", prepared->identity) == NACRE_RUN_OK);
    return prepared->refuses ? NACRE_RUN_ERROR : NACRE_RUN_OK;
}

/* The next notice of a kind; others are passed over. */
static struct nacre_notice next(struct nacre_listener *listener, struct nacre_listener *other, uint32_t kind) {
    struct nacre_notice notice, ignored;
    for (int turn = 0; turn < 20000; turn++) {
        while (other && nacre_poll(other, 0, &ignored) == NACRE_RUN_OK) {}
        if (nacre_poll(listener, 1, &notice) == NACRE_RUN_OK && notice.kind == kind) return notice;
    }
    fprintf(stderr, "no notice of kind %u\n", kind);
    exit(1);
}

static void names(struct nacre_listener *listener) {
    uint64_t number = 0;
    CHECK(nacre_resolve(listener, NULL, 7, &number) == NACRE_RUN_ERROR);
    CHECK(nacre_resolve(listener, "localhost", 7, NULL) == NACRE_RUN_ERROR);
    CHECK(nacre_resolve(listener, "localhost", 7, &number) == NACRE_RUN_OK);
    CHECK(nacre_next_ns(listener) <= 10000000 && nacre_awaits_room(listener) == 0);
    struct nacre_notice found = next(listener, NULL, NACRE_NOTICE_RESOLVED);
    CHECK(found.connection == number && found.arguments[0] >= 1 && !found.text);
    CHECK(found.len == found.arguments[0] * sizeof(struct nacre_address));
    struct nacre_address first;
    memcpy(&first, found.data, sizeof first);
    CHECK(first.port == 7 && (first.family == 4 || first.family == 6));
    CHECK(nacre_resolve(listener, "no such host", 7, &number) == NACRE_RUN_OK);
    found = next(listener, NULL, NACRE_NOTICE_RESOLVED);
    CHECK(found.connection == number && found.arguments[0] == 0 && found.text && strlen(found.text) > 0);
    struct nacre_listener *named = nacre_listen("localhost", 0, NULL);
    CHECK(named && nacre_local_port(named) != 0);
    nacre_listener_free(named);
}

static void waking(struct nacre_listener *listener) {
    struct nacre_notice notice;
    struct nacre_waker *waker = NULL;
    CHECK(nacre_waker(listener, NULL) == NACRE_RUN_ERROR);
    CHECK(nacre_waker(listener, &waker) == NACRE_RUN_OK && waker);
    nacre_wake(waker);
    nacre_wake(waker);
    CHECK(nacre_poll(listener, -1, &notice) == NACRE_RUN_WOKEN);
    CHECK(nacre_poll(listener, 1, &notice) == NACRE_RUN_TIMEOUT);
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, wake, waker) == 0);
        CHECK(nacre_poll(listener, -1, &notice) == NACRE_RUN_WOKEN);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    nacre_waker_free(waker);
    nacre_waker_free(NULL);

    /* A signal that the program handles ends the call, and nothing else. The alarm rings again, in case it rang too early. */
    struct sigaction action = {.sa_handler = ignore}, old;
    struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
    CHECK(sigaction(SIGALRM, &action, &old) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    CHECK(nacre_poll(listener, -1, &notice) == NACRE_RUN_INTERRUPTED);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0 && sigaction(SIGALRM, &old, NULL) == 0);
}

int main(void) {
    struct nacre_options options = {.size = sizeof options, .linger_ms = 500, .timeout_ms = 20000};
    struct nacre_faults wrong = {.loss = 1.5};
    options.faults = &wrong;
    CHECK(nacre_listen("127.0.0.1", 0, &options) == NULL && strstr(nacre_error(NULL), "not from 0 to 1"));
    options.faults = NULL;
    struct nacre_listener *server = nacre_listen("127.0.0.1", 0, &options), *client = nacre_listen("127.0.0.1", 0, &options);
    CHECK(server && client);
    CHECK(nacre_stack_load("no such object", "reliable_stack") == NULL && strstr(nacre_error(NULL), "no such object"));
    CHECK(nacre_stack_load(NULL, "reliable_stack") == NULL && nacre_stack_load("no such object", NULL) == NULL);
    names(client);
    waking(client);

    struct prepared there = {0}, here = {.identity = 7};
    CHECK(nacre_serve_with(server, &nacre_stack_window, prepare, &there) == NACRE_RUN_OK);
    uint64_t connection = 0, other = 0;
    int mark = 5;
    struct nacre_address to = {.port = nacre_local_port(server), .family = 4};
    memcpy(to.ip + 12, "\x7f\0\0\1", 4);
    struct nacre_connecting how = {.size = sizeof how, .expect = NACRE_EXPECT_USUAL, .prepare = prepare, .prepare_with = &here,
                                   .user = &mark, .address = &to};
    how.size = 8;
    CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, &connection) == NACRE_RUN_ERROR);
    how.size = sizeof how;
    CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, NULL) == NACRE_RUN_ERROR);
    /* At once: no port, the other family, keys that the stack does not have, no family. */
    CHECK(nacre_connect(client, "::1", to.port, &nacre_stack_window, &other) == NACRE_RUN_ERROR);
    CHECK(strstr(nacre_error(client), "address families") != NULL);
    how.expect = NACRE_EXPECT_ANY;
    CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, &connection) == NACRE_RUN_ERROR);
    how.expect = 4;
    CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, &connection) == NACRE_RUN_ERROR);
    how.expect = NACRE_EXPECT_USUAL;
    to.family = 5;
    CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, &connection) == NACRE_RUN_ERROR);
    to.family = 4;
    CHECK(here.calls == 0);
    /* The program itself does not want it. */
    here.refuses = 1;
    CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, &connection) == NACRE_RUN_ERROR);
    CHECK(here.calls == 1 && strstr(nacre_error(client), "refused the connection"));
    struct nacre_statistics none;
    CHECK(nacre_statistics_of(client, 0, &none) == NACRE_RUN_OK && none.connections == 0);
    CHECK(nacre_statistics_of(client, 0, NULL) == NACRE_RUN_ERROR && strstr(nacre_error(client), "the statistics is NULL"));
    CHECK(nacre_statistics_of(client, 99, &none) == NACRE_RUN_CLOSED && strstr(nacre_error(client), "no such connection"));
    CHECK(nacre_statistics_of(NULL, 0, &none) == NACRE_RUN_ERROR && strstr(nacre_error(NULL), "the listener is NULL"));
    here = (struct prepared){.identity = 7};
    CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, &connection) == NACRE_RUN_OK);
    CHECK(here.calls == 1 && here.refused == 3 && here.peer.port == to.port && memcmp(here.peer.ip, to.ip, 16) == 0);
    CHECK(nacre_user(client, connection) == &mark && nacre_user(client, connection + 1) == NULL);

    struct nacre_address peer;
    CHECK(nacre_peer(client, connection, &peer) == NACRE_RUN_OK && memcmp(&peer, &to, sizeof peer) == 0);
    CHECK(nacre_peer(client, connection, NULL) == NACRE_RUN_ERROR && nacre_peer(client, 99, &peer) == NACRE_RUN_CLOSED);
    CHECK(nacre_accepts(client, connection, 10) == 1 && nacre_accepts(client, connection, 1 << 20) == 0);
    CHECK(nacre_accepts(client, 99, 10) == 0 && nacre_accepts(NULL, connection, 10) == 0);
    uint16_t event = 0;
    CHECK(nacre_input_event(client, connection, "send", &event) == NACRE_RUN_OK);
    CHECK(strcmp(nacre_event_name(client, connection, event), "send") == 0);
    CHECK(nacre_input_event(client, connection, "shout", &event) == NACRE_RUN_ERROR);
    CHECK(nacre_event_name(client, connection, 60000) == NULL);

    /* The server's pointer goes with the connection; its data is gone after a call that was refused, too. */
    CHECK(nacre_send(client, connection, "hello", 5) == NACRE_RUN_OK);
    struct nacre_notice notice = next(server, NULL, NACRE_NOTICE_ARRIVED);
    uint64_t incoming = notice.connection;
    CHECK(there.calls == 1 && nacre_set_user(server, incoming, &there) == NACRE_RUN_OK);
    CHECK(nacre_set_user(server, 99, &there) == NACRE_RUN_CLOSED);
    notice = next(server, client, NACRE_NOTICE_DELIVERED);
    CHECK(notice.user == &there && notice.len == 5 && memcmp(notice.data, "hello", 5) == 0);
    const uint8_t *lent = notice.data;
    /* A wrong length is refused before anything is read, also of data that is lent. */
    for (size_t wrong = (size_t)1 << 62; wrong >= (size_t)1 << 20; wrong >>= 1) {
        CHECK(nacre_send(server, incoming, notice.data, wrong) == NACRE_RUN_TOO_LONG);
        CHECK(nacre_send(server, incoming, "x", wrong) == NACRE_RUN_TOO_LONG);
    }
    CHECK(nacre_send(server, incoming, "x", SIZE_MAX) == NACRE_RUN_TOO_LONG);
    size_t longest = 0;
    char limit[64];
    CHECK(nacre_max_message(server, incoming, &longest) == NACRE_RUN_OK);
    snprintf(limit, sizeof limit, "at most %zu", longest);
    CHECK(strstr(nacre_error(server), limit) != NULL);
    CHECK(nacre_send(client, connection, "hello", 5) == NACRE_RUN_OK);
    notice = next(server, client, NACRE_NOTICE_DELIVERED);
    lent = notice.data;
    int code = nacre_send(server, incoming, notice.data, notice.len);
    CHECK(code == NACRE_RUN_OK || code == NACRE_RUN_REFUSED);
#ifdef OVERWRITES
    CHECK(memcmp(lent, "\xdd\xdd\xdd\xdd\xdd", 5) == 0);
#else
    (void)lent;
#endif
    notice = next(client, server, NACRE_NOTICE_DELIVERED);
    CHECK(notice.user == &mark && notice.len == 5 && memcmp(notice.data, "hello", 5) == 0);

    uint64_t count = 0;
    int counters = 0;
    while (nacre_counter_name(client, connection, (uint32_t)counters)) {
        char name[64];
        snprintf(name, sizeof name, "%s", nacre_counter_name(client, connection, (uint32_t)counters++));
        CHECK(nacre_counter(client, connection, name, &count) == NACRE_RUN_OK);
    }
    CHECK(counters > 0 && nacre_counter(client, connection, "no.such", &count) == NACRE_RUN_ERROR);
    CHECK(nacre_grants_by_itself(client, connection, 0) == NACRE_RUN_OK && nacre_grant(client, connection, 1) == NACRE_RUN_OK);
    CHECK(nacre_grants_by_itself(client, 99, 0) == NACRE_RUN_CLOSED);
    CHECK(nacre_receives(client, connection, 0) == NACRE_RUN_OK && nacre_receives(client, connection, 1) == NACRE_RUN_OK);
    CHECK(nacre_receives(client, 99, 0) == NACRE_RUN_CLOSED);

    CHECK(nacre_close_with(client, connection, 17, "done") == NACRE_RUN_OK);
    notice = next(server, client, NACRE_NOTICE_CLOSED);
    CHECK(notice.user == &there && notice.arguments[0] == 1 && notice.arguments[1] == 17 && strcmp(notice.text, "done") == 0);
    CHECK(nacre_user(server, incoming) == NULL && nacre_linger(server, incoming) == NACRE_RUN_OK);

    /* A connection that is refused takes its pointer with it, and the peer learns why. */
    how.user = NULL;
    CHECK(nacre_connect_with(client, "localhost", to.port, &nacre_stack_window, &(struct nacre_connecting){.size = sizeof how,
          .expect = NACRE_EXPECT_USUAL, .prepare = prepare, .prepare_with = &here}, &connection) == NACRE_RUN_OK);
    CHECK(nacre_send(client, connection, "again", 5) == NACRE_RUN_OK);
    notice = next(server, client, NACRE_NOTICE_ARRIVED);
    CHECK(nacre_set_user(server, notice.connection, &there) == NACRE_RUN_OK);
    incoming = notice.connection;
    CHECK(nacre_refuse(server, incoming, 3, "full") == NACRE_RUN_OK && nacre_user(server, incoming) == NULL);
    notice = next(client, server, NACRE_NOTICE_CLOSED);
    CHECK(notice.reason == NACRE_REASON_REFUSED && notice.arguments[1] == 3 && strcmp(notice.text, "full") == 0);
    /* Nor does a server want one whose values cannot be set. */
    there.refuses = 1;
    CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, &connection) == NACRE_RUN_OK);
    CHECK(nacre_send(client, connection, "third", 5) == NACRE_RUN_OK);
    notice = next(client, server, NACRE_NOTICE_CLOSED);
    CHECK(notice.connection == connection && notice.reason == NACRE_REASON_REFUSED);
    const char *name = NULL;
    uint64_t not_accepted = 0;
    for (uint32_t index = 0; nacre_listener_count(server, index, &name, &count) == NACRE_RUN_OK; index++) {
        not_accepted += strcmp(name, "not_accepted") == 0 ? count : 0;
    }
    CHECK(not_accepted > 0); /* the greeting and the message */
    there.refuses = 0;

    /* Two connections with one peer, because each has an identity of its own. */
    for (here.identity = 8; here.identity < 10; here.identity++) {
        CHECK(nacre_connect_with(client, NULL, 0, &nacre_stack_window, &how, &connection) == NACRE_RUN_OK);
        CHECK(next(client, server, NACRE_NOTICE_OPENED).connection == connection);
    }
    nacre_listener_free(client);
    nacre_listener_free(server);
    puts("done");
    return 0;
}
