#include <sys/malloc.h>
