// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The kernel's function tracer, whose call at a function's entry can stand for a
 * trap there. What it calls may be interrupted, and runs also where RCU is not
 * watching; so here interrupts are off, and memory.c waits for all CPUs.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/module.h>

#include "internal.h"
#include "shim.h"

/* How far from a function's begin its call can be: behind a mark for branches, and what saves the caller. */
#define NEAR 16

static typeof(&ftrace_location_range) find_call;
static bool is_registered;

int tl_ftrace_init(void)
{
	find_call = (void *)tl_symbol("ftrace_location_range");
	return find_call ? 0 : -ENOENT;
}

int shim_has_calls(void)
{
	return tl_ftrace_has_entry_calls;
}

bool tl_ftrace_is_active(void)
{
	return is_registered;
}

unsigned long shim_call_of(unsigned long address)
{
	return tl_ftrace_has_entry_calls ? find_call(address, address + NEAR - 1) : 0;
}

static void called(unsigned long call, unsigned long caller, struct ftrace_ops *ops,
		   struct ftrace_regs *fregs)
{
	unsigned long state;

	raw_local_irq_save(state);
	trapline_called(call, &fregs->regs);
	raw_local_irq_restore(state);
}

/* Permanent: it is not to be switched off meanwhile. It guards itself against recursion. */
static struct ftrace_ops ops = {
	.func = called,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/* When it returns, nobody is in called(), or will be. Where it fails, the tracer has broken down: we stay. */
static int unregister(void)
{
	int error = is_registered ? unregister_ftrace_function(&ops) : 0;

	if (error) {
		__module_get(THIS_MODULE);
		return error;
	}
	is_registered = false;
	return 0;
}

/* Once: what is left of the ops cannot be used. */
void tl_ftrace_exit(void)
{
	ftrace_free_filter(&ops);
}

/* No address at all would mean every one. */
int shim_trace_calls(const unsigned long *calls, size_t count)
{
	int error;

	if (!count)
		return unregister();
	error = ftrace_set_filter_ips(&ops, (unsigned long *)calls, count, 0, 1);
	if (error || is_registered)
		return error;
	error = register_ftrace_function(&ops);
	is_registered = !error;
	return error;
}
