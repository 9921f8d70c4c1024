// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * ARM's self-test. One undefined instruction enters the run: its handler replaces all
 * registers. Another, with which the page is filled, ends it wherever the tested
 * instruction branches to. So no code runs between the instruction and the state that is
 * captured. Other hooks come before the one that catches both.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/string.h>

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
	u64 doubles[16];
};

static typeof(&register_undef_hook) register_hook;
static typeof(&unregister_undef_hook) unregister_hook;

/* The current run: its stage, its state, and the registers of run() to return to. */
static enum { IDLE, ENTERS, RUNS } stage;
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
	stage = IDLE;
}

static int caught(struct pt_regs *regs, unsigned int instruction)
{
	if (stage == ENTERS && instruction == ENTER)
		enter(regs);
	else if (stage == RUNS)
		leave(regs, instruction);
	else
		return 1;
	return 0;
}

static struct undef_hook hook = {
	.cpsr_mask = MODE_MASK | PSR_T_BIT,
	.cpsr_val = SVC_MODE,
	.fn = caught,
};

/*
 * Writes FPEXC, which enables or disables VFP, and returns its old value. VFP is disabled in
 * the kernel and nothing in the guest uses it, so its registers need not be preserved.
 */
static u32 floating_point(u32 on)
{
	u32 before;

	asm volatile(".fpu vfpv2\n\tvmrs %0, fpexc\n\tvmsr fpexc, %1"
		     : "=&r"(before) : "r"(on));
	return before;
}

static void load_doubles(const struct native_state *state)
{
	asm volatile(".fpu vfpv2\n\tvldmia %0, {d0-d15}\n\tvmsr fpscr, %1"
		     : : "r"(state->doubles), "r"(state->fpscr), "m"(state->doubles));
}

static void store_doubles(struct native_state *state)
{
	asm volatile(".fpu vfpv2\n\tvstmia %2, {d0-d15}\n\tvmrs %0, fpscr"
		     : "=r"(state->fpscr), "=m"(state->doubles) : "r"(state->doubles));
}

#define FLOATING_POINT_ON BIT(30)

static void run(void *state)
{
	unsigned long flags;
	u32 before;

	local_irq_save(flags);
	running = state;
	stage = ENTERS;
	before = floating_point(FLOATING_POINT_ON);
	load_doubles(state);
	asm volatile(".inst %c0" : : "i"(ENTER) : "memory");
	store_doubles(state);
	floating_point(before);
	local_irq_restore(flags);
}

static int prepare(void)
{
	register_hook = (void *)tl_symbol("register_undef_hook");
	unregister_hook = (void *)tl_symbol("unregister_undef_hook");
	return register_hook && unregister_hook ? 0 : -ENOENT;
}

static int hook_up(void)
{
	register_hook(&hook);
	return 0;
}

static void unhook(void)
{
	unregister_hook(&hook);
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
