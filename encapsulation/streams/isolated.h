/* What confines the process of an isolated instance (confine.c), and its main routine. */
#ifndef NACRE_STREAMS_ISOLATED_H
#define NACRE_STREAMS_ISOLATED_H

#include <stdbool.h>

#define isolated_confine str_inside_isolated_confine

#pragma GCC visibility push(hidden)

/* Takes from the process what a protocol does not need: from now on it can compute, get memory and wait for its turn,
 * while an object is loaded also read files, and nothing else. Other system calls fail with EPERM. Without effect on
 * processors that are not known, and under sanitizers. False: the system cannot do it. */
bool isolated_confine(const void *turn, bool is_loading);

#pragma GCC visibility pop

/* What the program `nacre_isolated` does: it serves the instance whose area and capsule are open as descriptors 3 and
 * 4. */
int str_isolated(void);

#endif
