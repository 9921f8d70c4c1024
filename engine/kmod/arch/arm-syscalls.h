/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* System-call numbers. There is no compat ABI. */
#ifndef TRAPLINE_COMPAT
#include <uapi/asm/unistd.h>

/* The ARM-private calls. The kernel names them __ARM_NR_*, and syscalls.sed reads only __NR_*. */
#define __NR_breakpoint (__ARM_NR_breakpoint)
#define __NR_cacheflush (__ARM_NR_cacheflush)
#define __NR_get_tls (__ARM_NR_get_tls)
#define __NR_set_tls (__ARM_NR_set_tls)
#define __NR_usr26 (__ARM_NR_usr26)
#define __NR_usr32 (__ARM_NR_usr32)
#endif
