#include <sys/tty.h>
