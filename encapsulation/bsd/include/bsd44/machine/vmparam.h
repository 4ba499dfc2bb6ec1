/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_VMPARAM_H
#define BSD_MACHINE_VMPARAM_H

#endif
