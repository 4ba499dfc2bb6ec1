/* Random operations on a queue, against a model of the documented rules that is as simple as can be: an array of
 * messages. */
#include "streams_queue.h"
#include "tests/seeds.h"

#define MOST 200
#define BANDS 4

struct item {
    unsigned id;
    bool high;
    unsigned char band, type;
    size_t bytes, blocks;
};

struct flow { /* of a band */
    bool full, wanted;
};

static struct item items[MOST];
static unsigned count, ids;
static struct flow flows[BANDS];
static bool want_reader, no_enable, enabled, back_enabled;
static uint64_t state;

static unsigned pick(unsigned below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(state >> 33) % below;
}

static unsigned rank(const struct item *item) { return item->high ? 256 : item->band; }

static void sizes(unsigned band, size_t *bytes, size_t *blocks) {
    *bytes = *blocks = 0;
    for (unsigned i = 0; i < count; i++)
        if ((items[i].high ? 0 : items[i].band) == band) {
            *bytes += items[i].bytes;
            *blocks += items[i].blocks;
        }
}

static void model_insert(unsigned at, struct item item) {
    memmove(&items[at + 1], &items[at], (count - at) * sizeof *items);
    items[at] = item;
    count++;
    size_t bytes, blocks;
    unsigned band = item.high ? 0 : item.band;
    sizes(band, &bytes, &blocks);
    if (bytes >= 100 || blocks >= 100)
        flows[band].full = true;
}

static void enable_for(const struct item *item, bool front) {
    if (item->high || (!no_enable && (want_reader || (!front && item->band > 0))))
        enabled = true;
}

static void model_put(struct item item, bool front) {
    unsigned at = 0;
    while (at < count && (rank(&items[at]) > rank(&item) || (!front && rank(&items[at]) == rank(&item))))
        at++;
    model_insert(at, item);
    enable_for(&item, front);
}

static void model_remove(unsigned at, bool check) {
    unsigned band = items[at].high ? 0 : items[at].band;
    memmove(&items[at], &items[at + 1], (count - at - 1) * sizeof *items);
    count--;
    size_t bytes, blocks;
    sizes(band, &bytes, &blocks);
    if (blocks == 0 || (bytes < 100 && blocks < 100))
        flows[band].full = false;
    if (check && flows[band].wanted && (blocks == 0 || (bytes < 40 && blocks < 40))) {
        flows[band].wanted = false;
        back_enabled = true;
    }
}

static void model_flush(unsigned least, unsigned most, bool high, bool data_only) {
    bool touched[BANDS] = {false};
    for (unsigned i = 0; i < count;) {
        bool hit = items[i].high ? high : items[i].band >= least && items[i].band <= most;
        if (!hit || (data_only && !datamsg(items[i].type))) {
            i++;
            continue;
        }
        touched[items[i].high ? 0 : items[i].band] = true;
        model_remove(i, false);
    }
    for (unsigned band = 0; band < BANDS; band++) {
        size_t bytes, blocks;
        sizes(band, &bytes, &blocks);
        if (touched[band] && flows[band].wanted && (blocks == 0 || (bytes < 40 && blocks < 40))) {
            flows[band].wanted = false;
            back_enabled = true;
        }
    }
}

static mblk_t *make(struct item *item) {
    static const unsigned char normal[] = {M_DATA, M_PROTO, M_CTL, M_DELAY}, high[] = {M_PCPROTO, M_IOCACK};
    *item = (struct item){.id = ++ids, .high = pick(8) == 0, .blocks = 1 + pick(3)};
    item->band = item->high ? 0 : (unsigned char)(pick(2) ? 0 : pick(BANDS));
    item->type = item->high ? high[pick(2)] : normal[pick(4)];
    mblk_t *message = NULL;
    for (size_t i = 0; i < item->blocks; i++) {
        size_t length = sizeof ids + pick(20);
        mblk_t *block = allocb(length, BPRI_LO);
        CHECK(block);
        memset(block->b_wptr, 0, length);
        memcpy(block->b_wptr, &item->id, sizeof item->id);
        block->b_wptr += length;
        block->b_datap->db_type = item->type;
        block->b_band = item->band;
        item->bytes += length;
        if (message)
            linkb(message, block);
        else
            message = block;
    }
    return message;
}

static unsigned id_of(const mblk_t *message) {
    unsigned id;
    memcpy(&id, message->b_rptr, sizeof id);
    return id;
}

static mblk_t *at_place(queue_t *q, unsigned place) {
    mblk_t *message = q->q_first;
    while (place-- > 0)
        message = message->b_next;
    return message;
}

