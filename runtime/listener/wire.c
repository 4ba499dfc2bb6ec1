/* The wire format that all stacks share (docs/wire.md): the preamble, the head of identified frames, control frames.
 *
 * The runtime is compiled with this text, too. */

enum { PREAMBLE = 4, CONTROL_SHAPE = 127, LONG_SHAPE = 126, CONTROL_VERSION = 1, COOKIE_MASK = 0xffffff };
enum { CONTROL_HEAD = 8, REFUSED_HEAD = 21, ENDED_HEAD = 18, TEXT_MAX = 255 };
enum control_kind { REFUSED, UNKNOWN, PING, PONG, RETRY, ENDED };
/* How a connection ends whose peer says why. */
enum ending { BUSY, REFUSED_BY_PEER, FAREWELL, OVER };

/* The first four bytes of every frame. */
struct preamble {
    uint32_t cookie; /* the one that the receiver chose; 0: not known */
    uint8_t shape;
    bool identified;
};

/* What frames to an endpoint carry to show that their sender has seen a frame of it. */
struct label {
    uint32_t cookie; /* 0: not known */
    uint32_t key;
};

/* The fixed fields of an identified frame. */
struct identification {
    uint64_t fingerprint, sender, receiver, incarnation;
    uint32_t cookie; /* the sender's, for frames to it */
    uint32_t key;    /* the receiver's, if its cookie is known */
};

/* A control frame. Fields that its kind does not have are 0. */
struct control {
    uint32_t kind; /* enum control_kind */
    uint32_t why;  /* ended: enum ending */
    struct label to;    /* what its receiver chose; unknown: what is not known; pong: without the key */
    struct label label; /* retry: what frames must carry from now on */
    uint64_t number;    /* refused: the fingerprint; ping, pong: the token */
    uint32_t code;      /* ended */
    uint32_t serves;    /* refused: how many stacks are served; 255: or more */
    const uint8_t *rest; /* ended: the text; refused: fingerprints of stacks that are served, 8 bytes each */
    uint32_t rest_len;   /* bytes there */
};

static uint32_t read_32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t read_64(const uint8_t *at) {
    return read_32(at) | (uint64_t)read_32(at + 4) << 32;
}

