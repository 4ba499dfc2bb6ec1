/* Sources include it by its place, too: "../machine/pcb.h". */
#include_next <machine/pcb.h>
