#include <sys/vmmac.h>
