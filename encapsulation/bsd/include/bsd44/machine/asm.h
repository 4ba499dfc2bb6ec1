/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_ASM_H
#define BSD_MACHINE_ASM_H

#endif
