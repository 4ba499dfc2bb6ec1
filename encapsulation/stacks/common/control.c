/* Endpoints: requests that are acknowledged. */
#include "requests.h"

#include <errno.h>
#include <string.h>

static void reply(struct request *request, int type, const void *head, size_t size, const void *rest, size_t length) {
    mblk_t *message = primitive_with(type, head, size, rest, length, NULL);
    if (message) {
        queue_t *read = request->endpoint->read;
        putnext(read, message);
        capsule_returned();
    }
}

static t_scalar_t of_tli(int error) {
    switch (error) {
    case EADDRINUSE: return TADDRBUSY;
    case EADDRNOTAVAIL: return TNOADDR;
    case EAFNOSUPPORT: case EDESTADDRREQ: return TBADADDR;
    case EACCES: case EPERM: return TACCES;
    case EOPNOTSUPP: return TNOTSUPPORT;
    default: return TSYSERR;
    }
}

static void fail_with(struct request *request, t_scalar_t tli, int error) {
    struct T_error_ack head = {.PRIM_type = T_ERROR_ACK,
                               .ERROR_prim = request->primitive,
                               .TLI_error = tli,
                               .UNIX_error = tli == TSYSERR ? error : 0};
    reply(request, M_PCPROTO, &head, sizeof head, NULL, 0);
}

static void fail(struct request *request, int error) { fail_with(request, of_tli(error), error); }

static void acknowledge(struct request *request) {
    struct T_ok_ack head = {.PRIM_type = T_OK_ACK, .CORRECT_prim = request->primitive};
    reply(request, M_PCPROTO, &head, sizeof head, NULL, 0);
}

static struct T_info_ack information(const struct endpoint *endpoint) {
    const struct endpoint_calls *calls = endpoint->calls;
    return (struct T_info_ack){.PRIM_type = T_INFO_ACK,
                               .TSDU_size = calls->data_size,
                               .ETSDU_size = calls->expedited_size,
                               .CDATA_size = T_INVALID,
                               .DDATA_size = T_INVALID,
                               .ADDR_size = ENDPOINT_ADDRESS,
                               .OPT_size = T_INVALID,
                               .TIDU_size = 65536,
                               .SERV_type = calls->service,
                               .CURRENT_state = endpoint->state,
                               .PROVIDER_flag = calls->data_size == 0 ? 0 : SENDZERO};
}

static void inform(struct request *request) {
    struct T_info_ack head = information(request->endpoint);
    reply(request, M_PCPROTO, &head, sizeof head, NULL, 0);
}

static void tell_capability(struct request *request) {
    struct T_capability_req asked;
    if (!request_head(request->message, &asked, sizeof asked))
        return;
    struct T_capability_ack head = {.PRIM_type = T_CAPABILITY_ACK,
                                    .CAP_bits1 = asked.CAP_bits1 & (TC1_INFO | TC1_ACCEPTOR_ID)};
    if (head.CAP_bits1 & TC1_INFO)
        head.INFO_ack = information(request->endpoint);
    if (head.CAP_bits1 & TC1_ACCEPTOR_ID)
        head.ACCEPTOR_id = request->endpoint->number;
    reply(request, M_PCPROTO, &head, sizeof head, NULL, 0);
}

static void tell_addresses(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    unsigned char both[2 * ENDPOINT_ADDRESS];
    size_t local = 0, remote = 0;
    if (endpoint->state != TS_UNBND && endpoint->calls->local) {
        local = ENDPOINT_ADDRESS;
        local = endpoint->calls->local(endpoint, both, &local) ? 0 : local;
    }
    bool connected = endpoint->state == TS_DATA_XFER || endpoint->state == TS_WIND_ORDREL ||
                     endpoint->state == TS_WREQ_ORDREL;
    if (connected && endpoint->calls->remote) {
        remote = ENDPOINT_ADDRESS;
        remote = endpoint->calls->remote(endpoint, both + local, &remote) ? 0 : remote;
    }
    struct T_addr_ack head = {.PRIM_type = T_ADDR_ACK,
                              .LOCADDR_length = (t_scalar_t)local,
                              .LOCADDR_offset = (t_scalar_t)sizeof head,
                              .REMADDR_length = (t_scalar_t)remote,
                              .REMADDR_offset = (t_scalar_t)(sizeof head + local)};
    reply(request, M_PCPROTO, &head, sizeof head, both, local + remote);
}

