#include <sys/mbuf.h>
