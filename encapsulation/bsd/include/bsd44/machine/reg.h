/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_REG_H
#define BSD_MACHINE_REG_H

#endif
