#include <sys/un.h>
