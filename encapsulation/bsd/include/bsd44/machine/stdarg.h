#include <stdarg.h>
