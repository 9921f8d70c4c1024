/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The arm64 kernel's handlers of BRK. Until 6.16, and in 6.12 until its stable updates, one
 * function had all debug exceptions, and a module could register a break hook for an immediate.
 * Since then each exception has a function, that for user mode is called with interrupts
 * enabled, and nothing can be registered.
 */
#ifndef TRAPLINE_COMPAT_BREAK_HOOK
#define TRAPLINE_COMPAT_BREAK_HOOK

#include <linux/errno.h>

#include <asm/debug-monitors.h>
#include <asm/ptrace.h>

#include "found.h"

#ifdef TL_HAS_BREAK_HOOK
/* What the kernel calls, and the arguments that are passed on to it. */
#define COMPAT_BREAK_HANDLER(name) \
	void name(unsigned long far, unsigned long esr, struct pt_regs *regs)
#define COMPAT_BREAK_ARGUMENTS far, esr, regs
#else
#define COMPAT_BREAK_HANDLER(name) void name(unsigned long esr, struct pt_regs *regs)
#define COMPAT_BREAK_ARGUMENTS esr, regs
#endif

#endif
