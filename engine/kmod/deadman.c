// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The deadman's pulse: while anybody traces, a worker on each CPU beats once a
 * second, and another, on any CPU, looks after consumers. Both run in threads of
 * ordinary priority: where clauses leave them no time, they are late.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/time64.h>
#include <linux/workqueue.h>

#include "shim.h"

/* In seconds, as DTrace's dtrace_deadman_timeout and dtrace_deadman_user; 0 is never. */
static unsigned int deadman_timeout = 10;
static unsigned int deadman_user = 30;
module_param(deadman_timeout, uint, 0644);
MODULE_PARM_DESC(deadman_timeout, "seconds that clauses may keep a CPU from its threads");
module_param(deadman_user, uint, 0644);
MODULE_PARM_DESC(deadman_user, "seconds that a consumer may ask for nothing");

struct beat {
	struct delayed_work work;
	unsigned int cpu;
};

static DEFINE_PER_CPU(struct beat, beats);
static struct delayed_work watching;

static void beat(struct work_struct *work)
{
	struct beat *beat = container_of(to_delayed_work(work), struct beat, work);
	unsigned int limit = min_t(unsigned int, deadman_timeout, INT_MAX / HZ) * HZ;

	if (trapline_beat(beat->cpu, limit))
		queue_delayed_work_on(beat->cpu, system_wq, &beat->work, HZ);
}

static void watch(struct work_struct *work)
{
	if (trapline_watch((u64)deadman_user * NSEC_PER_SEC))
		queue_delayed_work(system_unbound_wq, &watching, HZ);
}

/* A CPU that is off has taken its timer with it, which would not ring there before long. */
void trapline_deadman_cpu(unsigned int cpu)
{
	mod_delayed_work_on(cpu, system_wq, &per_cpu(beats, cpu).work, 0);
}

void shim_deadman_start(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		mod_delayed_work_on(cpu, system_wq, &per_cpu(beats, cpu).work, 0);
	cpus_read_unlock();
	mod_delayed_work(system_unbound_wq, &watching, HZ);
}

u32 shim_ticks(void)
{
	return jiffies;
}

void trapline_deadman_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(beats, cpu).cpu = cpu;
		INIT_DELAYED_WORK(&per_cpu(beats, cpu).work, beat);
	}
	INIT_DELAYED_WORK(&watching, watch);
}

/* No CPU comes any more that would begin again. */
void trapline_deadman_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		cancel_delayed_work_sync(&per_cpu(beats, cpu).work);
	cancel_delayed_work_sync(&watching);
}
