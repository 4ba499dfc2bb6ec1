/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_PSL_H
#define BSD_MACHINE_PSL_H

#endif
