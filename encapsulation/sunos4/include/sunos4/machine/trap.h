/* Sources include it by its place, too: "../machine/trap.h". */
#include_next <machine/trap.h>
