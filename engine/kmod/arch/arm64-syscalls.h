/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* System-call numbers, native and of 32-bit ARM programs. */
#ifdef TRAPLINE_COMPAT
#include <asm/unistd32.h>

/* ARM-private calls; <asm/unistd.h> has them under other names, together with native numbers. */
#define __NR_cacheflush (0x0f0000 + 2)
#define __NR_set_tls (0x0f0000 + 5)
#else
#include <uapi/asm/unistd.h>
#endif
