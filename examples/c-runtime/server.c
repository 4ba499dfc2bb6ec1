#include <nacre_runtime.h>
#include <stdio.h>

extern const struct nacre_stack reliable_stack;

int main(void) {
    struct nacre_listener *listener = nacre_listen(NULL, 7000, NULL);
    if (listener == NULL || nacre_serve(listener, &reliable_stack) != NACRE_RUN_OK) {
        fprintf(stderr, "%s\n", nacre_error(listener));
        return 1;
    }
    struct nacre_notice notice;
    while (nacre_poll(listener, -1, &notice) == NACRE_RUN_OK) {
        if (notice.kind == NACRE_NOTICE_DELIVERED &&
            nacre_send_blocking(listener, notice.connection, notice.data, notice.len, 1000) != NACRE_RUN_OK) {
            fprintf(stderr, "%s\n", nacre_error(listener));
        }
    }
    nacre_listener_free(listener);
    return 0;
}
