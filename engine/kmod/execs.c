// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Processes that begin while a consumer has them held: those that execute a program, and children
 * of those with probes. Before its first instruction the thread waits until the consumer has
 * armed probes in it.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/wait.h>

#include "internal.h"
#include "shim.h"
#include "space.h"
#include "trapline.h"

static struct tracepoint *execs;

/* Threads that have yet to come to their work, or wait. */
static atomic_t pending = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(none_pending);

static void done(void)
{
	if (atomic_dec_and_test(&pending))
		wake_up(&none_pending);
}

void tl_begin_process(void)
{
	u32 ticket;

	atomic_inc(&pending);
	ticket = trapline_process_begins();
	if (ticket)
		tl_wait_for(ticket);
	trapline_process_began();
	done();
}

static void forget(struct callback_head *work)
{
	kfree(work);
	tl_memory_count(-1);
	done();
}

/* Runs before the thread enters user mode; or in its exit, without an mm. */
static void does_work(struct callback_head *work)
{
	if (current->mm)
		tl_begin_process();
	forget(work);
}

/* The sched_process_exec probe. */
static void executed(void *data, struct task_struct *task, pid_t before, struct linux_binprm *program)
{
	struct callback_head *work = kmalloc(sizeof(*work), GFP_ATOMIC | __GFP_NOWARN);

	if (!work)
		return;
	tl_memory_count(1);
	atomic_inc(&pending);
	init_task_work(work, does_work);
	if (task_work_add(task, work, TWA_RESUME))
		forget(work);
}

static void find(struct tracepoint *point, void *data)
{
	if (!strcmp(point->name, "sched_process_exec"))
		execs = point;
}

int tl_execs_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
	return execs ? 0 : -ENOENT;
}

int shim_hold_execs(void)
{
	int error;

	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EOPNOTSUPP;
	error = tl_user_begin();
	if (error)
		return error;
	error = tracepoint_probe_register(execs, executed, NULL);
	if (error)
		tl_user_end();
	return error;
}

/*
 * When it returns, no thread runs such work or will, and none is in its last instructions. None
 * takes the control lock.
 */
void shim_let_execs_go(void)
{
	tracepoint_probe_unregister(execs, executed, NULL);
	tracepoint_synchronize_unregister();
	wait_event(none_pending, !atomic_read(&pending));
	synchronize_rcu_tasks();
	tl_user_end();
}
