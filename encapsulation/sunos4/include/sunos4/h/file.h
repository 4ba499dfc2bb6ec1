#include <sys/file.h>
