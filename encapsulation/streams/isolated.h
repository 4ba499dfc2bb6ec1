/* What confines the process of an isolated instance (confine.c), and its main routine. */
#ifndef NACRE_STREAMS_ISOLATED_H
#define NACRE_STREAMS_ISOLATED_H

#define isolated_confine str_inside_isolated_confine

#pragma GCC visibility push(hidden)

/* Takes from the process what a protocol does not need: from now on it can compute, wait and get memory, and nothing
 * else. Other system calls fail with EPERM. Without effect on processors that are not known, and under sanitizers. */
void isolated_confine(void);

#pragma GCC visibility pop

/* What the program `nacre_isolated` does: it serves the instance whose area and capsule are open as descriptors 3 and
 * 4. */
int str_isolated(void);

#endif
