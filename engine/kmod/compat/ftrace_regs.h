/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The registers that ftrace passes to a callback. `struct ftrace_regs` was a struct around a
 * struct pt_regs; since 6.13, and stable updates of 6.12, it is opaque, and arch_ftrace_regs()
 * says what is in it. arch_ftrace_get_regs() would do in neither: it is NULL if the callback
 * has not asked for all registers.
 */
#ifndef TRAPLINE_COMPAT_FTRACE_REGS
#define TRAPLINE_COMPAT_FTRACE_REGS

#include <linux/ftrace.h>

#include "found.h"

#ifdef TL_HAS_FTRACE_PARTIAL_REGS
/* arm64 since 6.12 has no more than a function's arguments; the rest of the caller's copy is 0. */
#define compat_ftrace_regs(regs) ftrace_partial_regs(regs, &(struct pt_regs){})
#else
static inline struct pt_regs *compat_ftrace_regs(struct ftrace_regs *regs)
{
#ifdef TL_HAS_ARCH_FTRACE_REGS
	return &arch_ftrace_regs(regs)->regs;
#else
	return &regs->regs;
#endif
}
#endif

#endif
