/* Services of the kernel. bsd/services.txt says which are provided, and how. */
#ifndef BSD_SYS_SYSTM_H
#define BSD_SYS_SYSTM_H
#pragma GCC system_header
#include <machine/names.h>
#include <sys/types.h>

struct proc;
struct uio;

extern char *panicstr;
extern const char version[], copyright[];
extern int hz, tick, cold;
extern int selwait, securelevel;
extern struct proc *curproc;

void bcopy(const void *from, void *to, size_t length);
void ovbcopy(const void *from, void *to, size_t length);
void bzero(void *from, size_t length);
int bcmp(const void *one, const void *other, size_t length);
int copyin(const void *from, void *to, size_t length);
int copyout(const void *from, void *to, size_t length);
int copystr(const void *from, void *to, size_t most, size_t *copied);
int copyinstr(const void *from, void *to, size_t most, size_t *copied);
void insque(void *element, void *before);
void remque(void *element);
#define _insque insque
#define _remque remque

int printf(const char *format, ...);
int uprintf(const char *format, ...);
void log(int level, const char *format, ...);
void logpri(int level);
void addlog(const char *format, ...);
void panic(const char *format, ...) __attribute__((noreturn));

void timeout(void (*routine)(void *), void *argument, int ticks);
void untimeout(void (*routine)(void *), void *argument);
int tsleep(void *channel, int priority, const char *message, int ticks);
int sleep(void *channel, int priority);
void wakeup(void *channel);
int selscan();
void selwakeup();
void selrecord();
int uiomove(caddr_t from, int count, struct uio *uio);
long random(void);
void srandom(unsigned long seed);
int nullop(), enodev(), enoioctl(), enxio(), eopnotsupp(), seltrue();

/* Nothing interrupts an instance, so levels exclude nothing. */
static inline int bsd_spl(void) { return 0; }
#define spl0() bsd_spl()
#define splbio() bsd_spl()
#define splclock() bsd_spl()
#define splhigh() bsd_spl()
#define splimp() bsd_spl()
#define splnet() bsd_spl()
#define splnone() bsd_spl()
#define splsoftnet() bsd_spl()
#define spllowersoftclock() bsd_spl()
#define splsoftclock() bsd_spl()
#define splstatclock() bsd_spl()
#define spltty() bsd_spl()
#define splvm() bsd_spl()
#define splserial() bsd_spl()
#define splsched() bsd_spl()
#define splx(level) ((void)(level))

#ifdef DIAGNOSTIC
#define KASSERT(condition) ((condition) ? (void)0 : panic("%s:%d: %s", __FILE__, __LINE__, #condition))
#else
#define KASSERT(condition) ((void)0)
#endif
#define KDASSERT(condition) KASSERT(condition)

static inline int imax(int a, int b) { return a > b ? a : b; }
static inline int imin(int a, int b) { return a < b ? a : b; }
static inline long lmax(long a, long b) { return a > b ? a : b; }
static inline long lmin(long a, long b) { return a < b ? a : b; }
static inline unsigned long ulmax(unsigned long a, unsigned long b) { return a > b ? a : b; }
static inline unsigned long ulmin(unsigned long a, unsigned long b) { return a < b ? a : b; }
#ifndef min
#define min bsd_min
#define max bsd_max
#endif
static inline u_int bsd_max(u_int a, u_int b) { return a > b ? a : b; }
static inline u_int bsd_min(u_int a, u_int b) { return a < b ? a : b; }

#ifndef __cplusplus
#include <string.h>
#endif

#endif
