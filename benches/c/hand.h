/* The service of `reliable_plain` as a good engineer would write it without layers: the comparison. */
#ifndef HAND_H
#define HAND_H
#include "nacre.h"

extern const struct nacre_stack hand_stack;
int hand_above_send(void *state, void *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out);
int hand_input(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from, const uint8_t *frame, uint32_t len,
               struct nacre_out *out);
int hand_tick(void *state, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
#endif
