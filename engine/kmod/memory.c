// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Memory, the control lock, the grace period, CPU, clocks and chance. */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/timekeeping.h>

#include "shim.h"

static DEFINE_MUTEX(control);

/* How many pieces of memory are in use. */
static atomic_t pieces;

void *shim_alloc(size_t size, size_t align)
{
	void *memory;

	if (align > ARCH_KMALLOC_MINALIGN)
		return NULL;
	memory = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (memory)
		atomic_inc(&pieces);
	return memory;
}

void shim_free(void *memory)
{
	kvfree(memory);
	atomic_dec(&pieces);
}

void trapline_memory_count(int more)
{
	atomic_add(more, &pieces);
}

/* When nothing of the module is left but its code, nothing may be in use. */
void trapline_memory_exit(void)
{
	WARN(atomic_read(&pieces), "trapline: %d pieces of memory were not given back\n",
	     atomic_read(&pieces));
}

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

int trapline_memory_init(void)
{
	run_on = (void *)trapline_symbol("stop_one_cpu");
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
int trapline_memory_init(void)
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
	if (trapline_is_called())
		synchronize_idle();
}

void shim_breathe(void)
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

unsigned long shim_interrupts_off(void)
{
	unsigned long state;

	raw_local_irq_save(state);
	return state;
}

void shim_interrupts_as(unsigned long state)
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

u64 shim_now(void)
{
	return ktime_get_mono_fast_ns();
}

u64 shim_wall_time(void)
{
	return ktime_get_real_fast_ns();
}

u64 shim_random(void)
{
	return get_random_u64();
}
