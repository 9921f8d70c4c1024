// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * x86-64's self-test. One INT3 enters the run: its handler replaces the registers.
 * Another, with which the page is filled, ends it wherever the tested instruction branches
 * to. So no code runs between the instruction and the state that is captured. The die
 * notifier for both has the lowest priority. It also ends the run if the instruction is
 * undefined on this processor, or raises another exception.
 */
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

#include "../selftest.h"
#include "../shim.h"

/* The value of `ended` for an INT3; for another exception it is the vector. */
#define LEFT 0x100

/* The flags that a run sets. */
#define FLAGS (X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | X86_EFLAGS_ZF | \
	       X86_EFLAGS_SF | X86_EFLAGS_DF | X86_EFLAGS_OF)

/* XSAVE components: x87, SSE and AVX. */
#define EXTENDED_STATE 7

/* `push rbp` */
static const u8 first = 0x55;

struct native_state {
	struct pt_regs registers;
	u64 ended;
	u64 reserved[2];
	u8 extended[1024];
};

/* The current run: its stage, its CPU, its state, and the registers of run() to return to. */
static enum { IDLE, ENTERS, RUNS } stage;
static int running_on;
static struct native_state *running;
static struct pt_regs outside;

static void enter(struct pt_regs *regs)
{
	struct pt_regs *chosen = &running->registers;

	outside = *regs;
	*regs = *chosen;
	regs->orig_ax = outside.orig_ax;
	regs->cs = outside.cs;
	regs->ss = outside.ss;
	regs->flags = (outside.flags & ~FLAGS) | (chosen->flags & FLAGS);
	stage = RUNS;
}

static void leave(struct pt_regs *regs, u64 how)
{
	running->registers = *regs;
	running->ended = how;
	*regs = outside;
	stage = IDLE;
}

static int caught(struct notifier_block *self, unsigned long event, void *data)
{
	struct die_args *args = data;
	struct pt_regs *regs = args->regs;

	if (smp_load_acquire(&stage) == IDLE || running_on != raw_smp_processor_id() ||
	    user_mode(regs))
		return NOTIFY_DONE;
	if (event != DIE_INT3 && event != DIE_TRAP && event != DIE_GPF)
		return NOTIFY_DONE;
	if (stage == ENTERS)
		enter(regs);
	else
		leave(regs, event == DIE_INT3 ? LEFT : args->trapnr);
	return NOTIFY_STOP;
}

static struct notifier_block notifier = {
	.notifier_call = caught,
	.priority = INT_MIN,
};

/* XSAVE requires an alignment of 64. */
static u8 area[1024] __aligned(64);

static void load_extended(const struct native_state *state)
{
	memcpy(area, state->extended, sizeof(area));
	if (boot_cpu_has(X86_FEATURE_XSAVE))
		asm volatile("xrstor64 %0"
			     : : "m"(area), "a"(EXTENDED_STATE), "d"(0));
	else
		asm volatile("fxrstor64 %0" : : "m"(area));
}

static void store_extended(struct native_state *state)
{
	memset(area, 0, sizeof(area));
	if (boot_cpu_has(X86_FEATURE_XSAVE))
		asm volatile("xsave64 %0"
			     : "+m"(area) : "a"(EXTENDED_STATE), "d"(0));
	else
		asm volatile("fxsave64 %0" : "+m"(area));
	memcpy(state->extended, area, sizeof(area));
}

static void run(void *state)
{
	unsigned long flags;

	kernel_fpu_begin();
	local_irq_save(flags);
	running = state;
	running_on = smp_processor_id();
	load_extended(state);
	/* Pairs with caught(): another CPU that traps meanwhile and sees the stage sees running_on. */
	smp_store_release(&stage, ENTERS);
	asm volatile("int3" : : : "memory");
	store_extended(state);
	local_irq_restore(flags);
	kernel_fpu_end();
}

static int prepare(void)
{
	return 0;
}

static int hook_up(void)
{
	return register_die_notifier(&notifier);
}

static void unhook(void)
{
	unregister_die_notifier(&notifier);
}

const struct trapline_native trapline_native = {
	.state = sizeof(struct native_state),
	.first = &first,
	.first_length = sizeof(first),
	.prepare = prepare,
	.hook = hook_up,
	.unhook = unhook,
	.run = run,
};
