/* Sources include it by its place, too: "../net/netisr.h". */
#include_next <net/netisr.h>
