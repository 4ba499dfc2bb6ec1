#include <netinet/if_ether.h>
