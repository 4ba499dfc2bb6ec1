/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_PMAP_H
#define BSD_MACHINE_PMAP_H

#endif
