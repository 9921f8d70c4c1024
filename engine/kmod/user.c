// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Traps of traced processes, and their forks: a child must not run into its parent's traps.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include <asm/ptrace.h>

#include "internal.h"
#include "shim.h"
#include "space.h"
#include "trapline.h"
#include "unexported.h"

UNEXPORTED(force_sig_fault);
static struct tracepoint *forks;

/* How often it has begun; under the control lock. */
static unsigned int users;

/* How long a thread is held at most. */
#define HELD_MAX HZ

DECLARE_WAIT_QUEUE_HEAD(tl_held);

/* Threads whose trap sleeps. */
static atomic_t waiting = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(none_waits);

/*
 * Without CONFIG_HARDENED_USERCOPY's check of the source, which is the engine's: it may
 * take locks, as nofault.c says. If this fails, some bytes may have been stored.
 */
int shim_store_user(unsigned long address, const void *from, size_t length)
{
	void __user *to = (void __user *)untagged_addr(address);
	unsigned long left;

	if (!__access_ok(to, length))
		return -EFAULT;
	pagefault_disable();
	left = raw_copy_to_user(to, from, length);
	pagefault_enable();
	return left ? -EFAULT : 0;
}

/* Lets the trap sleep. Until it no longer may, tl_user_end() waits, and the module stays. */
static void begin_sleep(void)
{
	atomic_inc(&waiting);
	tl_unmask_trap();
}

static void end_sleep(void)
{
	tl_mask_trap();
	if (atomic_dec_and_test(&waiting))
		wake_up(&none_waits);
}

/* Has the kernel bring in the memory, as the instruction's own access would. May sleep. */
static bool bring_in(const struct shim_access *access)
{
	char __user *place = (char __user *)(unsigned long)access->address;
	size_t missing;

	begin_sleep();
	/* By a fault of its own, which grows a stack. fault_in_safe_writeable() takes none. */
	missing = fault_in_readable(place, access->length);
	if (access->is_store)
		missing = fault_in_safe_writeable(place, access->length);
	end_sleep();
	return !missing;
}

void shim_wake_held(void)
{
	wake_up_all(&tl_held);
}

/* A fatal signal ends the wait; others come when it is over. */
void tl_wait_for(u32 ticket)
{
	shim_wake_held();
	if (wait_event_killable_timeout(tl_held, trapline_is_released(ticket), HELD_MAX) <= 0)
		trapline_give_up(ticket);
}

/*
 * Lets the thread wait until consumers have answered. It holds no lock, and its registers
 * are final.
 */
static void hold(u32 ticket)
{
	begin_sleep();
	tl_wait_for(ticket);
	end_sleep();
}

/* The fault that the instruction would take. Its thread is at the instruction again. */
static void fault(const struct shim_access *access)
{
	struct mm_struct *mm = current->mm;
	bool is_mapped;

	begin_sleep();
	mmap_read_lock(mm);
	is_mapped = vma_lookup(mm, access->address);
	mmap_read_unlock(mm);
	tl_unexported(force_sig_fault)(SIGSEGV, is_mapped ? SEGV_ACCERR : SEGV_MAPERR,
		   (void __user *)(unsigned long)access->address);
	end_sleep();
}

/* A thread that executes an instruction again, whose trap was removed by so many changes of text. */
static struct again {
	const struct task_struct *task;
	unsigned long site;
	unsigned long changed;
} agains[16];

/*
 * Whether the current thread has executed the instruction again before, and no text was changed
 * since: then it is the instruction itself that traps. Where another thread has taken the entry,
 * it is executed once more.
 */
static bool is_again(unsigned long site, unsigned long changed)
{
	struct again *last = &agains[hash_ptr(current, ilog2(ARRAY_SIZE(agains)))];
	const struct again now = { current, site, changed };
	unsigned long state;
	bool is_same;

	raw_spin_lock_irqsave(&tl_space_lock, state);
	is_same = last->task == now.task && last->site == now.site && last->changed == now.changed;
	*last = now;
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	return is_same;
}

/*
 * Whether a trap of ours was at `site` when it was hit, and has been removed since: then the
 * instruction is there again.
 */
static bool is_removed(unsigned long site)
{
	unsigned long changed;
	struct displaced it;
	u32 word;

	if (list_empty(&tl_spaces))
		return false;
	begin_sleep();
	changed = tl_space_displaced(current->mm, site, &it);
	end_sleep();
	return changed && !shim_load_user(site, &word, it.length) &&
	       memcmp(&word, &it.trap, it.length) && !is_again(site, changed);
}

/* The trap behind a copy that cannot end in a jump. */
static bool leaves_slot(struct pt_regs *regs, unsigned long site)
{
	struct tl_place to;
	bool is_behind;

	if (!tl_slot_way(current->mm, site, &to, &is_behind) || !is_behind)
		return false;
	tl_continue(regs, &to);
	return true;
}

