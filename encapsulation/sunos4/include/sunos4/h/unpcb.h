#include <sys/unpcb.h>
