/* The program that an isolated instance runs in. */
#include "streams/isolated.h"

int main(void) { return str_isolated(); }
