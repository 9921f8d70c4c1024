// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Periodic timers: each fires on one CPU, or on every online CPU, including those that
 * come online later. They are HARD hrtimers, which fire in the interrupt itself, with
 * interrupts disabled.
 *
 * The list of timers is written under the control lock and cpus_read_lock(), and read by
 * the hotplug callbacks, which that excludes, so it needs no lock of its own.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/smp.h>

#include <asm/irq_regs.h>

#include "compat/hrtimer.h"
#include "internal.h"
#include "shim.h"
#include "trapline.h"

struct timer {
	struct list_head others;
	u32 number;
	bool everywhere;
	ktime_t interval;
	struct bell __percpu *bells;
};

struct bell {
	struct hrtimer hrtimer;
	const struct timer *timer;
};

static LIST_HEAD(timers);
static enum cpuhp_state hotplug;

static enum hrtimer_restart rings(struct hrtimer *hrtimer)
{
	const struct timer *timer = container_of(hrtimer, struct bell, hrtimer)->timer;
	struct pt_regs *regs = get_irq_regs();
	unsigned long pc = regs ? instruction_pointer(regs) : 0;
	bool user = regs && user_mode(regs);

	trapline_tick(timer->number, user ? 0 : pc, user ? pc : 0);
	hrtimer_forward_now(hrtimer, timer->interval);
	return HRTIMER_RESTART;
}

/* Runs on the CPU on which the timer is to fire. */
static void start(void *data)
{
	struct timer *timer = data;

	hrtimer_start(&this_cpu_ptr(timer->bells)->hrtimer, timer->interval,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static int cpu_comes(unsigned int cpu)
{
	struct timer *timer;

	tl_deadman_cpu(cpu);
	list_for_each_entry(timer, &timers, others)
		if (timer->everywhere)
			start(timer);
	return 0;
}

/* Otherwise the kernel would migrate the CPU's timer, still pending, to another CPU. */
static int cpu_goes(unsigned int cpu)
{
	struct timer *timer;

	list_for_each_entry(timer, &timers, others)
		if (timer->everywhere)
			hrtimer_cancel(&this_cpu_ptr(timer->bells)->hrtimer);
	return 0;
}

static struct timer *make(u32 number, u64 interval, bool everywhere)
{
	struct timer *timer = shim_alloc(sizeof(*timer), __alignof__(*timer));
	unsigned int cpu;

	if (!timer)
		return NULL;
	timer->number = number;
	timer->everywhere = everywhere;
	timer->interval = ns_to_ktime(min_t(u64, interval, KTIME_MAX));
	timer->bells = alloc_percpu(struct bell);
	if (!timer->bells) {
		shim_free(timer);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		struct bell *bell = per_cpu_ptr(timer->bells, cpu);

		compat_hrtimer_setup(&bell->hrtimer, rings, CLOCK_MONOTONIC,
				     HRTIMER_MODE_REL_PINNED_HARD);
		bell->timer = timer;
	}
	return timer;
}

int shim_timer_start(u32 number, u64 nanoseconds, int everywhere)
{
	struct timer *timer = make(number, nanoseconds, everywhere);

	if (!timer)
		return -ENOMEM;
	cpus_read_lock();
	list_add(&timer->others, &timers);
	if (everywhere)
		on_each_cpu(start, timer, true);
	else
		smp_call_function_single(cpumask_first(cpu_online_mask), start, timer, true);
	cpus_read_unlock();
	return 0;
}

static struct timer *find(u32 number)
{
	struct timer *timer;

	list_for_each_entry(timer, &timers, others)
		if (timer->number == number)
			return timer;
	return NULL;
}

void shim_timer_stop(u32 number)
{
	struct timer *timer;
	unsigned int cpu;

	cpus_read_lock();
	timer = find(number);
	if (timer)
		list_del(&timer->others);
	cpus_read_unlock();
	if (!timer)
		return;
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(timer->bells, cpu)->hrtimer);
	free_percpu(timer->bells);
	shim_free(timer);
}

int tl_timer_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "trapline:online",
					      cpu_comes, cpu_goes);

	if (state < 0)
		return state;
	hotplug = state;
	return 0;
}

void tl_timer_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug);
}
