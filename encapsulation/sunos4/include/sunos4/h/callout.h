#include <sys/callout.h>