static void write_32(uint8_t *at, uint32_t value) {
    for (uint32_t i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static void write_64(uint8_t *at, uint64_t value) {
    write_32(at, (uint32_t)value);
    write_32(at + 4, (uint32_t)(value >> 32));
}

/* Reads the preamble; false: the frame is too short. */
static bool read_preamble(const uint8_t *frame, uint32_t len, struct preamble *preamble) {
    if (len < PREAMBLE) {
        return false;
    }
    uint32_t word = read_32(frame);
    preamble->identified = (word & 1) != 0;
    preamble->shape = (uint8_t)(word >> 1 & 0x7f);
    preamble->cookie = word >> 8;
    return true;
}

static bool is_control(const struct preamble *preamble) {
    return !preamble->identified && preamble->shape == CONTROL_SHAPE;
}

/* Reads the identification of an identified frame; false: the frame is too short. */
static bool read_identification(const uint8_t *frame, uint32_t len, struct identification *who) {
    struct preamble preamble;
    if (!read_preamble(frame, len, &preamble)) {
        return false;
    }
    uint32_t at = preamble.shape == LONG_SHAPE ? 14 : 12;
    if (len < at + 32) {
        return false;
    }
    who->fingerprint = read_64(frame + 4);
    who->cookie = read_32(frame + at) & COOKIE_MASK;
    who->sender = read_64(frame + at + 4);
    who->receiver = read_64(frame + at + 12);
    who->incarnation = read_64(frame + at + 20);
    who->key = read_32(frame + at + 28);
    return true;
}

/* The key in a short frame; 0: there is none. */
static uint32_t short_key(const uint8_t *frame, uint32_t len) {
    return len >= PREAMBLE + 4 ? read_32(frame + PREAMBLE) : 0;
}

static bool read_refused(const uint8_t *frame, uint32_t len, struct control *control) {
    if (len < REFUSED_HEAD) {
        return false;
    }
    control->number = read_64(frame + 8);
    control->to.key = read_32(frame + 16);
    control->serves = frame[20];
    uint32_t named = (len - REFUSED_HEAD) / 8;
    control->rest = frame + REFUSED_HEAD;
    control->rest_len = 8 * (named < control->serves ? named : control->serves);
    return true;
}

static bool read_ended(const uint8_t *frame, uint32_t len, struct control *control) {
    if (len < ENDED_HEAD || frame[16] > OVER || len - ENDED_HEAD < frame[17]) {
        return false;
    }
    control->to.key = read_32(frame + 8);
    control->code = read_32(frame + 12);
    control->why = frame[16];
    control->rest = frame + ENDED_HEAD;
    control->rest_len = frame[17];
    return true;
}

/* Reads a control frame; false: it is none, too short, of another version or of a kind that this version does not
 * have. Bytes after those of its kind are ignored, so that later versions may add some. */
static bool read_control(const uint8_t *frame, uint32_t len, struct control *control) {
    struct preamble preamble;
    if (!read_preamble(frame, len, &preamble) || !is_control(&preamble) || len < CONTROL_HEAD) {
        return false;
    }
    if (frame[4] != CONTROL_VERSION || frame[6] != 0 || frame[7] != 0) {
        return false;
    }
    memset(control, 0, sizeof *control);
    control->kind = frame[5];
    control->to.cookie = preamble.cookie;
    switch (frame[5]) {
    case REFUSED:
        return read_refused(frame, len, control);
    case UNKNOWN:
        if (len < 12) {
            return false;
        }
        control->to.key = read_32(frame + 8);
        return true;
    case PING:
        if (len < 20) {
            return false;
        }
        control->number = read_64(frame + 8);
        control->to.key = read_32(frame + 16);
        return true;
    case PONG:
        if (len < 16) {
            return false;
        }
        control->number = read_64(frame + 8);
        return true;
    case RETRY:
        if (len < 20) {
            return false;
        }
        control->to.key = read_32(frame + 8);
        control->label.cookie = read_32(frame + 12) & COOKIE_MASK;
        control->label.key = read_32(frame + 16);
        return true;
    case ENDED:
        return read_ended(frame, len, control);
    default:
        return false;
    }
}

/* As much of a text as fits, without a part of a character of UTF-8. */
static uint32_t cut_text(const uint8_t *text, uint32_t len, uint32_t room) {
    uint32_t at = len < room ? len : room;
    while (at > 0 && at < len && (text[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

/* Writes a control frame of at most `room` bytes, which `to` has; 0: it does not fit. A refusal names as many stacks
 * as fit, and of a text there is as much as fits. */
static uint32_t write_control(const struct control *control, uint8_t *to, uint32_t room) {
    static const uint8_t least[] = {REFUSED_HEAD, 12, 20, 16, 20, ENDED_HEAD};
    uint32_t len = least[control->kind];
    if (room < len) {
        return 0;
    }
    write_32(to, (uint32_t)CONTROL_SHAPE << 1 | control->to.cookie << 8);
    to[4] = CONTROL_VERSION;
    to[5] = (uint8_t)control->kind;
    to[6] = 0;
    to[7] = 0;
    uint32_t rest = 0;
    switch (control->kind) {
    case REFUSED:
        write_64(to + 8, control->number);
        write_32(to + 16, control->to.key);
        to[20] = (uint8_t)control->serves;
        rest = room - len < control->rest_len ? (room - len) / 8 * 8 : control->rest_len;
        break;
    case UNKNOWN:
        write_32(to + 8, control->to.key);
        break;
    case PING:
        write_64(to + 8, control->number);
        write_32(to + 16, control->to.key);
        break;
    case PONG:
        write_64(to + 8, control->number);
        break;
    case RETRY:
        write_32(to + 8, control->to.key);
        write_32(to + 12, control->label.cookie);
        write_32(to + 16, control->label.key);
        break;
    default:
        write_32(to + 8, control->to.key);
        write_32(to + 12, control->code);
        rest = cut_text(control->rest, control->rest_len, room - len < TEXT_MAX ? room - len : TEXT_MAX);
        to[16] = (uint8_t)control->why;
        to[17] = (uint8_t)rest;
        break;
    }
    if (rest > 0) {
        memcpy(to + len, control->rest, rest);
    }
    return len + rest;
}
