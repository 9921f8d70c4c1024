// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A system call that makes a child returns in the child too. Where the kernel tells
 * only of the other return, the child does so itself: by work that it is given when
 * it is made, and does before it first comes to its program.
 */
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

#include "shim.h"

struct child {
	struct callback_head work;
	struct list_head others;
	struct task_struct *task;
	/* Which call it returns from: who is born with a signal has forgotten it by then. */
	unsigned int abi;
	long number;
};

static typeof(&task_work_cancel) cancel;
static struct tracepoint *forks;

/* Those that have yet to do it. */
static LIST_HEAD(children);
static DEFINE_RAW_SPINLOCK(lock);
static DECLARE_WAIT_QUEUE_HEAD(all_done);

static void forget(struct child *child)
{
	put_task_struct(child->task);
	kfree(child);
	trapline_memory_count(-1);
}

static void returns(struct callback_head *work)
{
	struct child *child = container_of(work, struct child, work);
	unsigned long state;

	preempt_disable();
	if (!(current->flags & PF_EXITING))
		trapline_syscall_returned(child->abi, child->number, 0);
	preempt_enable();
	raw_spin_lock_irqsave(&lock, state);
	list_del(&child->others);
	raw_spin_unlock_irqrestore(&lock, state);
	forget(child);
	wake_up(&all_done);
}

/* In the parent. */
static struct child *give_work(struct task_struct *task)
{
	struct child *child = kmalloc(sizeof(*child), GFP_ATOMIC | __GFP_NOWARN);
	unsigned long state;

	if (!child)
		return NULL;
	trapline_memory_count(1);
	child->task = get_task_struct(task);
	child->abi = in_compat_syscall();
	child->number = syscall_get_nr(current, current_pt_regs());
	init_task_work(&child->work, returns);
	raw_spin_lock_irqsave(&lock, state);
	list_add(&child->others, &children);
	raw_spin_unlock_irqrestore(&lock, state);
	return child;
}

/* The child has not run yet. Some of those that the kernel makes for itself never come to a program. */
static void forked(void *data, struct task_struct *parent, struct task_struct *task)
{
	struct child *child;

	if ((parent->flags | task->flags) & (PF_KTHREAD | PF_IO_WORKER))
		return;
	child = give_work(task);
	if (!child || task_work_add(task, &child->work, TWA_RESUME))
		trapline_syscall_lost();
}

static void find(struct tracepoint *point, void *data)
{
	if (!strcmp(point->name, "sched_process_fork"))
		forks = point;
}

int trapline_children_init(void)
{
	cancel = (void *)trapline_symbol("task_work_cancel");
	for_each_kernel_tracepoint(find, NULL);
	return cancel && forks ? 0 : -ENOENT;
}

int trapline_children_begin(void)
{
	return tracepoint_probe_register(forks, forked, NULL);
}

/* Takes the work from those that have not begun it. */
static void take_back(struct list_head *from)
{
	struct child *child, *next;
	unsigned long state;

	raw_spin_lock_irqsave(&lock, state);
	list_for_each_entry_safe(child, next, &children, others)
		if (cancel(child->task, &child->work))
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

/* When it returns, nobody does such work, or will, or is in its last instructions. */
void trapline_children_end(void)
{
	struct child *child, *next;
	LIST_HEAD(idle);

	tracepoint_probe_unregister(forks, forked, NULL);
	tracepoint_synchronize_unregister();
	take_back(&idle);
	list_for_each_entry_safe(child, next, &idle, others)
		forget(child);
	wait_event(all_done, are_done());
	synchronize_rcu_tasks();
}
