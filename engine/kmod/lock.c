// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The control lock, grace periods, interrupts and CPUs. */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

#include "internal.h"
#include "shim.h"

static DEFINE_MUTEX(control);

void shim_lock(void)
{
	mutex_lock(&control);
}

void shim_unlock(void)
{
	mutex_unlock(&control);
}

#ifdef CONFIG_SMP
static typeof(&stop_one_cpu) run_on;

int tl_lock_init(void)
{
	run_on = (void *)tl_symbol("stop_one_cpu");
	return run_on ? 0 : -ENOENT;
}

static int nothing(void *unused)
{
	return 0;
}

/*
 * With several CPUs an idle thread may be in a slot, on a CPU that RCU does not
 * watch any more: so every CPU is made to run something else, to which an idle
 * thread gives way only where it looks for work. That is the CPU's stopper, which
 * no real-time thread keeps waiting, as it may a kworker for ever, and with it
 * synchronize_rcu_tasks_rude().
 */
static void synchronize_idle(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		run_on(cpu, nothing, NULL);
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
 * A trap's handler runs with interrupts off, which RCU waits for, on a CPU that
 * it watches. See arch/ for whether it always does. A CPU that is just going or
 * coming is one that it does not watch.
 */
void shim_synchronize(void)
{
	cpus_read_lock();
	cpus_read_unlock();
	synchronize_rcu();
	/* The function tracer does not tell RCU. */
	if (tl_ftrace_is_active())
		synchronize_idle();
}

void shim_cond_resched(void)
{
	cond_resched();
}

/*
 * First whoever is in a trap, who may yet be sent to a slot; then whoever is in
 * one. Between a trap and the end of its slot nobody sleeps, so every thread's
 * next sleep is behind it; a thread that was preempted there is not asleep. Idle
 * threads are not waited for so. Without preemption, synchronize_rcu_tasks() is
 * synchronize_rcu().
 */
void shim_synchronize_code(void)
{
	shim_synchronize();
	synchronize_rcu_tasks();
	synchronize_idle();
	shim_synchronize();
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
