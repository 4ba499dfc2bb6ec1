#include <nacre_runtime.h>
#include <stdio.h>
extern const struct nacre_stack reliable_stack;
int main(void) {
    struct nacre_listener *own = nacre_listen(NULL, 0, NULL); /* NULL: out of sockets or memory; every call then says so */
    uint64_t server;
    if (nacre_connect(own, "127.0.0.1", 7000, &reliable_stack, &server) || nacre_send_blocking(own, server, "hello", 5, 10000)) return 1;
    for (struct nacre_notice n; nacre_poll(own, 10000, &n) == NACRE_RUN_OK;)
        if (n.kind == NACRE_NOTICE_DELIVERED) return printf("%.*s\n", (int)n.len, (const char *)n.data) < 0;
}
