/* The log of STREAMS: the log of the host. */
#ifndef NACRE_SYS_STRLOG_H
#define NACRE_SYS_STRLOG_H
#define SL_FATAL 0x01
#define SL_NOTIFY 0x02
#define SL_ERROR 0x04
#define SL_TRACE 0x08
#define SL_CONSOLE 0x10
#define SL_WARN 0x20
#define SL_NOTE 0x40
int strlog(short module, short part, char level, unsigned short flags, char *format, ...);
#endif
