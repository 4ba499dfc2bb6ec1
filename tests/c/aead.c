/* Calls the functions of an adapter for `encrypt`. Reads lines of words in hexadecimal, and answers each with a line:
 * `seal KEY NONCE ALSO DATA`, `unseal KEY NONCE ALSO DATA`, `next KEY`; `-` is no bytes. An answer is the bytes, `-`, or `none`.
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

static void answer(int seals, struct bytes w[4]) {
    uint32_t (*call)(const uint8_t *, const uint8_t *, const uint8_t *, const uint8_t *, uint32_t, uint8_t *, uint32_t) =
        seals ? nacre_seal : nacre_unseal;
    uint32_t room = seals ? w[3].len + 16 : w[3].len < 16 ? 0 : w[3].len - 16;
    uint8_t *result = malloc(room);
    uint32_t n = call(w[0].at, w[1].at, w[2].at, w[3].at, w[3].len, result, room);
    if (room > 0 && call(w[0].at, w[1].at, w[2].at, w[3].at, w[3].len, result, room - 1) != UINT32_MAX) {
        printf("took too little room\n");
    } else if (n == UINT32_MAX) {
        printf("none\n");
    } else {
        (void)call(w[0].at, w[1].at, w[2].at, w[3].at, w[3].len, result, room);
        write_bytes(result, n);
    }
    free(result);
}

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *verb = strtok(line, " \n");
        struct bytes w[4] = {{0}};
        int words = 0;
        for (char *word = strtok(NULL, " \n"); word != NULL && words < 4; word = strtok(NULL, " \n")) { w[words++] = read_bytes(word); }
        if (strcmp(verb, "next") == 0) {
            uint8_t *next = malloc(32);
            nacre_next_key(w[0].at, next);
            write_bytes(next, 32);
            free(next);
        } else {
            answer(strcmp(verb, "seal") == 0, w);
        }
        for (int i = 0; i < words; i++) { free(w[i].at); }
    }
    return 0;
}
