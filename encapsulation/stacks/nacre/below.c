/* What carries the frames of a stack: messages of data as they are, or a transport provider: data of a connection
 * that keeps the bounds of messages (T_DATA_IND), or datagrams to and from one address (the option `to`). */
#include <errno.h>
#include <string.h>

#include "connection.h"
#include "streams/tpi.h"

#define LONGEST_ADDRESS 128
#define LONGEST_FRAME 65536

static unsigned char to[LONGEST_ADDRESS];
static size_t to_length; /* 0: no datagrams */

bool below_takes(const char *option) { return strncmp(option, "to=", 3) == 0; }

static int digit(char letter) {
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    letter = (char)tolower((unsigned char)letter);
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

int below_begin(void) {
    const char *text = capsule_option("to");
    if (!text)
        return 0;
    size_t length = strlen(text);
    bool right = length > 2 && length % 2 == 0 && length / 2 - 1 <= sizeof to && strncmp(text, "0x", 2) == 0;
    for (size_t i = 2; right && i < length; i += 2) {
        int high = digit(text[i]), low = digit(text[i + 1]);
        right = high >= 0 && low >= 0;
        if (right)
            to[i / 2 - 1] = (unsigned char)(high << 4 | low);
    }
    if (!right) {
        capsule_log("to=%s is no address: 0x and the bytes of one in hexadecimal", text);
        return EINVAL;
    }
    to_length = length / 2 - 1;
    return 0;
}

mblk_t *below_wrap(mblk_t *frame) {
    if (to_length == 0)
        return frame;
    mblk_t *message = tpi_unitdata_req(to, to_length, frame);
    if (!message)
        freemsg(frame);
    return message;
}

/* Of other senders, and reports of datagrams that were not sent: lost, as a network loses. */
static bool is_lost(mblk_t *message) {
    if (to_length == 0)
        return false;
    int type = tpi_type(message);
    struct tpi_range from = {0};
    if (type == T_UNITDATA_IND)
        from = tpi_address(message);
    return type == T_UDERROR_IND ||
           (type == T_UNITDATA_IND && (from.length != to_length || memcmp(from.bytes, to, to_length) != 0));
}

enum below below_kind(mblk_t *message) {
    if (message->b_datap->db_type == M_DATA)
        return BELOW_FRAME;
    if (message->b_datap->db_type != M_PROTO)
        return BELOW_OTHER;
    int type = tpi_type(message);
    if (type == T_DATA_IND)
        return ((const struct T_data_ind *)(const void *)message->b_rptr)->MORE_flag ? BELOW_PART : BELOW_FRAME;
    if (to_length > 0 && (type == T_UNITDATA_IND || type == T_UDERROR_IND))
        return BELOW_FRAME;
    return BELOW_OTHER;
}

mblk_t *below_unwrap(mblk_t *message, mblk_t **parts) {
    bool part = below_kind(message) == BELOW_PART;
    mblk_t *frame = message;
    if (message->b_datap->db_type == M_PROTO) {
        bool lost = is_lost(message);
        frame = unlinkb(message);
        freeb(message);
        if (lost) {
            if (frame)
                freemsg(frame);
            return NULL;
        }
        if (!frame)
            frame = allocb(0, BPRI_MED);
    }
    if (frame && *parts) {
        linkb(*parts, frame);
        frame = *parts;
        *parts = NULL;
    }
    /* No stack has such frames; the rest is another that no stack takes. */
    if (frame && msgdsize(frame) > LONGEST_FRAME) {
        freemsg(frame);
        return NULL;
    }
    if (part) {
        *parts = frame;
        return NULL;
    }
    return frame;
}
