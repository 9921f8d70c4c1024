// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Event subscriptions, by tracepoints and by children's task work (children.c). Probes run with
 * preemption disabled; since 6.13 those of system calls, which may fault, have to do that
 * themselves.
 */
#include <linux/compat.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <asm/syscall.h>

#include "internal.h"
#include "shim.h"
#include "trapline.h"

/*
 * Runs for every system call of every thread while any is enabled, so it is a bitmap
 * lookup without a call into the engine. What follows on a hit is noinline, so that a
 * miss saves no registers.
 */
static bool is_wanted(const struct shim_numbers *numbers, unsigned int number)
{
	const u32 *bits = numbers->bits + in_compat_syscall() * SHIM_WORDS_OF_ABI;

	return READ_ONCE(bits[number / 32 % SHIM_WORDS_OF_ABI]) >> number % 32 & 1;
}

static noinline void report_entered(void *data, struct pt_regs *regs, long number)
{
	preempt_disable_notrace();
	trapline_syscall_entered(in_compat_syscall(), number, regs);
	preempt_enable_notrace();
}

static noinline void report_returned(void *data, struct pt_regs *regs, long value)
{
	preempt_disable_notrace();
	trapline_syscall_returned(in_compat_syscall(), syscall_get_nr(current, regs), value);
	preempt_enable_notrace();
}

static void entered(void *data, struct pt_regs *regs, long number)
{
	if (is_wanted(data, number))
		report_entered(data, regs, number);
}

static void returned(void *data, struct pt_regs *regs, long value)
{
	if (is_wanted(data, syscall_get_nr(current, regs)))
		report_returned(data, regs, value);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *point;
	struct shim_numbers numbers;
	bool is_subscribed;
} events[] = {
	[SHIM_SYSCALL_RETURNED] = { "sys_exit", returned },
	[SHIM_SYSCALL_ENTERED] = { "sys_enter", entered },
	[SHIM_PROCESS_CREATED] = { "sched_process_fork", tl_on_fork },
	[SHIM_PROCESS_STARTED] = { },
	[SHIM_PROGRAM_BEGUN] = { "sched_process_exec", tl_on_exec },
	[SHIM_PROCESS_GONE] = { "sched_process_free", tl_on_free },
	[SHIM_PROCESS_EXITED] = { "sched_process_exit", tl_on_exit },
	[SHIM_SIGNAL_SENT] = { "signal_generate", tl_on_signal_sent },
	[SHIM_SIGNAL_HANDLED] = { "signal_deliver", tl_on_signal_delivered },
};

static void find(struct tracepoint *point, void *data)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i].name && !strcmp(point->name, events[i].name))
			events[i].point = point;
}

int tl_events_init(void)
{
	size_t i;

	for_each_kernel_tracepoint(find, NULL);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (events[i].name && !events[i].point) {
			pr_err("trapline: this kernel has no tracepoint %s\n", events[i].name);
			return -ENOENT;
		}
	}
	return tl_children_init();
}

/* Whether children report the event, alone or in addition to a tracepoint. */
static bool is_reported_by_children(enum shim_event event)
{
	if (event == SHIM_SYSCALL_RETURNED)
		return !tl_sys_exit_in_children;
	return event == SHIM_PROCESS_STARTED;
}

static int begin(enum shim_event event)
{
	typeof(events[0]) *it = &events[event];
	int error = 0;

	if (it->point)
		error = tracepoint_probe_register(it->point, it->probe, &it->numbers);
	if (error || !is_reported_by_children(event))
		return error;
	error = tl_children_begin(event);
	if (error && it->point)
		tracepoint_probe_unregister(it->point, it->probe, &it->numbers);
	return error;
}

static int end(enum shim_event event)
{
	typeof(events[0]) *it = &events[event];
	int error = 0;

	if (it->point)
		error = tracepoint_probe_unregister(it->point, it->probe, &it->numbers);
	if (is_reported_by_children(event))
		tl_children_end(event);
	tracepoint_synchronize_unregister();
	return error;
}

int shim_subscribe(enum shim_event event, const struct shim_numbers *numbers)
{
	typeof(events[0]) *it = &events[event];
	bool wanted = memchr_inv(numbers, 0, sizeof(*numbers));
	int error = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers->bits); i++)
		WRITE_ONCE(it->numbers.bits[i], numbers->bits[i]);
	if (wanted != it->is_subscribed)
		error = wanted ? begin(event) : end(event);
	if (!error)
		it->is_subscribed = wanted;
	return error;
}
