/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_TRAP_H
#define BSD_MACHINE_TRAP_H

#endif
