#include <sys/proc.h>
