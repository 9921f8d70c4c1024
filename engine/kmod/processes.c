// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* What processes live through, as tracepoints tell it. Whoever they call cannot lose the CPU meanwhile. */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "shim.h"

/* Processes, each where its identity says, until another comes there. */
#define PLACES_BITS 10
struct processes {
	atomic64_t places[1 << PLACES_BITS];
};

static struct processes killed, ended;

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
 * The kernel tells of each thread, where a process is meant: one of them tells, that
 * which comes here first.
 */
static bool is_first(struct processes *of, const struct task_struct *task)
{
	u64 identity = trapline_identity(task->group_leader);

	return atomic64_xchg(&of->places[hash_64(identity, PLACES_BITS)], identity) != identity;
}

/* Threads that end at one time may all find that none is left. */
void trapline_exited(void *data, struct task_struct *task)
{
	unsigned int code = task->signal->group_exit_code;
	unsigned int signal = code & 0x7f;
	u64 told[4] = { CLD_EXITED, code >> 8 & 0xff };

	if (atomic_read(&task->signal->live) || !is_first(&ended, task))
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

/*
 * A process that is to die has each of its threads take SIGKILL, whatever it dies of:
 * which signal that is, or 0 where it is none.
 */
static int dies_of(const struct signal_struct *signal)
{
	return signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code & 0x7f : 0;
}

static bool is_fatal(int number, const struct k_sigaction *action)
{
	return action->sa.sa_handler == SIG_DFL && !sig_kernel_ignore(number) &&
	       !sig_kernel_stop(number);
}

/* One that is ignored is not taken; of one without particulars the kernel has no structure. */
void trapline_handled(void *data, int number, struct kernel_siginfo *info, struct k_sigaction *action)
{
	unsigned long handler = (unsigned long)action->sa.sa_handler;
	unsigned long particulars = (unsigned long)info;

	if (number == SIGKILL && info == SEND_SIG_NOINFO)
		number = dies_of(current->signal);
	if (!number || action->sa.sa_handler == SIG_IGN)
		return;
	if (is_fatal(number, action) && !is_first(&killed, current))
		return;
	if (info <= SEND_SIG_PRIV)
		particulars = 0;
	trapline_happened(SHIM_SIGNAL_HANDLED, (u64[4]){ number, particulars, handler });
}
