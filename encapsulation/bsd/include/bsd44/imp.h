#define NIMP 0
