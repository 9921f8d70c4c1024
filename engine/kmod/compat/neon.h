/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Before the kernel uses vector registers on arm64, it is passed room for them since 7.x. */
#ifndef TRAPLINE_COMPAT_NEON
#define TRAPLINE_COMPAT_NEON

#include <asm/neon.h>
#include <asm/ptrace.h>

#include "found.h"

#ifdef TL_HAS_NEON_BUFFER
#define compat_neon_begin kernel_neon_begin
#define compat_neon_end kernel_neon_end
#else
static inline void compat_neon_begin(struct user_fpsimd_state *room)
{
	kernel_neon_begin();
}

static inline void compat_neon_end(struct user_fpsimd_state *room)
{
	kernel_neon_end();
}
#endif

#endif
