// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The thread that the CPU runs, or was taken from: all without a lock, since a trap asks. */
#include <linux/bitops.h>
#include <linux/cred.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include <asm/ptrace.h>

#include "shim.h"

/* The scheduler reckons with the CPU's clock as it is, without what interrupts and hosts took. */
static_assert(!IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING));
static_assert(!IS_ENABLED(CONFIG_PARAVIRT_TIME_ACCOUNTING));

/*
 * A thread's number comes back when it is gone; so does the nanosecond of its
 * start, on another CPU. A number has at most 22 bits, and those of the start
 * that lie there change once in an hour. All idle threads have one number, and
 * may have been started at one time: each has a CPU of its own instead.
 */
u64 trapline_identity(const struct task_struct *task)
{
	return task->pid ? rol64(task->start_time, 22) ^ task->pid : raw_smp_processor_id();
}

/*
 * Whether an interrupt is served, besides the one that asks: a tick is one, and
 * a trap in the kernel's text is reckoned as one on some processors, as an NMI.
 */
static bool in_interrupt_of_another(bool in_tick)
{
	unsigned long own = in_tick || in_nmi() ? HARDIRQ_OFFSET : 0;

	return hardirq_count() > own || in_serving_softirq();
}

void shim_task(struct shim_task *to, int in_tick)
{
	const struct task_struct *task = current;
	u64 identity = trapline_identity(task);

	to->identity = in_interrupt_of_another(in_tick) ? ~identity : identity;
	to->address = (unsigned long)task;
	to->pid = task->tgid;
	to->tid = task->pid;
	to->ppid = rcu_dereference_sched(task->real_parent)->tgid;
	to->uid = __kuid_val(current_uid());
	to->gid = __kgid_val(current_gid());
	memcpy(to->name, task->comm, sizeof(to->name));
}

unsigned long shim_thread(void)
{
	return (unsigned long)current;
}

/* What the scheduler has booked, and what has gone by since it last did. */
u64 shim_run_time(void)
{
	const struct sched_entity *entity = &current->se;
	s64 since = cpu_clock(raw_smp_processor_id()) - entity->exec_start;

	return entity->sum_exec_runtime + max_t(s64, since, 0);
}

u64 shim_user_register(u64 number)
{
	if (!current->mm || number > MAX_REG_OFFSET / sizeof(long))
		return 0;
	return regs_get_register(task_pt_regs(current), number * sizeof(long));
}
