/* Fields of usrsctp that its interface does not show. */
#define _GNU_SOURCE
#include "instance.h"

#include <netinet/sctp_os.h>
#include <netinet/sctp_pcb.h>
#include <netinet/sctp_callout.h>
#include <user_socketvar.h>

uint64_t callout_wait(void) {
    uint64_t first = UINT64_MAX;
    struct sctp_callout *callout;
    TAILQ_FOREACH(callout, &SCTP_BASE_INFO(callqueue), tqe) {
        int32_t wait = (int32_t)(callout->c_time - sctp_get_tick_count());
        uint64_t at = wait > 0 ? (uint64_t)wait : 0;
        first = at < first ? at : first;
    }
    return first;
}

int socket_error(struct socket *socket) { return socket->so_error; }
void socket_clear_error(struct socket *socket) { socket->so_error = 0; }
bool socket_is_connected(struct socket *socket) { return socket->so_state & SS_ISCONNECTED; }

/* usrsctp tells its user of data, but not of all changes of a connection: those are seen where the protocol tells the
 * socket layer. */
static void changed(struct socket *socket) {
    if (socket->so_upcall && socket->so_upcallarg)
        association_reported(socket->so_upcallarg);
}

#define SEE(routine)                                                                                                   \
    void __real_##routine(struct socket *socket);                                                                      \
    void __wrap_##routine(struct socket *socket);                                                                      \
    void __wrap_##routine(struct socket *socket) {                                                                     \
        struct socket *head = socket->so_head;                                                                         \
        __real_##routine(socket);                                                                                      \
        changed(head ? head : socket);                                                                                 \
    }

SEE(soisconnected)
SEE(socantrcvmore)

void __real_sowakeup(struct socket *socket, struct sockbuf *buffer);
void __wrap_sowakeup(struct socket *socket, struct sockbuf *buffer);

void __wrap_sowakeup(struct socket *socket, struct sockbuf *buffer) {
    __real_sowakeup(socket, buffer);
    changed(socket);
}
