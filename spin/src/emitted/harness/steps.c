/* ---- steps: each way in which one can end is a result, and has a number from 1; those of one step follow one another ---- */

enum kind { INPUT = 1, FIRE, LATER, SAID, ASKED, ACCEPTED, TAKEN, RANK };
struct left {
    int port, event, bytes, number;
};
struct result {
    int next, broken, ways;
    uint32_t left, from;
};
static struct result *results;
static int results_count, results_room;
static struct left *lefts;
static uint32_t lefts_count, lefts_room;

int nacre_ways(int result) { return results[result].ways; }
int nacre_next(int result) { return results[result].next; }
int nacre_broken(int result) { return results[result].broken; }
int nacre_left(int result) { return (int)results[result].left; }
static struct left *left_at(int result, int at) { return &lefts[results[result].from + (uint32_t)at]; }
int nacre_left_port(int result, int at) { return left_at(result, at)->port; }
int nacre_left_bytes(int result, int at) { return left_at(result, at)->bytes; }
int nacre_left_event(int result, int at) { return left_at(result, at)->event; }
int nacre_left_number(int result, int at) { return left_at(result, at)->number; }

/* The same in all that is to be seen. */
static bool alike(const struct result *a, const struct result *b) {
    size_t bytes = a->left * sizeof *lefts;
    return a->next == b->next && a->broken == b->broken && a->left == b->left && (bytes == 0 || memcmp(lefts + a->from, lefts + b->from, bytes) == 0);
}

/* One more way of the step whose ways begin at `first`. */
static void add(int first, struct result result) {
    for (int way = first; way <= results_count; way++) {
        if (alike(&results[way], &result)) { return; }
    }
    if (results_count + 2 > results_room) {
        results_room = results_room ? 2 * results_room : 1024;
        results = memory(results, (size_t)results_room * sizeof *results);
        results[0] = (struct result){.ways = 1}; /* no step: nothing has left */
    }
    used += sizeof *results;
    results[++results_count] = result;
    results[first].ways = results_count + 1 - first;
}

/* A table of open addresses; value 0: free. */
struct known {
    uint64_t key[2];
    int value;
};
static struct known *known;
static uint32_t known_slots, known_count;