static void bind(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    struct T_bind_req asked;
    const unsigned char *address = NULL;
    if (request_head(request->message, &asked, sizeof asked))
        address = request_part(request->message, asked.ADDR_offset, asked.ADDR_length);
    if (!address || asked.ADDR_length > ENDPOINT_ADDRESS) {
        fail_with(request, TBADADDR, 0);
        return;
    }
    unsigned backlog = endpoint->calls->service == T_CLTS ? 0 : asked.CONIND_number;
    backlog = backlog > 1024 ? 1024 : backlog;
    int error = endpoint->calls->bind(endpoint, address, (size_t)asked.ADDR_length, backlog);
    if (error) {
        fail(request, error);
        return;
    }
    endpoint->state = TS_IDLE;
    endpoint->backlog = backlog;
    unsigned char bound[ENDPOINT_ADDRESS];
    size_t length = sizeof bound;
    if (!endpoint->calls->local || endpoint->calls->local(endpoint, bound, &length))
        length = 0;
    struct T_bind_ack head = {.PRIM_type = T_BIND_ACK,
                              .ADDR_length = (t_scalar_t)length,
                              .ADDR_offset = (t_scalar_t)sizeof head,
                              .CONIND_number = backlog};
    reply(request, M_PCPROTO, &head, sizeof head, bound, length);
}

static void unbind(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    int error = endpoint->calls->unbind ? endpoint->calls->unbind(endpoint) : 0;
    if (error) {
        fail(request, error);
        return;
    }
    endpoint->state = TS_UNBND;
    endpoint->backlog = 0;
    flushq(endpoint->read, FLUSHDATA);
    acknowledge(request);
}

static void connect(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    struct T_conn_req asked;
    const unsigned char *address = NULL;
    if (request_head(request->message, &asked, sizeof asked))
        address = request_part(request->message, asked.DEST_offset, asked.DEST_length);
    if (!address || asked.DEST_length > ENDPOINT_ADDRESS) {
        fail_with(request, TBADADDR, 0);
        return;
    }
    if (endpoint->backlog > 0) {
        fail_with(request, TOUTSTATE, 0);
        return;
    }
    /* The acknowledgement comes before what the call may report at once. */
    endpoint->state = TS_WCON_CREQ;
    endpoint->finished = false;
    acknowledge(request);
    int error = endpoint->calls->connect(endpoint, address, (size_t)asked.DEST_length);
    if (error)
        endpoint_disconnected(endpoint, error);
}

static struct offer *offered(struct endpoint *listener, t_scalar_t sequence) {
    struct offer *offer = listener->offers;
    while (offer && offer->sequence != (t_uscalar_t)sequence)
        offer = offer->next;
    return offer;
}

static void respond(struct request *request) {
    struct endpoint *listener = request->endpoint;
    struct T_conn_res asked;
    if (!request_head(request->message, &asked, sizeof asked)) {
        fail_with(request, TBADSEQ, 0);
        return;
    }
    struct offer *offer = offered(listener, asked.SEQ_number);
    struct endpoint *acceptor = endpoint_numbered(asked.ACCEPTOR_id);
    bool fits = acceptor && acceptor->read && acceptor->calls == listener->calls &&
                (acceptor == listener ? listener->offered == 1 : acceptor->backlog == 0 &&
                 (acceptor->state == TS_IDLE || acceptor->state == TS_UNBND));
    if (!offer || !fits) {
        fail_with(request, offer ? TBADF : TBADSEQ, 0);
        return;
    }
    int error = listener->calls->accept(listener, offer->incoming, acceptor);
    if (error) {
        fail(request, error);
        return;
    }
    offer_remove(listener, offer);
    listener->state = listener->offers ? TS_WRES_CIND : TS_IDLE;
    acceptor->state = TS_DATA_XFER;
    acceptor->finished = false;
    acknowledge(request);
}

