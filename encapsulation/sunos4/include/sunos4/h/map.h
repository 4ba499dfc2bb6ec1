#include <sys/map.h>
