/* Functions of the host for a stack in a shared object: compile this file with the emitted C, and the runtime supplies the functions
 * when it loads the object. A stack that is linked into a program with libnacre_runtime.a does not need it. */
#include <stdint.h>

/* What the runtime supplies. Begins with its own size, so that later versions may add functions. */
struct nacre_host {
    uint32_t size; /* sizeof(struct nacre_host) */
    uint32_t reserved;
    uint32_t (*seal)(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                     uint8_t *result, uint32_t result_max);
    uint32_t (*unseal)(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                       uint8_t *result, uint32_t result_max);
    void (*next_key)(const uint8_t *key, uint8_t *result);
    void (*verifying_key)(const uint8_t *signing, uint8_t *result);
    uint32_t (*sign)(const uint8_t *signing, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max);
    uint32_t (*signed_)(const uint8_t *verifying, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max);
};

void nacre_host_bind(const struct nacre_host *host);
uint32_t nacre_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                    uint8_t *result, uint32_t result_max);
uint32_t nacre_unseal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                      uint8_t *result, uint32_t result_max);
void nacre_next_key(const uint8_t *key, uint8_t *result);
void nacre_verifying_key(const uint8_t *signing, uint8_t *result);
uint32_t nacre_sign(const uint8_t *signing, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max);
uint32_t nacre_signed(const uint8_t *verifying, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max);

static struct nacre_host bound;

/* Called once, before any function of the stack. */
void nacre_host_bind(const struct nacre_host *host) {
    if (host->size >= sizeof bound) bound = *host;
}

uint32_t nacre_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                    uint8_t *result, uint32_t result_max) {
    return bound.seal ? bound.seal(key, nonce, also, m, m_len, result, result_max) : UINT32_MAX;
}

uint32_t nacre_unseal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                      uint8_t *result, uint32_t result_max) {
    return bound.unseal ? bound.unseal(key, nonce, also, m, m_len, result, result_max) : UINT32_MAX;
}

void nacre_next_key(const uint8_t *key, uint8_t *result) {
    for (int i = 0; i < 32; i++) result[i] = 0;
    if (bound.next_key) bound.next_key(key, result);
}

void nacre_verifying_key(const uint8_t *signing, uint8_t *result) {
    for (int i = 0; i < 32; i++) result[i] = 0;
    if (bound.verifying_key) bound.verifying_key(signing, result);
}

uint32_t nacre_sign(const uint8_t *signing, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max) {
    return bound.sign ? bound.sign(signing, m, m_len, result, result_max) : UINT32_MAX;
}

uint32_t nacre_signed(const uint8_t *verifying, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max) {
    return bound.signed_ ? bound.signed_(verifying, m, m_len, result, result_max) : UINT32_MAX;
}
