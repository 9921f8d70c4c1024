/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The numbers of system calls, and those of programs for ARM. */
#ifdef TRAPLINE_COMPAT
#include <asm/unistd32.h>

/* That processor's own; <asm/unistd.h> has them under other names, beside the numbers of the other ABI. */
#define __NR_cacheflush (0x0f0000 + 2)
#define __NR_set_tls (0x0f0000 + 5)
#else
#include <uapi/asm/unistd.h>
#endif
