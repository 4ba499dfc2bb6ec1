#include <sys/conf.h>
