/* The Internet checksum (RFC 1071) over a chain of mbufs. */
#define STR_PREFIXED
#include "bsd/mbuf.h"

#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/systm.h>

#include <netinet/in.h>

int in_cksum(struct mbuf *m, int length) {
    uint64_t sum = 0;
    bool is_odd = false; /* an odd number of bytes is behind us */
    for (; length > 0 && m; m = m->m_next) {
        const unsigned char *at = mtod(m, const unsigned char *);
        int here = imin(m->m_len, length);
        length -= here;
        uint64_t part = 0;
        uint16_t word;
        for (; here > 1; here -= 2, at += 2) {
            memcpy(&word, at, sizeof word);
            part += word;
        }
        bool odd_part = here == 1;
        if (odd_part)
            part += htons((uint16_t)(*at << 8));
        part = (part & 0xffff) + (part >> 16 & 0xffff) + (part >> 32);
        part = (part & 0xffff) + (part >> 16);
        part = (part & 0xffff) + (part >> 16);
        sum += is_odd ? (part & 0xff) << 8 | part >> 8 : part;
        is_odd ^= odd_part;
    }
    if (length > 0)
        printf("cksum: out of data\n");
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (int)(~sum & 0xffff);
}
