/* Active messages as a good engineer would write them without layers: the comparison for `active`. */
#ifndef HAND_ACTIVE_H
#define HAND_ACTIVE_H
#include "nacre.h"

extern const struct nacre_stack hand_active_stack;
int hand_active_above_request(void *state, void *pool, uint64_t *counters, uint64_t now, uint8_t call, uint8_t handler, const uint8_t *data,
                              uint32_t len, struct nacre_out *out);
int hand_active_above_reply(void *state, void *pool, uint64_t *counters, uint64_t now, uint8_t call, uint8_t handler, const uint8_t *data,
                            uint32_t len, struct nacre_out *out);
int hand_active_input(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from, const uint8_t *frame,
                      uint32_t len, struct nacre_out *out);
int hand_active_tick(void *state, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
#endif
