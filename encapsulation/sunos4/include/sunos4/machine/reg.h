/* Sources include it by its place, too: "../machine/reg.h". */
#include_next <machine/reg.h>
