/* A client and its server in one thread. The server dies and comes back: the client learns how many messages may be lost, and the number
 * of the new connection. */
#include "nacre_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct nacre_stack receipted_stack;

#define CHECK(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); exit(1); } } while (0)

static uint64_t taken, reached;

/* The next notice of a kind; the server is driven meanwhile. */
static struct nacre_notice next(struct nacre_listener *client, struct nacre_listener *server, uint32_t kind) {
    struct nacre_notice notice;
    for (int turn = 0; turn < 60000; turn++) {
        while (server && nacre_poll(server, 0, &notice) == NACRE_RUN_OK) taken += notice.kind == NACRE_NOTICE_DELIVERED;
        if (nacre_poll(client, 1, &notice) != NACRE_RUN_OK) continue;
        if (notice.kind == NACRE_NOTICE_OTHER) reached = notice.arguments[0];
        if (notice.kind == kind) return notice;
    }
    fprintf(stderr, "no notice of kind %u\n", kind);
    exit(1);
}

static struct nacre_listener *serve(uint16_t port) {
    struct nacre_listener *server = nacre_listen("127.0.0.1", port, NULL);
    CHECK(server && nacre_serve(server, &receipted_stack) == NACRE_RUN_OK);
    return server;
}

int main(void) {
    int mark = 0;
    struct nacre_options options = {.size = sizeof options, .timeout_ms = 1000, .ping_after_ms = 200};
    struct nacre_backoff backoff = {.size = sizeof backoff, .first_ms = 20, .most_ms = 100};
    struct nacre_connecting how = {.size = sizeof how, .expect = NACRE_EXPECT_USUAL, .user = &mark};
    struct nacre_listener *server = serve(0), *client = nacre_listen("127.0.0.1", 0, &options);
    uint16_t port = nacre_local_port(server);
    uint64_t connection, other = 0;
    CHECK(client);

    struct nacre_backoff small = {.size = 4};
    CHECK(nacre_reconnect(client, "127.0.0.1", port, &receipted_stack, NULL, &small, &other) == NACRE_RUN_ERROR);
    CHECK(nacre_reconnect(client, NULL, port, &receipted_stack, NULL, NULL, &other) == NACRE_RUN_ERROR);
    CHECK(nacre_reconnect(client, "127.0.0.1", 0, &receipted_stack, NULL, NULL, &other) == NACRE_RUN_ERROR);
    CHECK(nacre_reconnect(client, "127.0.0.1", port, &receipted_stack, &how, &backoff, &connection) == NACRE_RUN_OK);

    struct nacre_notice notice = next(client, server, NACRE_NOTICE_OPENED);
    CHECK(notice.connection == connection && notice.user == &mark);
    for (int sent = 0; sent < 3; sent++) CHECK(nacre_send(client, connection, "hello", 5) == NACRE_RUN_OK);
    CHECK(nacre_send_blocking(client, connection, "hello", 5, 1000) == NACRE_RUN_OK);
    next(client, server, NACRE_NOTICE_OTHER);
    nacre_listener_free(server);

    notice = next(client, NULL, NACRE_NOTICE_RECONNECTING);
    CHECK(notice.connection == connection && notice.user == &mark && notice.reason == NACRE_REASON_TIMEOUT && notice.text);
    CHECK(notice.arguments[0] == 4 && notice.arguments[1] == reached && reached <= taken && notice.arguments[2] == 1);
    CHECK(notice.arguments[3] <= 20);
    CHECK(nacre_send(client, connection, "lost", 4) == NACRE_RUN_CLOSED);
    CHECK(nacre_send_blocking(client, connection, "lost", 4, 0) == NACRE_RUN_CLOSED);

    server = serve(port);
    notice = next(client, server, NACRE_NOTICE_RECONNECTED);
    CHECK(notice.arguments[0] == connection && notice.connection != connection && notice.user == &mark);
    connection = notice.connection;
    taken = 0;
    CHECK(nacre_send(client, connection, "again", 5) == NACRE_RUN_OK);
    next(client, server, NACRE_NOTICE_OTHER);
    CHECK(taken == 1 && reached == 1);
    nacre_listener_free(server);

    notice = next(client, NULL, NACRE_NOTICE_RECONNECTING);
    CHECK(notice.connection == connection && notice.arguments[0] == 1 && notice.arguments[1] == 1);
    CHECK(nacre_next_ns(client) < 1000000000);
    CHECK(nacre_close(client, connection) == NACRE_RUN_OK);
    notice = next(client, NULL, NACRE_NOTICE_CLOSED);
    CHECK(notice.connection == connection && notice.user == &mark);
    CHECK(nacre_close(client, connection) == NACRE_RUN_CLOSED && nacre_user(client, connection) == NULL);
    nacre_listener_free(client);
    puts("done");
    return 0;
}
