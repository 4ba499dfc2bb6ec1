#include <sys/protosw.h>
