#ifndef BSD_SYS_SYSLOG_H
#define BSD_SYS_SYSLOG_H
#pragma GCC system_header
#define LOG_EMERG 0
#define LOG_ALERT 1
#define LOG_CRIT 2
#define LOG_ERR 3
#define LOG_WARNING 4
#define LOG_NOTICE 5
#define LOG_INFO 6
#define LOG_DEBUG 7
#define LOG_PRIMASK 7
#define LOG_KERN (0 << 3)
#define LOG_USER (1 << 3)
#endif
