// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * ARM's self-test. One undefined instruction enters the run: its handler replaces all
 * registers. Another, with which the page is filled, ends it wherever the tested
 * instruction branches to. So no code runs between the instruction and the state that is
 * captured.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/hwcap.h>
#include <asm/neon.h>
#include <asm/ptrace.h>
#include <asm/traps.h>

#include "../selftest.h"
#include "../internal.h"
#include "../shim.h"

/* `udf #3` enters a run. `udf #4` ends it; the page is filled with it from user space. */
#define ENTER 0xe7f000f3

/* `push {r4, lr}` */
static const u32 first = 0xe92d4010;

struct native_state {
	u32 registers[16];
	u32 cpsr;
	u32 fpscr;
	u32 instruction;
	u32 reserved;
	u64 doubles[32];
};

static typeof(&register_undef_hook) register_hook;
static typeof(&unregister_undef_hook) unregister_hook;

/* The current run: its CPU, its stage, its state, and the registers of run() to return to. */
static int running_on = -1;
static enum { ENTERS, RUNS } stage;
static struct native_state *running;
static struct pt_regs outside;

static void enter(struct pt_regs *regs)
{
	outside = *regs;
	memcpy(regs->uregs, running->registers, sizeof(running->registers));
	regs->ARM_cpsr = running->cpsr;
	stage = RUNS;
}

static void leave(struct pt_regs *regs, unsigned int instruction)
{
	memcpy(running->registers, regs->uregs, sizeof(running->registers));
	running->cpsr = regs->ARM_cpsr;
	running->instruction = instruction;
	*regs = outside;
	regs->ARM_pc += sizeof(u32);
	running_on = -1;
}

static int caught(struct pt_regs *regs, unsigned int instruction)
{
	if (running_on != raw_smp_processor_id())
		return 1;
	if (stage == RUNS)
		leave(regs, instruction);
	else if (instruction == ENTER)
		enter(regs);
	else
		return 1;
	return 0;
}

static struct undef_hook hook = {
	.cpsr_mask = MODE_MASK | PSR_T_BIT,
	.cpsr_val = SVC_MODE,
	.fn = caught,
};

#ifdef CONFIG_KERNEL_MODE_NEON
static void begin_floating_point(void)
{
	kernel_neon_begin();
}

static void end_floating_point(void)
{
	kernel_neon_end();
}
#else
#define FLOATING_POINT_ON BIT(30)

static u32 fpexc;

/*
 * Enables VFP, which is disabled in the kernel. Nothing uses it in the guest whose kernel lacks
 * kernel_neon_begin(), so its registers need not be preserved.
 */
static void begin_floating_point(void)
{
	preempt_disable();
	asm volatile(".fpu vfpv2\n\tvmrs %0, fpexc\n\tvmsr fpexc, %1"
		     : "=&r"(fpexc) : "r"(FLOATING_POINT_ON));
}

static void end_floating_point(void)
{
	asm volatile(".fpu vfpv2\n\tvmsr fpexc, %0" : : "r"(fpexc));
	preempt_enable();
}
#endif

static void load_doubles(const struct native_state *state)
{
	asm volatile(".fpu vfpv2\n\tvldmia %0, {d0-d15}\n\tvmsr fpscr, %1"
		     : : "r"(state->doubles), "r"(state->fpscr), "m"(state->doubles));
	if (elf_hwcap & HWCAP_VFPD32)
		asm volatile(".fpu vfpv3\n\tvldmia %0, {d16-d31}"
			     : : "r"(state->doubles + 16), "m"(state->doubles));
}

static void store_doubles(struct native_state *state)
{
	asm volatile(".fpu vfpv2\n\tvstmia %2, {d0-d15}\n\tvmrs %0, fpscr"
		     : "=r"(state->fpscr), "=m"(state->doubles) : "r"(state->doubles));
	if (elf_hwcap & HWCAP_VFPD32)
		asm volatile(".fpu vfpv3\n\tvstmia %1, {d16-d31}"
			     : "=m"(state->doubles) : "r"(state->doubles + 16));
}

/*
 * The kernel asks only the last hook that matches, and has one for floating point in the
 * kernel, which dies. The list's head is before the hook that was added last. While a run
 * lasts, nobody else adds a hook, or needs theirs.
 */
static void hook_last(void)
{
	register_hook(&hook);
	list_move_tail(&hook.node, hook.node.prev);
}

static void run(void *state)
{
	unsigned long flags;

	hook_last();
	begin_floating_point();
	local_irq_save(flags);
	running = state;
	stage = ENTERS;
	running_on = smp_processor_id();
	load_doubles(state);
	asm volatile(".inst %c0" : : "i"(ENTER) : "memory");
	store_doubles(state);
	local_irq_restore(flags);
	end_floating_point();
	unregister_hook(&hook);
}

static int prepare(void)
{
	register_hook = (void *)tl_symbol("register_undef_hook");
	unregister_hook = (void *)tl_symbol("unregister_undef_hook");
	return register_hook && unregister_hook ? 0 : -ENOENT;
}

static int hook_up(void)
{
	return 0;
}

static void unhook(void)
{
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
