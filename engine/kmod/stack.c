// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Stack traces by the kernel's unwinder, which is callable in any context. */
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>

#include <asm/irq_regs.h>

#include "compat/printk.h"
#include "internal.h"
#include "shim.h"
#include "unexported.h"

UNEXPORTED(stack_trace_save_regs);
UNEXPORTED(COMPAT_PRINTK_HOLD);
UNEXPORTED(COMPAT_PRINTK_RELEASE);

int tl_stack_init(void)
{
	return tl_resolve(stack_trace_save_regs) && tl_resolve(COMPAT_PRINTK_HOLD) &&
	       tl_resolve(COMPAT_PRINTK_RELEASE) ? 0 : -ENOENT;
}

unsigned int tl_unwind(struct pt_regs *regs, unsigned int skip,
			     unsigned long *frames, unsigned int count)
{
	return tl_unexported(stack_trace_save_regs)(regs, frames, count, skip);
}

static unsigned int unwind(struct pt_regs *regs, unsigned long *frames,
			   unsigned int count, enum shim_origin origin)
{
	switch (origin) {
	case SHIM_ENTRY:
		return tl_unwind_entry(regs, frames, count);
	case SHIM_RETURN:
		return tl_unwind_return(regs, frames, count);
	case SHIM_CALLER:
		return tl_unwind(regs, 0, frames, count);
	case SHIM_INTERRUPTED:
		break;
	}
	regs = get_irq_regs();
	if (!regs || user_mode(regs))
		return 0;
	return tl_unwind(regs, 0, frames, count);
}

/*
 * The unwinder may print a warning, and the interrupted code may hold console locks, so
 * printk is deferred meanwhile. On 32 bits it fills the first half of `frames`; the words
 * are widened in place, from the last to the first.
 */
unsigned int shim_stack(struct pt_regs *regs, u64 *frames, unsigned int count,
			enum shim_origin origin)
{
	unsigned long *words = (unsigned long *)frames;
	unsigned int found, i;

	if (count == 0)
		return 0;
	tl_unexported(COMPAT_PRINTK_HOLD)();
	found = unwind(regs, words, count, origin);
	tl_unexported(COMPAT_PRINTK_RELEASE)();
	for (i = found; i-- > 0;)
		frames[i] = words[i];
	return found;
}
