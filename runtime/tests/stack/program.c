/* A C program that talks to itself through the runtime: a server and a client, each with its listener, in one thread. */
#include "nacre_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct nacre_stack nacre_stack_window;

#define CHECK(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); exit(1); } } while (0)

enum { MESSAGES = 500 };

int main(void) {
    CHECK(nacre_listen("no address", 0, NULL) == NULL);
    CHECK(strstr(nacre_error(NULL), "cannot find the host's address") != NULL);
    CHECK(nacre_serve(NULL, &nacre_stack_window) == NACRE_RUN_ERROR);

    struct nacre_faults faults = {.loss = 0.05, .duplicate = 0.05, .seed = 3};
    struct nacre_options options = {.size = sizeof options, .linger_ms = 500, .faults = &faults, .capture = CAPTURE};
    struct nacre_listener *client = nacre_listen("127.0.0.1", 0, &options);
    options.faults = NULL;
    options.capture = NULL;
    struct nacre_listener *server = nacre_listen("127.0.0.1", 0, &options);
    CHECK(server && client);
    CHECK(nacre_serve(server, &nacre_stack_window) == NACRE_RUN_OK);
    CHECK(nacre_descriptor(server) >= 0);

    struct nacre_listener *shards[3] = {NULL};
    CHECK(nacre_listen_shards("127.0.0.1", 0, NULL, 3, NULL) == NACRE_RUN_ERROR && strstr(nacre_error(NULL), "is NULL"));
    CHECK(nacre_listen_shards("127.0.0.1", 0, NULL, 0, shards) == NACRE_RUN_ERROR && shards[0] == NULL);
    CHECK(nacre_listen_shards("127.0.0.1", 0, &options, 3, shards) == NACRE_RUN_OK);
    for (int i = 0; i < 3; i++) {
        CHECK(nacre_local_port(shards[i]) == nacre_local_port(shards[0]));
        CHECK(nacre_flush(shards[i]) == NACRE_RUN_OK);
    }
    for (int i = 0; i < 3; i++) { nacre_listener_free(shards[i]); }

    uint64_t there;
    CHECK(nacre_connect(client, "localhost", nacre_local_port(server), NULL, &there) == NACRE_RUN_ERROR);
    CHECK(nacre_connect(client, "127.0.0.1", 0, &nacre_stack_window, &there) == NACRE_RUN_ERROR);
    CHECK(strcmp(nacre_error(client), "the port is 0") == 0);
    CHECK(nacre_poll(client, 0, NULL) == NACRE_RUN_ERROR);
    CHECK(strcmp(nacre_error(client), "the place for the notice is NULL") == 0);
    CHECK(strlen(nacre_error(client)) > 0);
    CHECK(nacre_connect(client, "127.0.0.1", nacre_local_port(server), &nacre_stack_window, &there) == NACRE_RUN_OK);
    CHECK(nacre_send(client, there, NULL, 5) == NACRE_RUN_ERROR);
    static char long_message[2000];
    size_t longest = 0;
    CHECK(nacre_max_message(client, there, &longest) == NACRE_RUN_OK && longest > 0 && longest < sizeof long_message);
    CHECK(nacre_max_message(client, there, NULL) == NACRE_RUN_ERROR);
    CHECK(nacre_send(client, there, long_message, longest + 1) == NACRE_RUN_TOO_LONG);
    CHECK(nacre_send_blocking(client, there, long_message, longest + 1, -1) == NACRE_RUN_TOO_LONG);
    CHECK(strstr(nacre_error(client), "the stack accepts at most") != NULL);

    int sent = 0, echoed = 0, received = 0, closed = 0, arrived = 0, opened = 0;
    while (closed < 2) {
        char text[32];
        /* Four under way: the echo then always fits the server's window, which one thread could not wait for. */
        if (sent < MESSAGES && sent < received + 4) {
            int len = snprintf(text, sizeof text, "message %d", sent);
            int code = nacre_send_blocking(client, there, text, (size_t)len, 0);
            CHECK(code == NACRE_RUN_OK || code == NACRE_RUN_TIMEOUT);
            sent += code == NACRE_RUN_OK;
        }
        struct nacre_notice notice;
        while (nacre_poll(server, 0, &notice) == NACRE_RUN_OK) {
            arrived += notice.kind == NACRE_NOTICE_ARRIVED;
            closed += notice.kind == NACRE_NOTICE_CLOSED;
            if (notice.kind == NACRE_NOTICE_DELIVERED) {
                char copy[1200];
                size_t len = notice.len;
                memcpy(copy, notice.data, len);
                CHECK(nacre_send(server, notice.connection, copy, len) == NACRE_RUN_OK);
                echoed++;
            }
        }
        while (nacre_poll(client, 1, &notice) == NACRE_RUN_OK) {
            opened += notice.kind == NACRE_NOTICE_OPENED;
            if (notice.kind == NACRE_NOTICE_OPENED) CHECK(notice.peer_family == 4 && notice.peer_port == nacre_local_port(server));
            if (notice.kind == NACRE_NOTICE_CLOSED) {
                closed++;
                CHECK(notice.reason == NACRE_REASON_CLOSED && notice.text);
            }
            if (notice.kind == NACRE_NOTICE_DELIVERED) {
                int len = snprintf(text, sizeof text, "message %d", received++);
                CHECK(notice.len == (size_t)len && memcmp(notice.data, text, notice.len) == 0);
                if (received == MESSAGES) {
                    struct nacre_statistics statistics;
                    CHECK(nacre_statistics_of(client, there, &statistics) == NACRE_RUN_OK);
                    CHECK(statistics.frames_in >= MESSAGES && statistics.connections == 1);
                    CHECK(nacre_close(client, there) == NACRE_RUN_OK);
                }
            }
        }
    }
    CHECK(arrived == 1 && opened == 1 && received == MESSAGES && echoed == MESSAGES);
    CHECK(nacre_send(client, there, "late", 4) == NACRE_RUN_CLOSED);
    nacre_listener_free(client);
    nacre_listener_free(server);
    nacre_listener_free(NULL);
    puts("done");
    return 0;
}
