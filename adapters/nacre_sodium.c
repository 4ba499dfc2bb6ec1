/* The functions that the layers `encrypt` and `sign` call (layers/encrypt/aead.nacre, layers/sign/signature.nacre), over libsodium: for
 * programs that use emitted C alone.
 *
 *     cc -c nacre_sodium.c && cc ... nacre_sodium.o -lsodium
 *
 * Call sodium_init() once before a stack is opened: it chooses the fastest code for this processor. Comparison of tags and the
 * encryption itself take the same time whatever the key and the data are; lengths show. The functions have no state. */
#include <sodium.h>
#include <stdint.h>
#include <string.h>

enum { KEY = 32, NONCE = 12, ALSO = 8, TAG = 16, SIGNATURE = 64 };

_Static_assert(KEY == crypto_aead_chacha20poly1305_IETF_KEYBYTES, "a key has 32 bytes");
_Static_assert(NONCE == crypto_aead_chacha20poly1305_IETF_NPUBBYTES, "a nonce has 12 bytes");
_Static_assert(TAG == crypto_aead_chacha20poly1305_IETF_ABYTES, "a tag has 16 bytes");
_Static_assert(KEY == crypto_auth_hmacsha256_KEYBYTES && KEY == crypto_auth_hmacsha256_BYTES, "SHA-256 has 32 bytes");
_Static_assert(KEY == crypto_sign_SEEDBYTES && KEY == crypto_sign_PUBLICKEYBYTES, "keys of signatures have 32 bytes");
_Static_assert(SIGNATURE == crypto_sign_BYTES, "a signature has 64 bytes");

uint32_t nacre_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                    uint8_t *result, uint32_t result_max);
uint32_t nacre_unseal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                      uint8_t *result, uint32_t result_max);
void nacre_next_key(const uint8_t *key, uint8_t *result);
void nacre_verifying_key(const uint8_t *signing, uint8_t *result);
uint32_t nacre_sign(const uint8_t *signing, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max);
uint32_t nacre_signed(const uint8_t *verifying, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max);

/* ChaCha20-Poly1305 (RFC 8439, 2.8). UINT32_MAX if the result has no room, which emitted C does not let happen. */
uint32_t nacre_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                    uint8_t *result, uint32_t result_max) {
    if (result_max < TAG || m_len > result_max - TAG) { return UINT32_MAX; }
    crypto_aead_chacha20poly1305_ietf_encrypt(result, NULL, m, m_len, also, ALSO, NULL, nonce, key);
    return m_len + TAG;
}

/* UINT32_MAX if it was not sealed with these values. */
uint32_t nacre_unseal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                      uint8_t *result, uint32_t result_max) {
    if (m_len < TAG || m_len - TAG > result_max) { return UINT32_MAX; }
    if (crypto_aead_chacha20poly1305_ietf_decrypt(result, NULL, NULL, m, m_len, also, ALSO, nonce, key) != 0) {
        return UINT32_MAX;
    }
    return m_len - TAG;
}

/* HKDF-Expand (RFC 5869, 2.3) with SHA-256 for 32 bytes, which is one block: HMAC(key, label, 1). */
void nacre_next_key(const uint8_t *key, uint8_t *result) {
    static const char label[] = "nacre next key";
    uint8_t info[sizeof label];
    memcpy(info, label, sizeof label - 1);
    info[sizeof label - 1] = 1;
    crypto_auth_hmacsha256(result, info, sizeof info, key);
}

/* Ed25519 (RFC 8032, 5.1): the public key of the pair with this seed. */
void nacre_verifying_key(const uint8_t *signing, uint8_t *result) {
    uint8_t pair[crypto_sign_SECRETKEYBYTES];
    crypto_sign_seed_keypair(result, pair, signing);
    sodium_memzero(pair, sizeof pair);
}

/* The message, and behind it its signature. UINT32_MAX if the result has no room. */
uint32_t nacre_sign(const uint8_t *signing, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max) {
    uint8_t pair[crypto_sign_SECRETKEYBYTES], verifying[KEY];
    if (result_max < SIGNATURE || m_len > result_max - SIGNATURE) { return UINT32_MAX; }
    crypto_sign_seed_keypair(verifying, pair, signing);
    crypto_sign_detached(result + m_len, NULL, m, m_len, pair);
    sodium_memzero(pair, sizeof pair);
    if (m_len > 0) { memcpy(result, m, m_len); }
    return m_len + SIGNATURE;
}

/* UINT32_MAX if it was not signed with the other half of the key. */
uint32_t nacre_signed(const uint8_t *verifying, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max) {
    if (m_len < SIGNATURE || m_len - SIGNATURE > result_max) { return UINT32_MAX; }
    if (crypto_sign_verify_detached(m + m_len - SIGNATURE, m, m_len - SIGNATURE, verifying) != 0) { return UINT32_MAX; }
    if (m_len > SIGNATURE) { memcpy(result, m, m_len - SIGNATURE); }
    return m_len - SIGNATURE;
}
