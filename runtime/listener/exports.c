/* What the runtime uses of the emitted listener: its wire format, the labels that prove addresses, and the arithmetic
 * of limits, under names that no program with an emitted listener of its own has. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "wire.c"

#include "proof.c"

bool nacre_runtime_read_control(const uint8_t *frame, uint32_t len, struct control *control) {
    return read_control(frame, len, control);
}

uint32_t nacre_runtime_write_control(const struct control *control, uint8_t *to, uint32_t room) {
    return write_control(control, to, room);
}

bool nacre_runtime_read_identification(const uint8_t *frame, uint32_t len, struct identification *who) {
    return read_identification(frame, len, who);
}

uint32_t nacre_runtime_short_key(const uint8_t *frame, uint32_t len) {
    return short_key(frame, len);
}

uint64_t nacre_runtime_hash_of_claim(const uint64_t *key, const struct claim *claim, uint64_t period) {
    return hash_of_claim(key, claim, period);
}

struct bucket nacre_runtime_full_bucket(uint64_t rate, uint64_t now) {
    return full_bucket(rate, now);
}

void nacre_runtime_fill_bucket(struct bucket *bucket, uint64_t now) {
    fill_bucket(bucket, now);
}

bool nacre_runtime_budget_spend(struct budget *budget, uint64_t len) {
    return budget_spend(budget, len);
}

bool nacre_runtime_budget_covers(const struct budget *budget, uint64_t message) {
    return budget_covers(budget, message);
}

bool nacre_runtime_budget_ping(struct budget *budget) {
    return budget_ping(budget);
}

uint64_t nacre_runtime_budget_next_ping(const struct budget *budget, uint64_t first) {
    return budget_next_ping(budget, first);
}
