/* Sources include it by its place, too: "../netinet/in_systm.h". */
#include_next <netinet/in_systm.h>