static uint32_t place(const uint64_t key[2]) {
    uint64_t h = (key[0] * UINT64_C(0x9e3779b97f4a7c15)) ^ key[1];
    h = (h ^ h >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
    uint32_t i = (uint32_t)(h >> 20) & (known_slots - 1);
    while (known[i].value != 0 && (known[i].key[0] != key[0] || known[i].key[1] != key[1])) { i = (i + 1) & (known_slots - 1); }
    return i;
}

static void grow(void) {
    struct known *old = known;
    uint32_t slots = known_slots;
    known_slots = slots ? slots * 2 : 4096;
    known = memory(NULL, known_slots * sizeof *known);
    memset(known, 0, known_slots * sizeof *known);
    used += (known_slots - slots) * sizeof *known;
    for (uint32_t i = 0; i < slots; i++) {
        if (old[i].value != 0) { known[place(old[i].key)] = old[i]; }
    }
    free(old);
}

/* ---- what is drawn at random: the least or the greatest, as a plan says; the plans of a step are tried one after the other ---- */

enum { MOST_DRAWS = 24 };
static struct {
    uint8_t pick[MOST_DRAWS], of[MOST_DRAWS];
    int planned, made;
} draws;

uint64_t checked_drawn(uint64_t below) {
    if (!DRAWS) { return 0; } /* they only decide deadlines */
    if (draws.made >= MOST_DRAWS) {
        puts("harness: a step draws more random numbers than can be tried");
        exit(1);
    }
    uint8_t pick = draws.made < draws.planned ? draws.pick[draws.made] : 0;
    draws.pick[draws.made] = pick;
    draws.of[draws.made++] = below > 1 ? 2 : 1;
    return pick ? below - 1 : 0;
}

/* The next plan; 0: all have been tried. */
static int next_plan(void) {
    for (int at = draws.made; at-- > 0;) {
        if (draws.pick[at] + 1 < draws.of[at]) {
            draws.pick[at]++;
            draws.planned = at + 1;
            draws.made = 0;
            return 1;
        }
    }
    draws.planned = draws.made = 0;
    return 0;
}

/* A number as the model has it; -1: it is larger than those. */
static int number_seen(uint64_t number) { return number > INT32_MAX ? -1 : (int)number; }

/* What left the end is kept as strings. */
static void collect(struct result *result) {
    result->from = lefts_count;
    result->left = 0;
    for (uint32_t i = 0; i < live.out.outputs_len; i++) {
        const struct nacre_output *output = &live.out.outputs[i];
        uint8_t *bytes = memory(NULL, output->len);
        uint32_t at = 0;
        for (uint32_t k = 0; k < output->segments_len; k++) {
            memcpy(bytes + at, output->segments[k].at, output->segments[k].len);
            at += output->segments[k].len;
        }
        if (lefts_count == lefts_room) {
            lefts_room = lefts_room ? lefts_room * 2 : 1024;
            lefts = memory(lefts, lefts_room * sizeof *lefts);
        }
        int new;
        const struct nacre_event *event = &check->stack->events[output->event];
        lefts[lefts_count++] = (struct left){
            .port = output->port,
            .event = output->event,
            .bytes = output->segments != NULL ? number_of(&strings, bytes, at, &new) : 0,
            .number = event->arguments > 0 ? number_seen(output->arguments[0]) : 0,
        };
        result->left++;
        used += sizeof *lefts;
        free(bytes);
    }
}

static void begin(void) {
    memset(live.counters, 0, check->stack->counters_len * sizeof *live.counters);
}

static void end_step(int end, struct result *result) {
    check->stack->settle(live.state, live.pool, live.counters, &live.out);
    collect(result);
    result->broken = live.counters[check->broken] != 0 || live.counters[check->bound] != 0 ? NACRE_CLAIM : 0;
    result->next = kept(end);
}

/* ---- faults: what C does not define is trapped (-fsanitize=undefined), and so is what does not end ---- */

enum { SECONDS_OF_A_STEP = 2 };
static sigjmp_buf rescue;
static volatile sig_atomic_t guarded;

static void fault(int signal_number) {
    if (guarded) { siglongjmp(rescue, 1); }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch(int seconds) {
    guarded = seconds != 0;
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static void catch_faults(void) {
    static uint8_t stack[1 << 16];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = fault, .sa_flags = SA_ONSTACK};
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) { sigaction(signals[i], &action, NULL); }
}

static struct result run(int end, int state, enum kind kind, int event, int bytes) {
    const struct nacre_stack *stack = check->stack;
    const uint64_t arguments[4] = {kind == SAID ? (uint64_t)bytes : 0};
    if (kind == SAID) { bytes = 0; }
    const uint8_t *at = bytes > 0 ? strings.at[bytes - 1] : NULL;
    uint32_t len = bytes > 0 ? strings.len[bytes - 1] : 0;
    uint8_t *copy = memory(NULL, len); /* of its own: an access outside is seen by tools */
    if (len > 0) { memcpy(copy, at, len); }
    load(state);
    begin();
    if (sigsetjmp(rescue, 1) != 0) {
        watch(0);
        return (struct result){.next = state, .broken = NACRE_FAULT};
    }
    watch(SECONDS_OF_A_STEP);
    switch (kind) {
    case SAID: stack->call(live.state, live.pool, live.counters, 0, (uint32_t)event, arguments, &peers[end], copy, 0, &live.out); break;
    case ASKED: {
        const struct asked *a = &asked[event];
        stack->call(live.state, live.pool, live.counters, 0, a->event, a->arguments, &peers[end], a->at, a->len, &live.out);
        break;
    }
    case INPUT: stack->input(live.state, live.pool, live.counters, 0, &peers[end], copy, len, &live.out); break;
    case FIRE: check->fire(live.state, live.pool, live.counters, 0, (uint32_t)event, &live.out); break;
    default: stack->tick(live.state, live.pool, live.counters, 0, &live.out); break;
    }
    struct result result = {0};
    end_step(end, &result);
    watch(0);
    free(copy);
    return result;
}

/* Whether a call is refused because of its arguments, which `accepts` does not know. */
static bool refuses(int end, int state, int call) {
    const struct asked *a = &asked[call];
    load(state);
    begin();
    bool refused = false; /* what fails is no refusal */
    if (sigsetjmp(rescue, 1) == 0) {
        watch(SECONDS_OF_A_STEP);
        refused = check->stack->call(live.state, live.pool, live.counters, 0, a->event, a->arguments, &peers[end], a->at, a->len, &live.out) == NACRE_REFUSED;
    }
    watch(0);
    draws.made = 0;
    return refused;
}

/* The rank of the timer at a place of those that are armed. */
static int rank_of(int state, int place) {
    struct checked_due due, before;
    load(state);
    checked_next_armed((const void *)live.state, NULL, &due);
    for (int i = 0; i < place; i++) {
        before = due;
        checked_next_armed((const void *)live.state, &before, &due);
    }
    return ranks[due.timer];
}

/* The number of the first of the ways of a step; or what is asked of a state, and 1. */
static int taken(int end, int state, enum kind kind, int event, int bytes) {
    uint64_t key[2] = {(uint64_t)state << 32 | (uint64_t)kind << 28 | (uint64_t)end, (uint64_t)event << 32 | (uint32_t)bytes};
    if (known_count * 2 >= known_slots) { grow(); }
    uint32_t i = place(key);
    if (known[i].value == 0) {
        int value;
        if (kind == ACCEPTED) {
            load(state);
            value = 1 + check->stack->accepts(live.state, live.pool, (uint32_t)event, (uint32_t)bytes);
        } else if (kind == TAKEN) {
            value = 1 + !refuses(end, state, event);
        } else if (kind == RANK) {
            value = 1 + rank_of(state, event);
        } else {
            value = results_count + 1;
            do { add(value, run(end, state, kind, event, bytes)); } while (next_plan());
        }
        known[i] = (struct known){{key[0], key[1]}, value};
        known_count++;
    }
    return known[i].value;
}

int nacre_said(int end, int state, int event, int number) { return taken(end, state, SAID, event, number); }
int nacre_asked(int end, int state, int call) { return taken(end, state, ASKED, call, 0); }
int nacre_accepts(int end, int state, int call) {
    const struct asked *a = &asked[call];
    if (taken(end, state, ACCEPTED, (int)a->event, (int)a->len) == 1) { return 0; }
    return !a->numbers || taken(end, state, TAKEN, call, 0) - 1;
}
int nacre_rank(int end, int state, int place) { return place < nacre_armed(state) ? taken(end, state, RANK, place, 0) - 1 : 0; }
int nacre_has(int end, int state, int rank) {
    for (int place = 0; place < nacre_armed(state); place++) {
        if (nacre_rank(end, state, place) == rank) { return 1; }
    }
    return 0;
}
int nacre_input(int end, int state, int frame) { return taken(end, state, INPUT, 0, frame); }
int nacre_fire(int end, int state, int place) { return taken(end, state, FIRE, place, 0); }
int nacre_later(int end, int state) { return taken(end, state, LATER, 0, 0); }

/* Messages of the model's table get the numbers from 1. */
void nacre_messages(void) {
    int new;
    for (size_t i = 0; i < sizeof messages / sizeof messages[0] - 1; i++) { number_of(&strings, messages[i].at, messages[i].len, &new); }
}

static void tell(void) {
    printf("harness: %d local states, %u steps run, %d strings, %zu MiB\n", shown.count, known_count, strings.count, used >> 20);
}

int nacre_first(int end) {
    const struct nacre_stack *stack = check->stack;
    static int told;
    prepare();
    if (!told++) {
        atexit(tell);
        catch_faults();
    }
    uint8_t *config = aligned_alloc(64, (stack->config_size + 64) / 64 * 64);
    memset(config, 0, stack->config_size);
    stack->config_default(config);
    for (size_t i = 0; i < sizeof givens / sizeof givens[0]; i++) {
        for (uint32_t k = 0; k < stack->givens_len && givens[i].end == end; k++) {
            const struct nacre_given *given = &stack->givens[k];
            if (strcmp(given->name, givens[i].name) == 0) {
                memcpy(config + given->offset, givens[i].bytes, given->size < givens[i].len ? given->size : givens[i].len);
            }
        }
    }
    int first_way = results_count + 1;
    do {
        memset(live.state, 0, live.state_size);
        memset(live.pool, 0, live.pool_size);
        stack->pool_init(live.pool, stack->blocks_for_one);
        begin();
        if (check->open_at(live.state, live.pool, live.counters, config, first, 0, 0, &live.out) != NACRE_OK) {
            puts("harness: the stack could not be opened");
            exit(1);
        }
        struct result result = {0};
        end_step(end, &result);
        add(first_way, result);
    } while (next_plan());
    free(config);
    return first_way;
}
