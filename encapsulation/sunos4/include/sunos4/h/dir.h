#include <sys/dir.h>
