// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* What destructive programs do to processes and to the machine. */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kgdb.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "internal.h"
#include "shim.h"

static bool destructive_disallow;
module_param(destructive_disallow, bool, 0644);
MODULE_PARM_DESC(destructive_disallow, "refuse destructive programs and their actions");

int shim_allows_destructive(void)
{
	return !READ_ONCE(destructive_disallow);
}

/* Signals that a CPU has still to send. */
#define PENDING_MAX 16

struct outbox {
	struct irq_work work;
	unsigned int count;
	bool is_sending;
	struct {
		struct pid *process;
		int signal;
	} pending[PENDING_MAX];
};

static DEFINE_PER_CPU(struct outbox, outboxes);

/*
 * A probe may interrupt whoever holds the lock of the process's signals, or of a run
 * queue that the woken thread has to go to: no signal can be sent from it. So it is sent
 * from an interrupt of its own (irq_work), which can be requested in any context, NMIs
 * included, and comes when none of these locks can be held: they are only ever taken with
 * interrupts disabled. Where a CPU cannot interrupt itself, as on ARM without SMP, it is
 * the next tick that sends the signal.
 *
 * Requests and their sending are on one CPU, both with interrupts disabled. What is
 * requested by a probe in here is refused, or it would not end.
 */
static void send(struct irq_work *work)
{
	struct outbox *box = container_of(work, struct outbox, work);
	unsigned int i;

	WRITE_ONCE(box->is_sending, true);
	barrier();
	for (i = 0; i < box->count; i++) {
		kill_pid(box->pending[i].process, box->pending[i].signal, 1);
		put_pid(box->pending[i].process);
	}
	box->count = 0;
	barrier();
	WRITE_ONCE(box->is_sending, false);
}

/* A process has each signal pending at most once, so one request will do. */
static bool is_pending(const struct outbox *box, const struct pid *process, int signal)
{
	unsigned int i;

	for (i = 0; i < box->count; i++)
		if (box->pending[i].process == process && box->pending[i].signal == signal)
			return true;
	return false;
}

/*
 * Called under the CPU's guard, so that no other request comes in between. The process's
 * struct pid exists: interrupts are disabled, and it is freed after a grace period.
 */
static int request(int signal)
{
	struct outbox *box = this_cpu_ptr(&outboxes);
	struct pid *process = task_tgid(current);

	/* Its interrupts are threads, which migrate. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	if (!current->mm || current->flags & (PF_KTHREAD | PF_EXITING) || !process)
		return -ESRCH;
	/* The kernel would let it be killed, by us. */
	if (is_global_init(current))
		return -EPERM;
	if (READ_ONCE(box->is_sending))
		return -EBUSY;
	if (is_pending(box, process, signal))
		return 0;
	if (box->count == PENDING_MAX)
		return -EAGAIN;
	box->pending[box->count].process = get_pid(process);
	box->pending[box->count].signal = signal;
	box->count++;
	irq_work_queue(&box->work);
	return 0;
}

int shim_raise(u32 signal)
{
	return signal && valid_signal(signal) ? request(signal) : -EINVAL;
}

int shim_stop(void)
{
	return request(SIGSTOP);
}

/*
 * The rounds end it if the clock stands still while interrupts are disabled: there are
 * four times as many as it should take.
 */
void shim_spin(u64 nanoseconds)
{
	u64 begin = shim_now();
	u64 rounds = div_u64(nanoseconds, NSEC_PER_USEC / 4) + 1;

	while (rounds-- && shim_now() - begin < nanoseconds)
		udelay(1);
}

/* A function that never returned would have to be in objtool's own list of such. */
int shim_panic(u32 probe)
{
	if (READ_ONCE(destructive_disallow))
		return -EPERM;
	panic("dtrace: panic action at probe %u", probe);
}

/* Without a debugger, nobody would handle the breakpoint, and the kernel would die of it. */
int shim_breakpoint(void)
{
#ifdef CONFIG_KGDB
	if (kgdb_connected) {
		kgdb_breakpoint();
		return 0;
	}
#endif
	return -EOPNOTSUPP;
}

int tl_destructive_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		init_irq_work(&per_cpu(outboxes, cpu).work, send);
	return 0;
}

/* No clause runs any more. */
void tl_destructive_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(outboxes, cpu).work);
}
