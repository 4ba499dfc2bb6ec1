/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_MTPR_H
#define BSD_MACHINE_MTPR_H

#endif
