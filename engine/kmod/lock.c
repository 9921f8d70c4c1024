// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The control lock, grace periods, interrupt masking and CPU numbers. */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

#include "internal.h"
#include "shim.h"
#include "unexported.h"

static DEFINE_MUTEX(control);

void shim_lock(void)
{
	mutex_lock(&control);
}

/* No signal reaches a kernel thread, so it has the lock at the first return. */
void shim_lock_patiently(void)
{
	while (mutex_lock_interruptible(&control))
		;
}

void shim_unlock(void)
{
	mutex_unlock(&control);
}

#ifdef CONFIG_SMP
UNEXPORTED(stop_one_cpu);

int tl_lock_init(void)
{
	return tl_resolve(stop_one_cpu) ? 0 : -ENOENT;
}

static int nothing(void *unused)
{
	return 0;
}

/*
 * On SMP an idle thread may be in a slot, an ftrace callback or a trap, on a CPU that RCU
 * is not watching. So every CPU is made to run another thread; the idle thread yields
 * only at its scheduling point. That thread is the CPU's stopper, which preempts
 * real-time threads: they can starve a kworker for ever, and with it
 * synchronize_rcu_tasks_rude().
 */
static void synchronize_idle(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		tl_unexported(stop_one_cpu)(cpu, nothing, NULL);
	cpus_read_unlock();
}
#else
int tl_lock_init(void)
{
	return 0;
}

static void synchronize_idle(void)
{
}
#endif

/*
 * Probe context has interrupts or preemption disabled, which is an RCU read-side critical
 * section on a CPU that RCU watches; an idle one is waited for otherwise. RCU does not watch
 * a CPU that is just going offline or coming online, so hotplug is waited for first.
 */
void shim_synchronize(void)
{
	cpus_read_lock();
	cpus_read_unlock();
	synchronize_rcu();
	/* ftrace calls do not make RCU watch, nor does every trap. */
	if (!tl_traps_are_watched || tl_ftrace_is_active())
		synchronize_idle();
}

void shim_cond_resched(void)
{
	cond_resched();
}

/*
 * First wait for traps, which may still send their thread to a slot, and with them for
 * interrupt handlers that are in one; then for threads in slots. A thread does not sleep
 * between a trap and the end of its slot, so synchronize_rcu_tasks(), which waits until
 * each thread has switched voluntarily, covers it; a preemption does not count. Without
 * CONFIG_PREEMPTION it is synchronize_rcu(). It does not cover idle threads; they are last,
 * as no trap can send them to a slot any more.
 */
void shim_synchronize_code(void)
{
	shim_synchronize();
	synchronize_rcu_tasks();
	synchronize_idle();
}

unsigned long shim_irqs_off(void)
{
	unsigned long state;

	raw_local_irq_save(state);
	return state;
}

void shim_irqs_restore(unsigned long state)
{
	raw_local_irq_restore(state);
}

unsigned int shim_cpu(void)
{
	return raw_smp_processor_id();
}

unsigned int shim_cpus(void)
{
	return nr_cpu_ids;
}

s64 shim_cpu_offset(void)
{
	return (long)per_cpu_ptr((void __percpu *)0, raw_smp_processor_id());
}
