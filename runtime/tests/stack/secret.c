/* A C program that talks to itself through a stack with keys: a server and a client, each with its listener, in one thread. */
#include "nacre_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct nacre_stack nacre_stack_window;

#define CHECK(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); exit(1); } } while (0)

static struct nacre_listener *listener(const uint8_t *keys, const uint8_t *psk) {
    struct nacre_options options = {.size = sizeof options, .linger_ms = 100, .keys = keys, .psk = psk};
    struct nacre_listener *made = nacre_listen("127.0.0.1", 0, &options);
    CHECK(made);
    return made;
}

/* Opens a connection, sends a message, and closes. */
static void talk(struct nacre_listener *client, struct nacre_listener *server, uint64_t there, const uint8_t *known, const uint8_t *own) {
    int opened = 0, delivered = 0, closed = 0, asked = 0;
    CHECK(nacre_send(client, there, "early", 5) == NACRE_RUN_REFUSED);
    while (closed < 2) {
        struct nacre_notice notice;
        while (nacre_poll(client, 1, &notice) == NACRE_RUN_OK) {
            closed += notice.kind == NACRE_NOTICE_CLOSED;
            if (notice.kind != NACRE_NOTICE_OPENED) continue;
            opened++;
            CHECK(notice.has_peer_key == (known != NULL) && (!known || memcmp(notice.peer_key, known, 32) == 0));
            CHECK(nacre_send_blocking(client, there, "hello", 5, 1000) == NACRE_RUN_OK);
        }
        while (nacre_poll(server, 1, &notice) == NACRE_RUN_OK) {
            closed += notice.kind == NACRE_NOTICE_CLOSED;
            delivered += notice.kind == NACRE_NOTICE_DELIVERED && notice.len == 5 && memcmp(notice.data, "hello", 5) == 0;
            if (notice.kind != NACRE_NOTICE_OPENED) continue;
            opened++;
            CHECK(notice.has_peer_key == (own != NULL) && (!own || memcmp(notice.peer_key, own, 32) == 0));
        }
        if (delivered && !asked++) CHECK(nacre_close(client, there) == NACRE_RUN_OK);
    }
    CHECK(opened == 2 && delivered == 1);
}

int main(void) {
    uint8_t secrets[2][32], keys[2][32], psk[32] = {7}, again[32];
    for (int i = 0; i < 2; i++) {
        CHECK(nacre_keys_new(secrets[i]) == NACRE_RUN_OK);
        CHECK(nacre_keys_public(secrets[i], keys[i]) == NACRE_RUN_OK);
    }
    char text[53];
    CHECK(nacre_key_text(keys[0], text) == NACRE_RUN_OK && strlen(text) == 52);
    CHECK(nacre_key_read(text, again) == NACRE_RUN_OK && memcmp(again, keys[0], 32) == 0);
    CHECK(nacre_key_read("no key", again) == NACRE_RUN_ERROR && nacre_keys_new(NULL) == NACRE_RUN_ERROR);

    struct nacre_listener *plain = listener(NULL, NULL);
    CHECK(nacre_serve(plain, &nacre_stack_window) == NACRE_RUN_ERROR);
    CHECK(strstr(nacre_error(plain), "the option `keys`") != NULL);
    nacre_listener_free(plain);

    struct nacre_listener *server = listener(secrets[1], psk);
    CHECK(nacre_serve(server, &nacre_stack_window) == NACRE_RUN_OK);
    uint16_t port = nacre_local_port(server);
    uint64_t there;
    struct nacre_listener *client = listener(secrets[0], NULL);
    CHECK(nacre_connect_secure(client, "127.0.0.1", port, &nacre_stack_window, NACRE_EXPECT_KEY, NULL, &there) == NACRE_RUN_ERROR);
    CHECK(nacre_connect_secure(client, "127.0.0.1", port, &nacre_stack_window, 4, NULL, &there) == NACRE_RUN_ERROR);
    CHECK(nacre_connect_secure(client, "127.0.0.1", port, &nacre_stack_window, NACRE_EXPECT_KEY, keys[1], &there) == NACRE_RUN_OK);
    talk(client, server, there, keys[1], keys[0]);
    CHECK(nacre_connect(client, "127.0.0.1", port, &nacre_stack_window, &there) == NACRE_RUN_OK);
    talk(client, server, there, keys[1], keys[0]);
    nacre_listener_free(client);
    client = listener(NULL, psk);
    CHECK(nacre_connect_secure(client, "127.0.0.1", port, &nacre_stack_window, NACRE_EXPECT_PSK, NULL, &there) == NACRE_RUN_OK);
    talk(client, server, there, NULL, NULL);
    nacre_listener_free(client);
    nacre_listener_free(server);
    puts("done");
    return 0;
}
