/* A listener for emitted stacks, as Nacre writes it. nacre_listener.h is its interface; docs/wire.md is what it
 * speaks. Do not edit. This text carries no licence obligation from Nacre. */
#include "nacre_listener.h"

#include <string.h>
