/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_PCB_H
#define BSD_MACHINE_PCB_H

#endif
