/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* System-call numbers, native and of 32-bit programs. */
#ifdef TRAPLINE_COMPAT
#include <asm/unistd_32.h>
#else
#include <asm/unistd_64.h>
#endif
