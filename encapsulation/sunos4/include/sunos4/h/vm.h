#include <vm/vm.h>
