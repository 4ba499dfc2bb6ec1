/* Sources include it by its place, too: "../machine/pte.h". */
#include_next <machine/pte.h>
