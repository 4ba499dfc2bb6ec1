/* Sources include it by its place, too: "../machine/psl.h". */
#include_next <machine/psl.h>
