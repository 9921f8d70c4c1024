// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Events that a new child reports itself: the return of its system call, where
 * sys_exit does not fire in the child, and the start of a new process.
 *
 * The parent's sched_process_fork probe queues task work on the child, which runs it
 * before it first enters user mode. Each pending item is on a list, so that it can be
 * cancelled or waited for.
 */
#include <linux/bits.h>
#include <linux/compat.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/wait.h>

#include <asm/syscall.h>

#include "internal.h"
#include "shim.h"
#include "trapline.h"
#include "unexported.h"

struct child {
	struct callback_head work;
	struct list_head others;
	struct task_struct *task;
	/* The events to report, a bit for each enum shim_event. */
	unsigned long events;
	/*
	 * The call that it returns from. Saved, since a child that is created with a
	 * signal pending no longer has the number in its registers when the work runs.
	 */
	unsigned int abi;
	long number;
};

UNEXPORTED(task_work_cancel_match);
static struct tracepoint *forks;

/* The events that are subscribed to, as a mask. Written under the control lock. */
static unsigned long wanted;

/* Children whose work is pending or running. */
static LIST_HEAD(children);
static DEFINE_RAW_SPINLOCK(lock);
static DECLARE_WAIT_QUEUE_HEAD(all_done);

static void take_off(struct child *child)
{
	unsigned long state;

	raw_spin_lock_irqsave(&lock, state);
	list_del(&child->others);
	raw_spin_unlock_irqrestore(&lock, state);
}

static void forget(struct child *child)
{
	put_task_struct(child->task);
	kfree(child);
	tl_memory_count(-1);
}

static void report(const struct child *child)
{
	unsigned long events = child->events & READ_ONCE(wanted);

	if (current->flags & PF_EXITING)
		return;
	if (events & BIT(SHIM_SYSCALL_RETURNED))
		trapline_syscall_returned(child->abi, child->number, 0);
	if (events & BIT(SHIM_PROCESS_STARTED))
		trapline_happened(SHIM_PROCESS_STARTED, (u64[5]){ });
}

static void does_work(struct callback_head *work)
{
	struct child *child = container_of(work, struct child, work);

	preempt_disable();
	report(child);
	preempt_enable();
	take_off(child);
	forget(child);
	wake_up(&all_done);
}

/*
 * Runs in the parent, in the tracepoint. Returns whether the work is queued. The child
 * is put on the list first; tl_children_end() reads the list only after every call of
 * this function has ended.
 */
static bool give_work(struct task_struct *task, unsigned long events)
{
	struct child *child = kmalloc(sizeof(*child), GFP_ATOMIC | __GFP_NOWARN);
	unsigned long state;

	if (!child)
		return false;
	tl_memory_count(1);
	child->task = get_task_struct(task);
	child->events = events;
	child->abi = in_compat_syscall();
	child->number = syscall_get_nr(current, current_pt_regs());
	init_task_work(&child->work, does_work);
	raw_spin_lock_irqsave(&lock, state);
	list_add(&child->others, &children);
	raw_spin_unlock_irqrestore(&lock, state);
	if (!task_work_add(task, &child->work, TWA_RESUME))
		return true;
	take_off(child);
	forget(child);
	return false;
}

/*
 * Kernel threads and I/O workers never enter user mode, so they report nothing. A
 * process that a kernel thread creates does, but it returns from no system call.
 */
static unsigned long events_of(const struct task_struct *parent, const struct task_struct *task)
{
	const unsigned int own = PF_KTHREAD | PF_IO_WORKER;
	unsigned long events = READ_ONCE(wanted);

	if (task->flags & own)
		return 0;
	if (parent->flags & own)
		events &= ~BIT(SHIM_SYSCALL_RETURNED);
	if (task->pid != task->tgid)
		events &= ~BIT(SHIM_PROCESS_STARTED);
	return events;
}

/* The sched_process_fork probe. The child has not run yet. */
static void forked(void *data, struct task_struct *parent, struct task_struct *task)
{
	unsigned long events = events_of(parent, task);

	if (events && !give_work(task, events))
		trapline_syscall_lost();
}

static void find(struct tracepoint *point, void *data)
{
	if (!strcmp(point->name, "sched_process_fork"))
		forks = point;
}

int tl_children_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
	return tl_resolve(task_work_cancel_match) && forks ? 0 : -ENOENT;
}

int tl_children_begin(enum shim_event event)
{
	int error = wanted ? 0 : tracepoint_probe_register(forks, forked, NULL);

	if (!error)
		WRITE_ONCE(wanted, wanted | BIT(event));
	return error;
}

static bool is_work_of(struct callback_head *work, void *child)
{
	return work == &((struct child *)child)->work;
}

/*
 * Cancels the work that has not begun. Not by task_work_cancel(), which took a function instead
 * of an item until 6.11 and stable updates before it.
 */
static void take_back(struct list_head *from)
{
	struct child *child, *next;
	unsigned long state;

	raw_spin_lock_irqsave(&lock, state);
	list_for_each_entry_safe(child, next, &children, others)
		if (tl_unexported(task_work_cancel_match)(child->task, is_work_of, child))
			list_move(&child->others, from);
	raw_spin_unlock_irqrestore(&lock, state);
}

static bool are_done(void)
{
	unsigned long state;
	bool done;

	raw_spin_lock_irqsave(&lock, state);
	done = list_empty(&children);
	raw_spin_unlock_irqrestore(&lock, state);
	return done;
}

/*
 * Without a remaining event: when it returns, no child runs this work or will, and none
 * is in its last instructions, which synchronize_rcu_tasks() waits for. With one: reports
 * of this event have ended once the caller has waited for tracepoints, since the work
 * reports with preemption disabled.
 */
void tl_children_end(enum shim_event event)
{
	struct child *child, *next;
	LIST_HEAD(idle);

	WRITE_ONCE(wanted, wanted & ~BIT(event));
	if (wanted)
		return;
	tracepoint_probe_unregister(forks, forked, NULL);
	tracepoint_synchronize_unregister();
	take_back(&idle);
	list_for_each_entry_safe(child, next, &idle, others)
		forget(child);
	wait_event(all_done, are_done());
	synchronize_rcu_tasks();
}
