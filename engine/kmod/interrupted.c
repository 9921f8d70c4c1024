// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What interrupts a thread in a slot: a signal, whose frame must not hold an address there,
 * and a stop for a debugger, which must not see one. Either finds the thread at the probed
 * instruction, or behind it.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include <asm/ptrace.h>

#include "internal.h"
#include "space.h"

static struct tracepoint *deliveries;

/*
 * A thread that was taken out of a slot before the copy was executed: its trap has fired
 * already, and is hit again when the handler returns or the debugger goes on. If neither
 * happens the mark stays, and the thread's next hit of that site uses it up.
 */
static struct mark {
	const struct task_struct *task;
	unsigned long site;
} marks[64];
static atomic_t marked = ATOMIC_INIT(0);
static DEFINE_RAW_SPINLOCK(mark_lock);

/* Threads that have ended leave marks too. So if there is no room, an early one makes some. */
static void mark(unsigned long site)
{
	static size_t early;
	unsigned long state;
	size_t i;

	raw_spin_lock_irqsave(&mark_lock, state);
	for (i = 0; i < ARRAY_SIZE(marks) && marks[i].task; i++)
		;
	if (i == ARRAY_SIZE(marks))
		i = early++ % ARRAY_SIZE(marks);
	else
		atomic_inc(&marked);
	marks[i] = (struct mark){ current, site };
	raw_spin_unlock_irqrestore(&mark_lock, state);
}

bool tl_unmark(unsigned long site)
{
	bool found = false;
	unsigned long state;
	size_t i;

	if (!atomic_read(&marked))
		return false;
	raw_spin_lock_irqsave(&mark_lock, state);
	for (i = 0; i < ARRAY_SIZE(marks) && !found; i++) {
		if (marks[i].task == current && marks[i].site == site) {
			marks[i].task = NULL;
			atomic_dec(&marked);
			found = true;
		}
	}
	raw_spin_unlock_irqrestore(&mark_lock, state);
	return found;
}

/* Whether the thread's own instruction caused the signal: it is to be executed again. */
static bool is_fault(const struct kernel_siginfo *info)
{
	if (info <= SEND_SIG_PRIV || info->si_code <= 0)
		return false;
	switch (info->si_signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
		return true;
	default:
		return false;
	}
}

/* Whether the signal comes from the instruction at `pc`; it then tells of `to` instead. */
static bool comes_from(struct kernel_siginfo *info, unsigned long pc, unsigned long to)
{
	if (!is_fault(info))
		return false;
	if (info->si_addr == (void __user *)pc)
		info->si_addr = (void __user *)to;
	return true;
}

/* A signal is queued when get_signal() begins, and dequeued when it is delivered. */
static bool one_comes_from(unsigned long pc, unsigned long to)
{
	struct sigqueue *queued;
	unsigned long state;
	bool one = false;

	spin_lock_irqsave(&current->sighand->siglock, state);
	list_for_each_entry(queued, &current->pending.list, list)
		one |= comes_from(&queued->info, pc, to);
	spin_unlock_irqrestore(&current->sighand->siglock, state);
	return one;
}

/* Moves a thread out of its slot, for a signal or for those that are queued. */
static void leave_slot(struct kernel_siginfo *info)
{
	struct pt_regs *regs = current_pt_regs();
	unsigned long pc = instruction_pointer(regs);
	struct tl_place to;
	bool is_behind, executes_again;

	if (!current->mm || !user_mode(regs) || !tl_slot_way(current->mm, pc, &to, &is_behind))
		return;
	tl_continue(regs, &to);
	executes_again = info ? comes_from(info, pc, to.pc) : one_comes_from(pc, to.pc);
	if (!is_behind && !executes_again)
		mark(to.pc);
}

/* The signal_deliver probe: runs in the thread, before the frame is built. */
static void delivered(void *data, int number, struct kernel_siginfo *info,
		      struct k_sigaction *action)
{
	leave_slot(info);
}

/* get_signal() tells the debugger of a signal, or of any other stop, before it delivers one. */
static void looked(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		   struct ftrace_regs *regs)
{
	leave_slot(NULL);
}

static struct ftrace_ops looks = { .func = looked };
static bool can_look, is_looking;

/* If it fails, ftrace has shut itself down and may still call us. */
static void end_looking(void)
{
	if (is_looking && unregister_ftrace_function(&looks))
		tl_pin();
	is_looking = false;
}

static void find(struct tracepoint *point, void *data)
{
	if (!strcmp(point->name, "signal_deliver"))
		deliveries = point;
}

/* A kernel that cannot trace get_signal() shows addresses in slots to a debugger. */
int tl_interrupted_init(void)
{
	static char name[] = "get_signal";

	for_each_kernel_tracepoint(find, NULL);
	can_look = !ftrace_set_filter(&looks, name, strlen(name), true);
	return deliveries ? 0 : -ENOENT;
}

/* The ops cannot be used afterwards. */
void tl_interrupted_exit(void)
{
	ftrace_free_filter(&looks);
}

int tl_interrupted_begin(void)
{
	int error = tracepoint_probe_register(deliveries, delivered, NULL);

	if (!error)
		is_looking = can_look && !register_ftrace_function(&looks);
	return error;
}

void tl_interrupted_end(void)
{
	end_looking();
	tracepoint_probe_unregister(deliveries, delivered, NULL);
	tracepoint_synchronize_unregister();
	memset(marks, 0, sizeof(marks));
	atomic_set(&marked, 0);
}
