/* Figure 7b: `buffers KIND COUNT` allocates and releases COUNT buffers, one at a time: `small-block` and
 * `large-block` are message blocks as large as the data of `mbuf` and `cluster`; `crossing` turns a message block
 * into an mbuf and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bsd/mbuf.h"
#include "measure/mbufs.h"
#include "streams/capsule.h"

extern const struct str_capsule nacre_capsule;

static int blocks(size_t bytes, long count)
{
    while (count-- > 0) {
        mblk_t *mp = allocb(bytes, BPRI_MED);
        if (mp == NULL)
            return -1;
        freemsg(mp);
    }
    return 0;
}

static int crossings(long count)
{
    mblk_t *mp = allocb(64, BPRI_MED);
    if (mp == NULL)
        return -1;
    mp->b_wptr += 64;
    while (count-- > 0) {
        struct mbuf *m = bsd_mbufs_of(mp);
        mp = m == NULL ? NULL : bsd_message_of(m);
        if (mp == NULL)
            return -1;
    }
    freemsg(mp);
    return 0;
}

static int run(const char *kind, long count)
{
    if (strcmp(kind, "small-block") == 0)
        return blocks((size_t)mbuf_bytes, count);
    if (strcmp(kind, "large-block") == 0)
        return blocks((size_t)cluster_bytes, count);
    if (strcmp(kind, "mbuf") == 0)
        return mbufs_small(count);
    if (strcmp(kind, "cluster") == 0)
        return mbufs_cluster(count);
    return strcmp(kind, "crossing") == 0 ? crossings(count) : -1;
}

int main(int count, char **words)
{
    static const char *const options[] = {NULL};
    struct str_host *host = str_host_open(NULL);
    if (count != 3 || host == NULL)
        return 2;
    str_enter(host);
    if (nacre_capsule.start(host, options) != 0 || run(words[1], strtol(words[2], NULL, 10)) != 0) {
        fprintf(stderr, "buffers: cannot run %s\n", words[1]);
        return 1;
    }
    nacre_capsule.stop(host);
    str_host_close(host);
    return 0;
}
