/* What a step seldom needs. */
struct @_more {
    uint8_t nothing;
    /*@short_queue struct @_event queue[@_QUEUE]; @*/
    /*@temp uint8_t temp[@_TEMPORARY]; /* bytes that are looked at in one statement */ @*/
};
/* One call of the host and all that it causes. */
struct @_step {
    struct @_state *s;
    struct @_pool *pool;
    uint64_t *counters;
    struct nacre_out *out;
    uint64_t now;
    const uint8_t *in; /* data of the message that came with the call */
    uint32_t in_len;
    uint32_t kept; /* first block of that data, once it is in the pool */
    uint32_t outputs, segments, bytes; /* what was made in `out` so far */
    uint32_t impossible; /* whether the message was said to be */
    bool held; /* the step has references to what is kept */
    /*@queue uint32_t first, len; /* in the queue */ @*/
    struct @_more *more;
};
