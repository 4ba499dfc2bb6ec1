/* Priority levels as functions, for sources that do not include <sys/systm.h>. They exclude nothing. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <sys/param.h>

#include <sys/systm.h>

int (spl0)(void);
int (splbio)(void);
int (splclock)(void);
int (splhigh)(void);
int (splimp)(void);
int (splnet)(void);
int (splsoftclock)(void);
int (splsoftnet)(void);
int (spltty)(void);
int (splx)(int level);

int (spl0)(void) { return 0; }
int (splbio)(void) { return 0; }
int (splclock)(void) { return 0; }
int (splhigh)(void) { return 0; }
int (splimp)(void) { return 0; }
int (splnet)(void) { return 0; }
int (splsoftclock)(void) { return 0; }
int (splsoftnet)(void) { return 0; }
int (spltty)(void) { return 0; }
int (splx)(int level) { return level; }
