#include <sys/param.h>
