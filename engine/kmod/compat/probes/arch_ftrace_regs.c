// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include <linux/ftrace.h>

struct pt_regs *probe(struct ftrace_regs *regs);
struct pt_regs *probe(struct ftrace_regs *regs)
{
	return &arch_ftrace_regs(regs)->regs;
}
