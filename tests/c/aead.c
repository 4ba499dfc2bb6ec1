/* Calls the functions of an adapter for `encrypt` and `sign`. Reads lines of words in hexadecimal, and answers each with a line:
 * `seal KEY NONCE ALSO DATA`, `unseal KEY NONCE ALSO DATA`, `next KEY`, `verifying KEY`, `sign KEY DATA`, `signed KEY DATA`; `-` is no
 * bytes. An answer is the bytes, `-`, or `none`.
 * A result is written to a block of exactly its greatest size, so that a sanitizer notices what is too long; a function that is given
 * less room must refuse. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t nacre_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                    uint8_t *result, uint32_t result_max);
uint32_t nacre_unseal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                      uint8_t *result, uint32_t result_max);
void nacre_next_key(const uint8_t *key, uint8_t *result);
void nacre_verifying_key(const uint8_t *signing, uint8_t *result);
uint32_t nacre_sign(const uint8_t *signing, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max);
uint32_t nacre_signed(const uint8_t *verifying, const uint8_t *m, uint32_t m_len, uint8_t *result, uint32_t result_max);

struct bytes {
    uint8_t *at;
    uint32_t len;
};

/* The bytes of a word, in a block of exactly that size. */
static struct bytes read_bytes(const char *word) {
    uint32_t len = strcmp(word, "-") == 0 ? 0 : (uint32_t)(strlen(word) / 2);
    struct bytes b = {malloc(len), len};
    for (uint32_t i = 0; i < len; i++) {
        char pair[3] = {word[2 * i], word[2 * i + 1], 0};
        b.at[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return b;
}

static void write_bytes(const uint8_t *at, uint32_t len) {
    if (len == 0) { printf("-"); }
    for (uint32_t i = 0; i < len; i++) { printf("%02x", at[i]); }
    printf("\n");
}

/* A function that makes a message: `call`, with the words of a line. */
typedef uint32_t maker(const struct bytes *w, uint8_t *result, uint32_t max);

static uint32_t seal(const struct bytes *w, uint8_t *result, uint32_t max) {
    return nacre_seal(w[0].at, w[1].at, w[2].at, w[3].at, w[3].len, result, max);
}

static uint32_t unseal(const struct bytes *w, uint8_t *result, uint32_t max) {
    return nacre_unseal(w[0].at, w[1].at, w[2].at, w[3].at, w[3].len, result, max);
}

static uint32_t sign(const struct bytes *w, uint8_t *result, uint32_t max) {
    return nacre_sign(w[0].at, w[1].at, w[1].len, result, max);
}

static uint32_t signed_(const struct bytes *w, uint8_t *result, uint32_t max) {
    return nacre_signed(w[0].at, w[1].at, w[1].len, result, max);
}

/* Answers with a message that has `room` bytes at most. */
static void answer(maker *call, const struct bytes *w, uint32_t room) {
    uint8_t *result = malloc(room);
    uint32_t n = call(w, result, room);
    if (room > 0 && call(w, result, room - 1) != UINT32_MAX) {
        printf("took too little room\n");
    } else if (n == UINT32_MAX) {
        printf("none\n");
    } else {
        (void)call(w, result, room);
        write_bytes(result, n);
    }
    free(result);
}

static void answer_key(void (*call)(const uint8_t *, uint8_t *), const uint8_t *key) {
    uint8_t *result = malloc(32);
    call(key, result);
    write_bytes(result, 32);
    free(result);
}

static uint32_t without(uint32_t len, uint32_t tag) { return len < tag ? 0 : len - tag; }

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *verb = strtok(line, " \n");
        struct bytes w[4] = {{0}};
        int words = 0;
        for (char *word = strtok(NULL, " \n"); word != NULL && words < 4; word = strtok(NULL, " \n")) { w[words++] = read_bytes(word); }
        if (strcmp(verb, "next") == 0) { answer_key(nacre_next_key, w[0].at); }
        if (strcmp(verb, "verifying") == 0) { answer_key(nacre_verifying_key, w[0].at); }
        if (strcmp(verb, "seal") == 0) { answer(seal, w, w[3].len + 16); }
        if (strcmp(verb, "unseal") == 0) { answer(unseal, w, without(w[3].len, 16)); }
        if (strcmp(verb, "sign") == 0) { answer(sign, w, w[1].len + 64); }
        if (strcmp(verb, "signed") == 0) { answer(signed_, w, without(w[1].len, 64)); }
        for (int i = 0; i < words; i++) { free(w[i].at); }
    }
    return 0;
}
