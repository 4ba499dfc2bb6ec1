#include <nacre_runtime.h>
#include <stdio.h>
extern const struct nacre_stack reliable_stack;
int main(void) {
    struct nacre_listener *own = nacre_listen(NULL, 0, NULL); /* NULL: out of sockets or memory; every call then says so */
    uint64_t server; struct nacre_notice n = {0};
    int failed = nacre_connect(own, "127.0.0.1", 7000, &reliable_stack, &server) || nacre_send_blocking(own, server, "hello", 5, 10000);
    while (!failed && n.kind != NACRE_NOTICE_DELIVERED) failed = nacre_poll(own, 10000, &n) != NACRE_RUN_OK;
    return (failed ? 0 : printf("%.*s\n", (int)n.len, (const char *)n.data)), nacre_listener_free(own), failed;
}
