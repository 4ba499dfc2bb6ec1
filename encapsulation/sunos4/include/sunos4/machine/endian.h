/* Sources include it by its place, too: "../machine/endian.h". */
#include_next <machine/endian.h>
