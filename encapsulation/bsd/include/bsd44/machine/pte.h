/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_PTE_H
#define BSD_MACHINE_PTE_H

#endif