/* If the thread is being stepped, the step ends behind an instruction that was emulated. */
static void end_step(struct pt_regs *regs)
{
	unsigned long pc = instruction_pointer(regs);
	struct tl_place to;
	bool is_behind;

	if (tl_is_stepped(regs) && !tl_slot_way(current->mm, pc, &to, &is_behind) &&
	    tl_end_step(regs))
		tl_unexported(force_sig_fault)(SIGTRAP, TRAP_TRACE, (void __user *)pc);
}

static int fire(struct pt_regs *regs, unsigned long site, struct shim_access *access)
{
	return trapline_user_trap(regs, access);
}

static int resume(struct pt_regs *regs, unsigned long site, struct shim_access *access)
{
	return trapline_user_resume(regs, site, access);
}

int tl_user_trap(struct pt_regs *regs)
{
	unsigned long site = instruction_pointer(regs) - tl_trap_advance;
	struct shim_access access;
	int outcome;
	u32 ticket;

	/* Two calls, so that neither is through a pointer. */
	outcome = tl_unmark(site) ? tl_with_user_keys(resume, regs, site, &access) :
				    tl_with_user_keys(fire, regs, site, &access);
	ticket = access.ticket;
	while (outcome == SHIM_MISSING) {
		if (fatal_signal_pending(current))
			return 0;
		if (!bring_in(&access)) {
			fault(&access);
			return 0;
		}
		outcome = tl_with_user_keys(resume, regs, site, &access);
		/* Its trap has been removed meanwhile, and with it perhaps the space. */
		if (outcome == SHIM_STRAY)
			return 0;
	}
	if (outcome != SHIM_STRAY) {
		/* Before the wait, in which slots can be unmapped, and the thread moved. */
		end_step(regs);
		if (ticket)
			hold(ticket);
		return 0;
	}
	if (leaves_slot(regs, site))
		return 0;
	if (!is_removed(site))
		return 1;
	instruction_pointer_set(regs, site);
	return 0;
}

struct cleaning {
	struct callback_head work;
	struct space *space;
};

/*
 * Runs in the child, before it enters user mode; or in its exit, without an mm. It is held only when
 * it is clean: what is armed then is its own.
 */
static void clean(struct callback_head *work)
{
	struct cleaning *cleaning = container_of(work, struct cleaning, work);
	unsigned long state;

	if (current->mm)
		tl_space_clean(cleaning->space, current->mm);
	raw_spin_lock_irqsave(&tl_space_lock, state);
	cleaning->space->children--;
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	wake_up(&tl_children_cleaned);
	kfree(cleaning);
	tl_memory_count(-1);
	if (current->mm)
		tl_begin_process();
}

/* The space of a parent whose child has an address space of its own; it is kept until released. */
static struct space *keep_space(const struct task_struct *parent, const struct task_struct *child)
{
	struct space *space = NULL;
	unsigned long state;

	if (!child->mm || child->mm == parent->mm)
		return NULL;
#ifdef TRAPLINE_MUTANTS
	if (trapline_keeps_traps())
		return NULL;
#endif
	raw_spin_lock_irqsave(&tl_space_lock, state);
	space = tl_space_of(parent->mm);
	if (space)
		space->children++;
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	return space;
}

/* The sched_process_fork probe. The child has not run yet. */
static void forked(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct space *space = keep_space(parent, child);
	struct cleaning *cleaning;
	unsigned long state;

	if (!space)
		return;
	cleaning = kmalloc(sizeof(*cleaning), GFP_ATOMIC | __GFP_NOWARN);
	if (cleaning) {
		tl_memory_count(1);
		cleaning->space = space;
		init_task_work(&cleaning->work, clean);
		if (!task_work_add(child, &cleaning->work, TWA_RESUME))
			return;
		kfree(cleaning);
		tl_memory_count(-1);
	} else {
		pr_warn_ratelimited("trapline: no memory to clean process %d, which may die of a trap\n",
				    child->tgid);
	}
	raw_spin_lock_irqsave(&tl_space_lock, state);
	space->children--;
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
}

static void find(struct tracepoint *point, void *data)
{
	if (!strcmp(point->name, "sched_process_fork"))
		forks = point;
}

int tl_user_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
	return tl_resolve(force_sig_fault) && forks ? tl_interrupted_init() : -ENOENT;
}

int tl_user_begin(void)
{
	int error = 0;

	if (!users)
		error = tracepoint_probe_register(forks, forked, NULL);
	if (error)
		return error;
	if (!users)
		error = tl_interrupted_begin();
	if (error)
		tracepoint_probe_unregister(forks, forked, NULL);
	else
		users++;
	return error;
}

/* Waits for probes, for traps that sleep, and for the last instructions of either. */
void tl_user_end(void)
{
	if (--users)
		return;
	tracepoint_probe_unregister(forks, forked, NULL);
	tl_interrupted_end();
	tracepoint_synchronize_unregister();
	wait_event(none_waits, !atomic_read(&waiting));
	synchronize_rcu_tasks();
}
