#include <sys/ucred.h>
