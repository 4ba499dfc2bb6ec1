/* Labels that prove an address before anything is kept of its peer, and the arithmetic of limits.
 *
 * Where many peers have begun connections that are not confirmed, a first frame is answered with *retry*: its sender
 * is told the label that its frames must carry. It is a keyed hash of what the frame says and of its source, so
 * recognizing it takes no memory. The runtime is compiled with this text, too. */

#define MILLISECOND UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

static uint64_t rotated(uint64_t x, uint32_t bits) {
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[0] = rotated(v[0], 32);
    v[2] += v[3];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[2] = rotated(v[2], 32);
}

/* SipHash-2-4 with a key of two numbers. */
static uint64_t sip_hash(const uint64_t key[2], const uint8_t *bytes, uint32_t len) {
    uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                     key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
    uint32_t whole = len / 8 * 8;
    uint64_t last = (uint64_t)(len & 0xff) << 56;
    for (uint32_t at = 0; at < whole; at += 8) {
        uint64_t word = read_64(bytes + at);
        v[3] ^= word;
        sip_round(v);
        sip_round(v);
        v[0] ^= word;
    }
    for (uint32_t at = whole; at < len; at++) {
        last |= (uint64_t)bytes[at] << (8 * (at - whole));
    }
    v[3] ^= last;
    sip_round(v);
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (uint32_t i = 0; i < 4; i++) {
        sip_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

enum { PROVEN_ADDRESS_MAX = 32 };
/* A label is valid in the period in which it was made and in the next. */
#define PROOF_PERIOD_NS (10 * SECOND)

/* What a label proves. */
struct claim {
    const uint8_t *address;
    uint32_t address_len; /* at most PROVEN_ADDRESS_MAX */
    uint64_t identity, fingerprint, incarnation;
};

/* The hash from which the label of a claim is made in a period. */
static uint64_t hash_of_claim(const uint64_t key[2], const struct claim *claim, uint64_t period) {
    uint8_t bytes[PROVEN_ADDRESS_MAX + 40];
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, claim->address, claim->address_len);
    write_64(bytes + PROVEN_ADDRESS_MAX, claim->address_len);
    write_64(bytes + PROVEN_ADDRESS_MAX + 8, claim->identity);
    write_64(bytes + PROVEN_ADDRESS_MAX + 16, claim->fingerprint);
    write_64(bytes + PROVEN_ADDRESS_MAX + 24, claim->incarnation);
    write_64(bytes + PROVEN_ADDRESS_MAX + 32, period);
    return sip_hash(key, bytes, sizeof bytes);
}

/* A token bucket that holds the tokens of one second. */
struct bucket {
    uint64_t level; /* in units of 10^-9 tokens */
    uint64_t at;    /* when it was filled last, in ns */
    uint64_t rate;  /* tokens a second */
};

static struct bucket full_bucket(uint64_t rate, uint64_t now) {
    struct bucket bucket = {rate * SECOND, now, rate};
    return bucket;
}

static void fill_bucket(struct bucket *bucket, uint64_t now) {
    uint64_t since = now > bucket->at ? now - bucket->at : 0;
    uint64_t most = bucket->rate * SECOND;
    bucket->level += (since < SECOND ? since : SECOND) * bucket->rate;
    bucket->level = bucket->level < most ? bucket->level : most;
    bucket->at = now;
}

enum { BUDGET_FACTOR = 3, PING_BYTES = 20, BUDGET_RESERVE = 3 * PING_BYTES, CALL_HEADERS = 64, ASK_DOUBLINGS = 8 };
/* A ping that asks a peer to confirm is repeated after this time, and again after twice, four times... the time. */
#define ASK_AGAIN_NS (20 * MILLISECOND)

/* What may be sent to a peer whose address may be forged: at most three times what came from there. */
struct budget {
    uint64_t received, sent_in_frames, sent_in_pings; /* bytes */
    uint32_t asked;                                   /* pings that were sent to confirm the connection */
    uint32_t was_short;                               /* 1: something was withheld or refused */
};

static uint64_t budget_left(const struct budget *budget) {
    uint64_t most = budget->received > UINT64_MAX / BUDGET_FACTOR ? UINT64_MAX : BUDGET_FACTOR * budget->received;
    uint64_t pings = budget->sent_in_pings > BUDGET_RESERVE ? budget->sent_in_pings : (uint64_t)BUDGET_RESERVE;
    uint64_t used = budget->sent_in_frames + pings;
    return most > used ? most - used : 0;
}

/* Whether a frame of the stack may be sent. If so it counts as sent. */
static bool budget_spend(struct budget *budget, uint64_t len) {
    if (len > budget_left(budget)) {
        budget->was_short = 1;
        return false;
    }
    budget->sent_in_frames += len;
    return true;
}

/* Whether a call with a message of this length may be made. */
static bool budget_covers(const struct budget *budget, uint64_t message) {
    return message + CALL_HEADERS <= budget_left(budget);
}

static bool budget_may_ping(const struct budget *budget) {
    uint64_t used = budget->sent_in_frames + budget->sent_in_pings + PING_BYTES;
    return (used + BUDGET_FACTOR - 1) / BUDGET_FACTOR <= budget->received;
}

/* Whether a ping may be sent. If so it counts as sent. */
static bool budget_ping(struct budget *budget) {
    if (!budget_may_ping(budget)) {
        return false;
    }
    budget->sent_in_pings += PING_BYTES;
    budget->asked++;
    return true;
}

/* When to ask the peer to confirm the connection, if anything waits for that. `first`: the time of the first ping. */
static uint64_t budget_next_ping(const struct budget *budget, uint64_t first) {
    if (budget->was_short == 0 || !budget_may_ping(budget)) {
        return UINT64_MAX;
    }
    if (budget->asked == 0) {
        return 0;
    }
    if (budget->asked - 1 > ASK_DOUBLINGS) {
        return UINT64_MAX;
    }
    uint64_t after = ASK_AGAIN_NS << (budget->asked - 1);
    return first > UINT64_MAX - after ? UINT64_MAX : first + after;
}
