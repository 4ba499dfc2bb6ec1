#define NETHER 1
