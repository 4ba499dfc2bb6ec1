/* Services of SunOS 4 beside those that 4.4BSD has, too. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/kmem_alloc.h>
#include <sys/malloc.h>
#include <sys/proc.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>
#include <sys/uio.h>
#include <sys/user.h>

static struct ucred credentials = {.cr_ref = 1};
struct proc proc0 = {.p_cred = &credentials};
struct proc *curproc = &proc0;
struct user u = {.u_procp = &proc0, .u_cred = &credentials, .u_comm = "streams"};

void psignal(struct proc *process, int number) { (void)process, (void)number; }
struct proc *pfind(pid_t pid) { return (void)pid, NULL; }

/* Users of streams are trusted: what they may do is the program's decision. */
int suser(void) { return 1; }

caddr_t new_kmem_alloc(unsigned size, int flag) {
    return malloc(size, M_TEMP, flag == KMEM_NOSLEEP ? M_NOWAIT : M_WAITOK);
}

caddr_t new_kmem_zalloc(unsigned size, int flag) {
    caddr_t memory = new_kmem_alloc(size, flag);
    return memory ? memset(memory, 0, size) : NULL;
}

caddr_t kmem_alloc(unsigned size) { return new_kmem_alloc(size, KMEM_SLEEP); }
caddr_t kmem_zalloc(unsigned size) { return new_kmem_zalloc(size, KMEM_SLEEP); }

void kmem_free(caddr_t address, unsigned size) {
    (void)size;
    free(address, M_TEMP);
}

int bsd_move(caddr_t at, int count, int rw, struct uio *uio) {
    uio->uio_rw = rw == 0 ? UIO_READ : UIO_WRITE;
    return uiomove(at, count, uio);
}

struct socket *sonewconn(struct socket *head) { return sonewconn1(head, 0); }
