/* Processor-specific: empty here. */
#ifndef BSD_MACHINE_CPUFUNC_H
#define BSD_MACHINE_CPUFUNC_H

#endif
