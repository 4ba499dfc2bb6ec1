#include <sys/uio.h>
