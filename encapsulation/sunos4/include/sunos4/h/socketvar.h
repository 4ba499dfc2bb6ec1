#include <sys/socketvar.h>
