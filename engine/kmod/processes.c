// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Tracepoint probes for the events of processes and signals. They run with preemption disabled. */
#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "internal.h"
#include "shim.h"
#include "trapline.h"

void tl_on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (child->pid == child->tgid)
		trapline_happened(SHIM_PROCESS_CREATED, (u64[5]){ child->tgid, (unsigned long)child });
}

void tl_on_exec(void *data, struct task_struct *task, pid_t before, struct linux_binprm *program)
{
	trapline_happened(SHIM_PROGRAM_BEGUN, (u64[5]){ });
}

/* For an event of a process whose tracepoint fires in each of its threads. */
static void report_once(enum shim_event event, const u64 values[5])
{
	trapline_happened_once(event, values, (unsigned long)current->signal,
			       thread_group_empty(current));
}

/* The thread group leader is released last; only then is the signal_struct freed. */
void tl_on_free(void *data, struct task_struct *task)
{
	if (task->pid == task->tgid)
		trapline_process_gone((unsigned long)task->signal);
}

/* Threads that exit concurrently may all see `live` at 0. */
void tl_on_exit(void *data, struct task_struct *task)
{
	unsigned int code = task->signal->group_exit_code;
	unsigned int signal = code & 0x7f;
	u64 values[5] = { CLD_EXITED, code >> 8 & 0xff };

	if (atomic_read(&task->signal->live))
		return;
	if (signal) {
		values[0] = code & 0x80 ? CLD_DUMPED : CLD_KILLED;
		values[1] = signal;
	}
	report_once(SHIM_PROCESS_EXITED, values);
}

void tl_on_signal_sent(void *data, int number, struct kernel_siginfo *info, struct task_struct *to,
		   int group, int result)
{
	trapline_happened(SHIM_SIGNAL_SENT, (u64[5]){ to->pid, to->tgid, number, result,
					     (unsigned long)to });
}

/*
 * In a dying process each thread takes SIGKILL, whatever the reason. Returns the signal
 * that the process dies of, or 0 if it exits without one.
 */
static int dies_of(const struct signal_struct *signal)
{
	return signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code & 0x7f : 0;
}

/*
 * As in get_signal(): the init process of a PID namespace, the initial one included, drops
 * every fatal signal but SIGKILL, which is delivered to it only if the kernel or an ancestor
 * namespace sent it.
 */
static bool is_survived(int number)
{
	return (current->signal->flags & SIGNAL_UNKILLABLE) && !sig_kernel_only(number);
}

static bool is_fatal(int number, const struct k_sigaction *action)
{
	return action->sa.sa_handler == SIG_DFL && !sig_kernel_ignore(number) &&
	       !sig_kernel_stop(number) && !is_survived(number);
}

/*
 * An ignored signal is not reported as taken. `info` may be one of the SEND_SIG_*
 * constants instead of a pointer.
 */
void tl_on_signal_delivered(void *data, int number, struct kernel_siginfo *info, struct k_sigaction *action)
{
	unsigned long handler = (unsigned long)action->sa.sa_handler;
	unsigned long particulars = info <= SEND_SIG_PRIV ? 0 : (unsigned long)info;
	bool dies = is_fatal(number, action);
	u64 values[5] = { number, particulars, handler };

	if (number == SIGKILL && info == SEND_SIG_NOINFO)
		values[0] = dies_of(current->signal);
	if (!values[0] || action->sa.sa_handler == SIG_IGN)
		return;
	if (dies)
		report_once(SHIM_SIGNAL_HANDLED, values);
	else
		trapline_happened(SHIM_SIGNAL_HANDLED, values);
}
