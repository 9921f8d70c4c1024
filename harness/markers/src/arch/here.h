/*
 * What differs by architecture: REGISTERS, the registers that a variable can be
 * in, each with an operand of its size; and only_here(), forms that no other
 * architecture has, to which the macro FORM is known.
 */

#if defined(__x86_64__)
#include "x86.h"
#elif defined(__aarch64__)
#include "arm64.h"
#else
#include "arm.h"
#endif

#define only_here(value) ONLY_HERE(value)
