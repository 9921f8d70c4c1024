// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* What processes live through, as tracepoints tell it. Whoever they call cannot lose the CPU meanwhile. */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "shim.h"

/* Processes that have ended, each where its identity says, until another comes there. */
#define ENDED_BITS 10
static atomic64_t ended[1 << ENDED_BITS];

void trapline_created(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (child->pid == child->tgid)
		trapline_happened(SHIM_PROCESS_CREATED, (u64[4]){ child->tgid });
}

void trapline_begun(void *data, struct task_struct *task, pid_t before, struct linux_binprm *program)
{
	trapline_happened(SHIM_PROGRAM_BEGUN, (u64[4]){ });
}

/*
 * Threads that end at one time may all find that none is left when they come here:
 * one of them tells.
 */
static bool is_first(const struct task_struct *leader)
{
	u64 identity = trapline_identity(leader);

	return atomic64_xchg(&ended[hash_64(identity, ENDED_BITS)], identity) != identity;
}

/* As who waits for the process is told it. */
static int code_of(const struct task_struct *leader)
{
	const struct signal_struct *signal = leader->signal;

	return signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code : leader->exit_code;
}

void trapline_exited(void *data, struct task_struct *task)
{
	const struct task_struct *leader = task->group_leader;
	unsigned int code = code_of(leader);
	unsigned int signal = code & 0x7f;
	u64 told[4] = { CLD_EXITED, code >> 8 & 0xff };

	if (atomic_read(&task->signal->live) || !is_first(leader))
		return;
	if (signal) {
		told[0] = code & 0x80 ? CLD_DUMPED : CLD_KILLED;
		told[1] = signal;
	}
	trapline_happened(SHIM_PROCESS_EXITED, told);
}

void trapline_sent(void *data, int number, struct kernel_siginfo *info, struct task_struct *to,
		   int group, int result)
{
	trapline_happened(SHIM_SIGNAL_SENT, (u64[4]){ to->pid, to->tgid, number, result });
}

/* One that is ignored is not taken; of one without particulars the kernel has no structure. */
void trapline_handled(void *data, int number, struct kernel_siginfo *info, struct k_sigaction *action)
{
	unsigned long handler = (unsigned long)action->sa.sa_handler;
	unsigned long particulars = (unsigned long)info;

	if (action->sa.sa_handler == SIG_IGN)
		return;
	if (info <= SEND_SIG_PRIV)
		particulars = 0;
	trapline_happened(SHIM_SIGNAL_HANDLED, (u64[4]){ number, particulars, handler });
}
