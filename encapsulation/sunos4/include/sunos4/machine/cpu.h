/* Sources include it by its place, too: "../machine/cpu.h". */
#include_next <machine/cpu.h>
