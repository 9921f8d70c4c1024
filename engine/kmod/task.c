// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The current, possibly interrupted, thread. All of it is callable in probe context: no locks. */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include <asm/ptrace.h>

#include "internal.h"
#include "shim.h"

/* shim_run_time() assumes that the scheduler's clock includes interrupt and steal time. */
static_assert(!IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING));
static_assert(!IS_ENABLED(CONFIG_PARAVIRT_TIME_ACCOUNTING));

/* The stack canary, a random number that a thread keeps for life, identifies it. */
static_assert(IS_ENABLED(CONFIG_STACKPROTECTOR));

/*
 * Whether an interrupt is being served other than the caller itself: a tick is a hard
 * interrupt, and on some architectures a trap in kernel text counts as an NMI.
 */
static bool in_interrupt_of_another(enum shim_context context)
{
	bool is_counted = context == SHIM_TICK || (context == SHIM_TRAP && tl_traps_are_nmis);

	return hardirq_count() > is_counted * HARDIRQ_OFFSET || in_serving_softirq();
}

/*
 * A task that has been released still points to its parent, which may have been freed;
 * pid_alive() excludes that. If it is released from here on, the parent is freed only
 * after a grace period, and interrupts or preemption are disabled here.
 */
static pid_t parent_of(const struct task_struct *task)
{
	return pid_alive(task) ? rcu_dereference_sched(task->real_parent)->tgid : 0;
}

void shim_task(struct shim_task *to, enum shim_context context)
{
	const struct task_struct *task = current;

	to->nonce = task->stack_canary;
	to->address = (unsigned long)task;
	to->pid = task->tgid;
	to->tid = task->pid;
	to->ppid = parent_of(task);
	to->in_interrupt = in_interrupt_of_another(context);
	to->uid = __kuid_val(current_uid());
	to->gid = __kgid_val(current_gid());
	memcpy(to->name, task->comm, sizeof(to->name));
}

/* The most processes that are looked at: a firing must end. */
#define ANCESTORS_MAX 1024

/*
 * The pointers are followed as in parent_of(), each only while the task that has it is alive.
 * The first task of all is its own parent.
 */
int shim_descends_from(u32 pid)
{
	const struct task_struct *task = current;
	unsigned int seen;

	for (seen = 0; seen < ANCESTORS_MAX; seen++) {
		const struct task_struct *parent;

		if (task->tgid == pid)
			return 1;
		if (!pid_alive(task))
			return 0;
		parent = rcu_dereference_sched(task->real_parent);
		if (parent == task)
			return 0;
		task = parent;
	}
	return 0;
}

unsigned long shim_thread_key(void)
{
	return (unsigned long)current;
}

/* What the scheduler has accounted, plus the time since it last did. */
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

/* A kernel thread may borrow an mm, and its saved registers mean nothing. */
const struct pt_regs *shim_user_regs(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	bool is_kernels = !current->mm || current->flags & PF_KTHREAD;

	return is_kernels || !user_mode(regs) ? NULL : regs;
}
