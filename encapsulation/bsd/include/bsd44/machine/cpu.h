/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_CPU_H
#define BSD_MACHINE_CPU_H

#endif
