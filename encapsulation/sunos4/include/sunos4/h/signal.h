#include <sys/signal.h>
