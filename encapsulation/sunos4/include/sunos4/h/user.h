#include <sys/user.h>
