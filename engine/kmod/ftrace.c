// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Entry probes by ftrace's call instead of a trap. An ftrace callback can be
 * interrupted, and also runs where RCU is not watching. So interrupts are disabled here,
 * and shim_synchronize() in lock.c waits for every CPU while this is registered.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>

#include "compat/ftrace_regs.h"
#include "internal.h"
#include "shim.h"
#include "trapline.h"
#include "unexported.h"

/* The furthest a call can be from its function: after a landing pad and the saving of lr. */
#define NEAR 16

UNEXPORTED(ftrace_location_range);

static bool is_registered;

int tl_ftrace_init(void)
{
	return tl_resolve(ftrace_location_range) ? 0 : -ENOENT;
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
	if (!tl_ftrace_has_entry_calls)
		return 0;
	return tl_unexported(ftrace_location_range)(address, address + NEAR - 1);
}

static void called(unsigned long call, unsigned long caller, struct ftrace_ops *ops,
		   struct ftrace_regs *fregs)
{
	unsigned long state;

	raw_local_irq_save(state);
	trapline_called(call, compat_ftrace_regs(fregs));
	raw_local_irq_restore(state);
}

/*
 * PERMANENT: kernel.ftrace_enabled cannot be turned off while this is registered. The
 * engine guards itself against recursion.
 */
static struct ftrace_ops ops = {
	.func = called,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/*
 * When it returns 0, no CPU is in called() or will be. If it fails, ftrace has shut
 * itself down and may still call us, so the module is pinned.
 */
static int unregister(void)
{
	int error = is_registered ? unregister_ftrace_function(&ops) : 0;

	if (error)
		tl_pin();
	else
		is_registered = false;
	return error;
}

/* The ops cannot be used afterwards. */
void tl_ftrace_exit(void)
{
	ftrace_free_filter(&ops);
}

/* An empty filter would mean all functions, so it is not set; the ops is unregistered. */
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
