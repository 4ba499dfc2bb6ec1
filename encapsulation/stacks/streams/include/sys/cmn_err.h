/* Messages of the kernel. CE_PANIC ends the instance. */
#ifndef NACRE_SYS_CMN_ERR_H
#define NACRE_SYS_CMN_ERR_H
#define CE_CONT 0
#define CE_NOTE 1
#define CE_WARN 2
#define CE_PANIC 3
void cmn_err(int level, const char *format, ...);
#endif
