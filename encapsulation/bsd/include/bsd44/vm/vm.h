#ifndef BSD_VM_VM_H
#define BSD_VM_VM_H

#endif
