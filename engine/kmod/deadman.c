// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The deadman's heartbeat. While a consumer traces, a worker on each CPU beats once a
 * second, and another, on any CPU, checks the consumers. Both run in kworkers of normal
 * scheduling class: if clauses starve a CPU's threads, its beat is late, which firings
 * notice.
 */
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "compat/workqueue.h"
#include "internal.h"
#include "shim.h"
#include "trapline.h"

/* In seconds, like DTrace's dtrace_deadman_timeout and dtrace_deadman_user; 0 disables. */
static unsigned int deadman_timeout = 10;
static unsigned int deadman_user = 30;
module_param(deadman_timeout, uint, 0644);
MODULE_PARM_DESC(deadman_timeout, "seconds for which clauses may keep a CPU from running threads; 0 disables");
module_param(deadman_user, uint, 0644);
MODULE_PARM_DESC(deadman_user, "seconds that a consumer may go without a request; 0 disables");

struct beat {
	struct delayed_work work;
	unsigned int cpu;
};

static DEFINE_PER_CPU(struct beat, beats);
static struct delayed_work watching;
/* Private queues: no other work delays ours, and a rescuer runs it if there is no memory. */
static struct workqueue_struct *beating, *looking;

/*
 * In jiffies. At least two seconds, since beats are a second apart and one may be a
 * little late.
 */
static unsigned int limit(void)
{
	unsigned int seconds = READ_ONCE(deadman_timeout);

	return seconds ? clamp_t(unsigned int, seconds, 2, INT_MAX / HZ) * HZ : 0;
}

static void beat(struct work_struct *work)
{
	struct beat *beat = container_of(to_delayed_work(work), struct beat, work);

	if (!trapline_beat(beat->cpu, limit()))
		return;
	/* So that it stays online: all CPUs stop for one to go. */
	preempt_disable();
	if (cpu_online(beat->cpu))
		queue_delayed_work_on(beat->cpu, beating, &beat->work, HZ);
	preempt_enable();
}

static void watch(struct work_struct *work)
{
	unsigned int rounds = READ_ONCE(deadman_user);

	if (trapline_watch(rounds ? max(rounds, 2U) : 0))
		queue_delayed_work(looking, &watching, HZ);
}

/*
 * A CPU may come online after the deadman was started. Or it was offline for a while: its work
 * then was the last one, or its timer is where it does not expire in time. mod_delayed_work_on()
 * starts the work in each case.
 */
void tl_deadman_cpu(unsigned int cpu)
{
	mod_delayed_work_on(cpu, beating, &per_cpu(beats, cpu).work, 0);
}

u32 shim_deadman_start(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		mod_delayed_work_on(cpu, beating, &per_cpu(beats, cpu).work, 0);
	cpus_read_unlock();
	mod_delayed_work(looking, &watching, HZ);
	return limit();
}

u32 shim_ticks(void)
{
	return jiffies;
}

int tl_deadman_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(beats, cpu).cpu = cpu;
		INIT_DELAYED_WORK(&per_cpu(beats, cpu).work, beat);
	}
	INIT_DELAYED_WORK(&watching, watch);
	beating = alloc_workqueue("trapline", COMPAT_WQ_PERCPU | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	looking = alloc_workqueue("trapline_watch", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	if (beating && looking)
		return 0;
	tl_deadman_exit();
	return -ENOMEM;
}

/* The hotplug callback, which would queue work again, has been removed already. */
void tl_deadman_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		cancel_delayed_work_sync(&per_cpu(beats, cpu).work);
	cancel_delayed_work_sync(&watching);
	if (beating)
		destroy_workqueue(beating);
	if (looking)
		destroy_workqueue(looking);
}
