#include <sys/systm.h>
