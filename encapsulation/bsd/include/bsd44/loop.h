#define NLOOP 1
