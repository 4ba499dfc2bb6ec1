#include <sys/buf.h>
