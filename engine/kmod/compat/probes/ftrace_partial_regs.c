// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/ftrace.h>

/* Where there are all registers, they need no copy. */
#ifdef HAVE_ARCH_FTRACE_REGS
struct pt_regs *probe(struct ftrace_regs *regs, struct pt_regs *all);
struct pt_regs *probe(struct ftrace_regs *regs, struct pt_regs *all)
{
	return ftrace_partial_regs(regs, all);
}
#else
#error "they are all there"
#endif
