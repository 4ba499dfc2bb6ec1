#include <sys/kernel.h>
