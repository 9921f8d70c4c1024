// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The kernel's tracepoints, as far as the engine is told of them. Whoever they call
 * cannot lose the CPU meanwhile.
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <asm/syscall.h>

#include "shim.h"

static void entered(void *data, struct pt_regs *regs, long number)
{
	trapline_syscall_entered(trapline_abi(), number, regs);
}

static void returned(void *data, struct pt_regs *regs, long value)
{
	trapline_syscall_returned(trapline_abi(), syscall_get_nr(current, regs), value);
}

static struct {
	const char *name;
	void *told;
	struct tracepoint *point;
} events[] = {
	[SHIM_SYSCALL_RETURNED] = { "sys_exit", returned },
	[SHIM_SYSCALL_ENTERED] = { "sys_enter", entered },
};

static void find(struct tracepoint *point, void *data)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(point->name, events[i].name))
			events[i].point = point;
}

int trapline_events_init(void)
{
	size_t i;

	for_each_kernel_tracepoint(find, NULL);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!events[i].point) {
			pr_err("trapline: this kernel has no tracepoint %s\n", events[i].name);
			return -ENOENT;
		}
	}
	return trapline_children_init();
}

static int begin(enum shim_event event)
{
	int error = tracepoint_probe_register(events[event].point, events[event].told, NULL);

	if (error || event != SHIM_SYSCALL_RETURNED || trapline_tells_of_children)
		return error;
	error = trapline_children_begin();
	if (error)
		tracepoint_probe_unregister(events[event].point, events[event].told, NULL);
	return error;
}

static int end(enum shim_event event)
{
	int error = tracepoint_probe_unregister(events[event].point, events[event].told, NULL);

	if (event == SHIM_SYSCALL_RETURNED && !trapline_tells_of_children)
		trapline_children_end();
	tracepoint_synchronize_unregister();
	return error;
}

int shim_tell_of(enum shim_event event, int told)
{
	return told ? begin(event) : end(event);
}
