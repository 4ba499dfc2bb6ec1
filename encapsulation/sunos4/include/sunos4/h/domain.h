#include <sys/domain.h>
