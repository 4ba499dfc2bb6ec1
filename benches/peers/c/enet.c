/* ENet by a few functions, so that nothing depends on the layout of its structures. */
#include <enet/enet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Packets that wait or are not acknowledged, at most. */
#define OUTSTANDING 4096
/* Connections of a host, at most (ENET_PROTOCOL_MAXIMUM_PEER_ID). */
#define PEERS 4095
#define HOSTS 3

struct peers_enet {
    ENetHost *hosts[HOSTS];
    int hosts_len;
    ENetPeer *connections[HOSTS * PEERS];
    int connections_len;
    size_t outstanding;
};

typedef void (*peers_take)(void *who, uint64_t from, const uint8_t *data, size_t len);

/* Many connections are not serviced as often as ENet expects. */
static void calm(ENetPeer *peer) {
    enet_peer_timeout(peer, 0, 60000, 60000);
    enet_peer_ping_interval(peer, 5000);
}

static void freed(ENetPacket *packet) { *(size_t *)packet->userData -= 1; }

/* A server (is_client 0) listens on `port` and the ports after it: as many hosts as the connections need. */
struct peers_enet *peers_enet_open(int is_client, uint16_t port, int connections) {
    if (enet_initialize() != 0) { return NULL; }
    struct peers_enet *all = calloc(1, sizeof *all);
    for (int left = connections; all != NULL && left > 0 && all->hosts_len < HOSTS; left -= PEERS) {
        ENetAddress at = {.host = ENET_HOST_ANY, .port = (uint16_t)(port + all->hosts_len)};
        ENetHost *host = enet_host_create(is_client ? NULL : &at, left < PEERS ? (size_t)left : PEERS, 1, 0, 0);
        if (host == NULL) { return NULL; }
        all->hosts[all->hosts_len++] = host;
    }
    return all;
}

int peers_enet_connect(struct peers_enet *all, uint32_t address, uint16_t port) {
    int n = all->connections_len, host = n / PEERS;
    ENetAddress to = {.host = address, .port = (uint16_t)(port + host)};
    ENetPeer *peer = enet_host_connect(all->hosts[host], &to, 1, 0);
    if (peer == NULL) { return -1; }
    peer->data = (void *)(uintptr_t)n;
    if (all->hosts_len > 1) { calm(peer); }
    all->connections[all->connections_len++] = peer;
    return n;
}

/* 1: taken; 0: no room now; -1: the connection has ended. */
int peers_enet_send(struct peers_enet *all, uint64_t to, const uint8_t *data, size_t len) {
    ENetPeer *peer = all->connections[to];
    if (peer->state == ENET_PEER_STATE_DISCONNECTED || peer->state == ENET_PEER_STATE_ZOMBIE) { return -1; }
    if (peer->state != ENET_PEER_STATE_CONNECTED || all->outstanding >= OUTSTANDING) { return 0; }
    ENetPacket *packet = enet_packet_create(data, len, ENET_PACKET_FLAG_RELIABLE);
    if (packet == NULL) { return -1; }
    packet->freeCallback = freed;
    packet->userData = &all->outstanding;
    all->outstanding += 1;
    if (enet_peer_send(peer, 0, packet) != 0) {
        enet_packet_destroy(packet);
        return -1;
    }
    return 1;
}

void peers_enet_flush(struct peers_enet *all) {
    for (int i = 0; i < all->hosts_len; i++) { enet_host_flush(all->hosts[i]); }
}

static int take_one(struct peers_enet *all, const ENetEvent *event, peers_take take, void *who) {
    switch (event->type) {
    case ENET_EVENT_TYPE_CONNECT:
        /* Of a client the connection is known. */
        if (event->peer->data == NULL && all->connections[0] != event->peer) {
            event->peer->data = (void *)(uintptr_t)all->connections_len;
            all->connections[all->connections_len++] = event->peer;
            if (all->hosts_len > 1) { calm(event->peer); }
        }
        return 0;
    case ENET_EVENT_TYPE_RECEIVE:
        take(who, (uint64_t)(uintptr_t)event->peer->data, event->packet->data, event->packet->dataLength);
        enet_packet_destroy(event->packet);
        return 0;
    case ENET_EVENT_TYPE_DISCONNECT: return -1;
    default: return 0;
    }
}

/* Takes the messages that have arrived. Waits up to `wait` ms for the first event, with several hosts up to 1 ms. Returns -1 if a
 * connection has ended. */
int peers_enet_receive(struct peers_enet *all, uint32_t wait, peers_take take, void *who) {
    for (int i = 0; i < all->hosts_len; i++) {
        ENetEvent event;
        int got = enet_host_service(all->hosts[i], &event, all->hosts_len == 1 ? wait : wait > 0 && i == 0);
        while (got > 0) {
            if (take_one(all, &event, take, who) != 0) { return -1; }
            got = enet_host_check_events(all->hosts[i], &event);
        }
        if (got < 0) { return -1; }
    }
    return 0;
}

uint16_t peers_enet_port(const struct peers_enet *all) { return all->hosts[0]->address.port; }