static void disconnect(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    struct T_discon_req asked;
    if (!request_head(request->message, &asked, sizeof asked)) {
        fail_with(request, TBADSEQ, 0);
        return;
    }
    if (endpoint->state == TS_WRES_CIND) {
        struct offer *offer = offered(endpoint, asked.SEQ_number);
        if (!offer) {
            fail_with(request, TBADSEQ, 0);
            return;
        }
        endpoint->calls->refuse(endpoint, offer->incoming);
        offer_remove(endpoint, offer);
        endpoint->state = endpoint->offers ? TS_WRES_CIND : TS_IDLE;
        acknowledge(request);
        return;
    }
    int error = endpoint->calls->disconnect(endpoint);
    if (error) {
        fail(request, error);
        return;
    }
    endpoint->state = TS_IDLE;
    flushq(WR(endpoint->read), FLUSHDATA);
    flushq(endpoint->read, FLUSHDATA);
    acknowledge(request);
}

static void manage_options(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    struct T_optmgmt_req asked;
    struct opthdr option;
    const unsigned char *options = NULL;
    if (request_head(request->message, &asked, sizeof asked))
        options = request_part(request->message, asked.OPT_offset, asked.OPT_length);
    if (!options || asked.OPT_length < (t_scalar_t)sizeof option) {
        fail_with(request, TBADOPT, 0);
        return;
    }
    /* One option per request. */
    memcpy(&option, options, sizeof option);
    unsigned char value[ENDPOINT_ADDRESS];
    size_t length = (size_t)option.len;
    if (length > sizeof value || length > (size_t)asked.OPT_length - sizeof option) {
        fail_with(request, TBADOPT, 0);
        return;
    }
    memcpy(value, options + sizeof option, length);
    int error = EOPNOTSUPP;
    if (asked.MGMT_flags == T_NEGOTIATE && endpoint->calls->set_option)
        error = endpoint->calls->set_option(endpoint, (int)option.level, (int)option.name, value, length);
    if (asked.MGMT_flags == T_CURRENT && endpoint->calls->option) {
        length = sizeof value;
        error = endpoint->calls->option(endpoint, (int)option.level, (int)option.name, value, &length);
    }
    if (error) {
        fail_with(request, error == EOPNOTSUPP ? TBADOPT : TSYSERR, error);
        return;
    }
    unsigned char answer[sizeof option + sizeof value];
    option.len = (t_uscalar_t)length;
    memcpy(answer, &option, sizeof option);
    memcpy(answer + sizeof option, value, length);
    struct T_optmgmt_ack head = {.PRIM_type = T_OPTMGMT_ACK,
                                 .OPT_length = (t_scalar_t)(sizeof option + length),
                                 .OPT_offset = (t_scalar_t)sizeof head,
                                 .MGMT_flags = T_SUCCESS};
    reply(request, M_PCPROTO, &head, sizeof head, answer, sizeof option + length);
}

/* In which states a request may come. */
static bool fits(const struct endpoint *endpoint, t_scalar_t primitive) {
    t_scalar_t state = endpoint->state;
    bool connects = endpoint->calls->service != T_CLTS;
    switch (primitive) {
    case T_INFO_REQ: case T_CAPABILITY_REQ: case T_ADDR_REQ: case T_OPTMGMT_REQ: return true;
    case T_BIND_REQ: return state == TS_UNBND;
    case T_UNBIND_REQ: return state == TS_IDLE;
    case T_CONN_REQ: return connects && state == TS_IDLE;
    case T_CONN_RES: return connects && state == TS_WRES_CIND;
    case T_DISCON_REQ: return connects && state != TS_UNBND && state != TS_IDLE;
    default: return false;
    }
}

void control_request(struct request *request) {
    if (!fits(request->endpoint, request->primitive)) {
        static const t_scalar_t known[] = {T_BIND_REQ, T_UNBIND_REQ, T_CONN_REQ, T_CONN_RES, T_DISCON_REQ};
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= known[i] == request->primitive;
        fail_with(request, is_known ? TOUTSTATE : TNOTSUPPORT, 0);
        return;
    }
    switch (request->primitive) {
    case T_INFO_REQ: inform(request); break;
    case T_CAPABILITY_REQ: tell_capability(request); break;
    case T_ADDR_REQ: tell_addresses(request); break;
    case T_OPTMGMT_REQ: manage_options(request); break;
    case T_BIND_REQ: bind(request); break;
    case T_UNBIND_REQ: unbind(request); break;
    case T_CONN_REQ: connect(request); break;
    case T_CONN_RES: respond(request); break;
    default: disconnect(request); break;
    }
}
