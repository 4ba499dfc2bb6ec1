/* Sources include it by its place, too: "../machine/mtpr.h". */
#include_next <machine/mtpr.h>