static void check(queue_t *q) {
    mblk_t *previous = NULL;
    unsigned i = 0;
    for (mblk_t *message = q->q_first; message; message = message->b_next, i++) {
        CHECK(i < count && id_of(message) == items[i].id && message->b_prev == previous);
        previous = message;
    }
    CHECK(i == count && q->q_last == previous && (unsigned)qsize(q) == count);
    for (unsigned band = 0; band < BANDS; band++) {
        size_t bytes, blocks, have;
        unsigned flag;
        sizes(band, &bytes, &blocks);
        if (band > q->q_nband) {
            CHECK(blocks == 0);
            continue;
        }
        CHECK(strqget(q, QCOUNT, (unsigned char)band, &have) == 0 && have == bytes);
        CHECK(strqget(q, QFLAG, (unsigned char)band, &flag) == 0);
        CHECK(((flag & (band ? QB_FULL : QFULL)) != 0) == flows[band].full);
        CHECK(((flag & (band ? QB_WANTW : QWANTW)) != 0) == flows[band].wanted);
        if (band == 0)
            continue;
        mblk_t *first, *last, *expected_first = NULL, *expected_last = NULL;
        for (mblk_t *message = q->q_first; message; message = message->b_next)
            if (message->b_datap->db_type < QPCTL && message->b_band == band) {
                expected_first = expected_first ? expected_first : message;
                expected_last = message;
            }
        CHECK(strqget(q, QFIRST, (unsigned char)band, &first) == 0 && first == expected_first);
        CHECK(strqget(q, QLAST, (unsigned char)band, &last) == 0 && last == expected_last);
    }
    CHECK(((q->q_flag & QWANTR) != 0) == want_reader);
    services[0] = 0;
    CHECK(!str_run(host));
    CHECK((strchr(services, 'D') != NULL) == enabled && (strchr(services, 'M') != NULL) == back_enabled);
    enabled = back_enabled = false;
}

static void insert(queue_t *q) {
    struct item item;
    mblk_t *message = make(&item);
    unsigned at = pick(count + 1);
    bool fits = (at == count || rank(&items[at]) <= rank(&item)) && (at == 0 || rank(&items[at - 1]) >= rank(&item));
    CHECK(insq(q, at == count ? NULL : at_place(q, at), message) == fits);
    if (!fits) {
        freemsg(message);
        return;
    }
    model_insert(at, item);
    enable_for(&item, true);
}

static void take(queue_t *q) {
    mblk_t *message = getq(q);
    want_reader = count == 0;
    CHECK((message == NULL) == (count == 0));
    if (!message)
        return;
    CHECK(id_of(message) == items[0].id && !message->b_next && !message->b_prev);
    model_remove(0, true);
    freemsg(message);
}

static void ask(queue_t *q) {
    unsigned band = pick(BANDS);
    bool room = !flows[band].full;
    CHECK((band == 0 && pick(2) ? canput(q) : bcanput(q, (unsigned char)band)) == room);
    if (!room)
        flows[band].wanted = true;
}

static void step(queue_t *q) {
    struct item item;
    unsigned band, at;
    mblk_t *message;
    switch (pick(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        message = make(&item);
        CHECK(putq(q, message));
        model_put(item, false);
        break;
    case 4:
        message = make(&item);
        CHECK(putbq(q, message));
        model_put(item, true);
        break;
    case 5:
        insert(q);
        break;
    case 6:
        if (count == 0)
            break;
        at = pick(count);
        message = at_place(q, at);
        rmvq(q, message);
        model_remove(at, true);
        freemsg(message);
        break;
    case 7:
        if (pick(10) == 0) {
            bool data_only = pick(2);
            flushq(q, data_only ? FLUSHDATA : FLUSHALL);
            model_flush(0, 255, true, data_only);
        }
        break;
    case 8:
        if (pick(3) == 0) {
            bool data_only = pick(2);
            band = pick(BANDS);
            flushband(q, (unsigned char)band, data_only ? FLUSHDATA : FLUSHALL);
            model_flush(band, band, band == 0, data_only);
        }
        break;
    case 9:
        no_enable = pick(2);
        if (no_enable)
            noenable(q);
        else
            enableok(q);
        break;
    case 10:
    case 11:
        ask(q);
        break;
    default:
        take(q);
    }
}

static void test_queue_follows_the_model(void) {
    EACH_SEED(seed, 200) {
        end();
        begin();
        state = seed;
        count = 0;
        memset(flows, 0, sizeof flows);
        want_reader = true;
        no_enable = enabled = back_enabled = false;
        struct str_stream *stream = opened();
        CHECK(str_push(stream, "module") == 0);
        queue_t *q = WR(driver);
        served("");
        for (unsigned i = 0; i < 2000; i++) {
            if (count == MOST - 1)
                flushq(q, FLUSHALL), model_flush(0, 255, true, false);
            step(q);
            check(q);
        }
        str_close(stream);
    }
}

int main(void) {
    RUN(queue_follows_the_model);
    return 0;
}
