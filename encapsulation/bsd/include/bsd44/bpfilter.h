#define NBPFILTER 0
