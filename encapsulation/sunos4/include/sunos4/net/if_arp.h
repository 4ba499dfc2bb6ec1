/* Sources include it by its place, too: "../net/if_arp.h". */
#include_next <net/if_arp.h>
