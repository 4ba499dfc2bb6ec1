/* Two listeners in one thread, on a bad network: reports of what the server has taken come to the client. */
#include "nacre_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct nacre_stack receipted_stack;

#define CHECK(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); exit(1); } } while (0)
#define MESSAGES 200u

int main(void) {
    struct nacre_faults faults = {.loss = 0.1, .duplicate = 0.1, .reorder = 0.1, .seed = 7};
    struct nacre_options options = {.size = sizeof options, .faults = &faults};
    struct nacre_listener *server = nacre_listen("127.0.0.1", 0, &options), *client = nacre_listen("127.0.0.1", 0, &options);
    struct nacre_notice notice;
    uint64_t connection, there = 0, taken = 0, reached = 0, sent = 0, stored = 0;
    CHECK(server && client && nacre_serve(server, &receipted_stack) == NACRE_RUN_OK);
    CHECK(nacre_connect(client, "127.0.0.1", nacre_local_port(server), &receipted_stack, &connection) == NACRE_RUN_OK);
    while (reached < MESSAGES) {
        if (sent < MESSAGES && nacre_send(client, connection, &sent, sizeof sent) == NACRE_RUN_OK) sent++;
        while (nacre_poll(server, 0, &notice) == NACRE_RUN_OK) {
            CHECK(notice.kind != NACRE_NOTICE_CLOSED);
            if (notice.kind == NACRE_NOTICE_ARRIVED) {
                there = notice.connection;
                CHECK(nacre_takes_by_itself(server, there, 0) == NACRE_RUN_OK);
            }
            if (notice.kind != NACRE_NOTICE_DELIVERED) continue;
            CHECK(notice.len == sizeof stored && memcmp(notice.data, &stored, sizeof stored) == 0);
            stored++;
        }
        if (there && stored > taken) {
            taken++; /* Before the call: a report may come with it. */
            CHECK(nacre_taken(server, there, 1) == NACRE_RUN_OK);
        }
        while (nacre_poll(client, taken < stored ? 0 : 1, &notice) == NACRE_RUN_OK) {
            CHECK(notice.kind != NACRE_NOTICE_CLOSED);
            if (notice.kind != NACRE_NOTICE_OTHER) continue;
            CHECK(strcmp(nacre_event_name(client, connection, notice.event), "reached") == 0);
            CHECK(notice.arguments[0] > reached && notice.arguments[0] <= taken);
            reached = notice.arguments[0];
        }
    }
    CHECK(taken == MESSAGES && sent == MESSAGES);
    CHECK(nacre_taken(server, 99, 1) == NACRE_RUN_CLOSED && nacre_takes_by_itself(server, 99, 1) == NACRE_RUN_CLOSED);
    nacre_listener_free(client);
    nacre_listener_free(server);
    puts("done");
    return 0;
}
