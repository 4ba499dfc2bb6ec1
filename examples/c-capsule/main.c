/* Two hosts in one process, each with an instance of lwIP from its own source, joined by a link: a datagram goes from one to the other.
 * The program passes time and frames; here both are its own, elsewhere they are those of a clock and a socket. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <streams/capsule.h>
#include <streams/tpi.h>

struct node {
    struct str_host *host;
    struct str_device *link;
    struct str_stream *udp;
    mblk_t *frames; /* on their way to this node */
};

static struct node nodes[2];

static void check(int error, const char *what) {
    if (error) {
        fprintf(stderr, "%s: %s\n", what, strerror(error));
        exit(1);
    }
}

static uint64_t now(void *context) {
    (void)context;
    static uint64_t time;
    return time += 1000000; /* a millisecond passes at each look */
}

/* A frame that a node sends: it waits until the other one takes it. */
static int transmit(void *context, mblk_t *frame) {
    struct node *peer = context;
    frame->b_next = peer->frames;
    peer->frames = frame;
    return 0;
}

static void open_node(int number, const char *capsule) {
    static const struct str_environment environment = {.now = now};
    static const struct str_device_calls calls = {.transmit = transmit};
    struct node *node = &nodes[number];
    char address[32];
    snprintf(address, sizeof address, "addresses=10.0.0.%d/24", number + 1);
    const char *options[] = {address, NULL}, *why = "";
    struct str_instance *instance;
    struct str_stream *link;
    int id;
    node->host = str_host_open(&environment);
    check(!node->host, "a host");
    if (str_load(node->host, capsule, "ip", options, &instance, &why)) {
        fprintf(stderr, "%s\n", why);
        exit(1);
    }
    check(str_device_create(node->host, "link", &calls, &nodes[1 - number], &node->link), "a device");
    check(str_open(node->host, "ip.udp", &node->udp), "a stream");
    check(str_open(node->host, "link", &link), "the link");
    check(str_link(node->udp, link, 0, &id), "linking");
    str_close(link); /* it closes when it is unlinked */
}

/* Lets the nodes work until all is quiet. */
static void work(void) {
    for (int quiet = 0; quiet < 2; quiet++)
        for (int i = 0; i < 2; i++) {
            str_tick(nodes[i].host);
            str_run(nodes[i].host);
            mblk_t *frame;
            while ((frame = nodes[i].frames)) {
                nodes[i].frames = frame->b_next;
                frame->b_next = NULL;
                /* A block belongs to its host: what crosses is the bytes. */
                unsigned char bytes[2048];
                size_t length = 0;
                for (mblk_t *part = frame; part; part = part->b_cont) {
                    memcpy(bytes + length, part->b_rptr, (size_t)(part->b_wptr - part->b_rptr));
                    length += (size_t)(part->b_wptr - part->b_rptr);
                }
                freemsg(frame);
                str_device_receive_bytes(nodes[i].link, bytes, length);
                quiet = 0;
            }
        }
}

static struct sockaddr_in address_of(int number, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(0x0a000001u + (uint32_t)number);
    return address;
}

static void bind_node(int number, int port) {
    struct sockaddr_in address = address_of(number, port);
    str_enter(nodes[number].host);
    check(str_send(nodes[number].udp, tpi_bind_req(&address, sizeof address, 0)), "T_BIND_REQ");
    work();
    mblk_t *answer;
    check(str_receive(nodes[number].udp, &answer), "an answer");
    check(tpi_type(answer) != T_BIND_ACK, "T_BIND_ACK");
    freemsg(answer);
}

int main(int count, char **arguments) {
    check(count != 2, "usage: hello CAPSULE");
    open_node(0, arguments[1]);
    open_node(1, arguments[1]);
    bind_node(0, 5000);
    bind_node(1, 6000);

    str_enter(nodes[0].host);
    mblk_t *text = allocb(32, BPRI_MED);
    check(!text, "a block");
    text->b_wptr += sprintf((char *)text->b_wptr, "hello");
    struct sockaddr_in to = address_of(1, 6000);
    check(str_send(nodes[0].udp, tpi_unitdata_req(&to, sizeof to, text)), "T_UNITDATA_REQ");
    work();

    mblk_t *came;
    check(str_receive(nodes[1].udp, &came), "a datagram");
    check(tpi_type(came) != T_UNITDATA_IND || !came->b_cont, "T_UNITDATA_IND");
    struct sockaddr_in from;
    memcpy(&from, tpi_address(came).bytes, sizeof from);
    printf("%.*s from port %d\n", (int)msgdsize(came), (char *)came->b_cont->b_rptr, ntohs(from.sin_port));
    freemsg(came);
    for (int i = 0; i < 2; i++)
        str_host_close(nodes[i].host);
    return 0;
}
