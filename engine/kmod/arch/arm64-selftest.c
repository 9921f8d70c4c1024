// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * arm64's self-test. One BRK enters the run: its handler replaces the registers. Another,
 * with which the page is filled, ends it wherever the tested instruction branches to. So
 * no code runs between the instruction and the state that is captured. The exception
 * return does not restore sp from the frame, so sp is changed around the first BRK.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/debug-monitors.h>
#include <asm/neon.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>
#include <asm/traps.h>

#include "../compat/break_hook.h"
#include "../selftest.h"
#include "../internal.h"
#include "../shim.h"

/* The immediates of the two BRKs, and the values of `ended`: by BRK, or undefined instruction. */
#define ENTER 0xd7cf
#define LEAVE 0xd7d0
#define LEFT 1
#define UNDEFINED 2

/* The bits of PSTATE that a run sets. */
#define FLAGS (PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT)

/* `mov x9, x30` */
static const u32 first = 0xaa1e03e9;

struct native_state {
	u64 registers[31];
	u64 sp;
	u64 pc;
	u64 pstate;
	u32 fpcr;
	u32 fpsr;
	u64 ended;
	u64 par;
	u64 reserved;
	__uint128_t vectors[32];
};

/* The current run: its CPU, its state, and the registers of run() to return to. */
static int running_on = -1;
static struct native_state *running;
static struct user_pt_regs outside;

static int __maybe_unused enter(struct pt_regs *regs, unsigned long esr)
{
	outside = regs->user_regs;
	memcpy(regs->regs, running->registers, sizeof(running->registers));
	regs->pc = running->pc;
	regs->pstate = (regs->pstate & ~FLAGS) | (running->pstate & FLAGS);
	running_on = smp_processor_id();
	return DBG_HOOK_HANDLED;
}

/*
 * Restores only the user_regs part of the frame: the rest describes this exception, which
 * may be of another kind than the one that entered.
 */
static void end(struct pt_regs *regs, u64 how)
{
	memcpy(running->registers, regs->regs, sizeof(running->registers));
	running->sp = regs->sp;
	running->pc = regs->pc;
	running->pstate = regs->pstate;
	running->ended = how;
	regs->user_regs = outside;
	regs->pc += sizeof(u32);
	running_on = -1;
}

static bool is_mine(void)
{
	return running_on == raw_smp_processor_id();
}

static int __maybe_unused leave(struct pt_regs *regs, unsigned long esr)
{
	if (!is_mine())
		return DBG_HOOK_ERROR;
	end(regs, LEFT);
	return DBG_HOOK_HANDLED;
}

/* The tested instruction is undefined on this processor. */
static int __maybe_unused undefined(struct pt_regs *regs, u32 instruction)
{
	if (!is_mine())
		return 1;
	end(regs, UNDEFINED);
	return 0;
}

static void load_vectors(const struct native_state *state)
{
	asm volatile(".arch_extension simd\n\t"
		     "ldp q0, q1, [%0]\n\tldp q2, q3, [%0, #32]\n\t"
		     "ldp q4, q5, [%0, #64]\n\tldp q6, q7, [%0, #96]\n\t"
		     "ldp q8, q9, [%0, #128]\n\tldp q10, q11, [%0, #160]\n\t"
		     "ldp q12, q13, [%0, #192]\n\tldp q14, q15, [%0, #224]\n\t"
		     "ldp q16, q17, [%0, #256]\n\tldp q18, q19, [%0, #288]\n\t"
		     "ldp q20, q21, [%0, #320]\n\tldp q22, q23, [%0, #352]\n\t"
		     "ldp q24, q25, [%0, #384]\n\tldp q26, q27, [%0, #416]\n\t"
		     "ldp q28, q29, [%0, #448]\n\tldp q30, q31, [%0, #480]\n\t"
		     "msr fpcr, %1\n\tmsr fpsr, %2"
		     : : "r"(state->vectors), "r"((u64)state->fpcr), "r"((u64)state->fpsr),
		       "m"(state->vectors));
}

static void store_vectors(struct native_state *state)
{
	u64 fpcr, fpsr;

	asm volatile(".arch_extension simd\n\t"
		     "stp q0, q1, [%3]\n\tstp q2, q3, [%3, #32]\n\t"
		     "stp q4, q5, [%3, #64]\n\tstp q6, q7, [%3, #96]\n\t"
		     "stp q8, q9, [%3, #128]\n\tstp q10, q11, [%3, #160]\n\t"
		     "stp q12, q13, [%3, #192]\n\tstp q14, q15, [%3, #224]\n\t"
		     "stp q16, q17, [%3, #256]\n\tstp q18, q19, [%3, #288]\n\t"
		     "stp q20, q21, [%3, #320]\n\tstp q22, q23, [%3, #352]\n\t"
		     "stp q24, q25, [%3, #384]\n\tstp q26, q27, [%3, #416]\n\t"
		     "stp q28, q29, [%3, #448]\n\tstp q30, q31, [%3, #480]\n\t"
		     "mrs %0, fpcr\n\tmrs %1, fpsr"
		     : "=&r"(fpcr), "=&r"(fpsr), "=m"(state->vectors)
		     : "r"(state->vectors));
	state->fpcr = fpcr;
	state->fpsr = fpsr;
}

/* Clobbers only x19: leaving the run restores all other registers as they were at the BRK. */
static void enter_on(u64 sp)
{
	asm volatile("mov x19, sp\n\t"
		     "mov sp, %0\n\t"
		     "brk %1\n\t"
		     "mov sp, x19"
		     : : "r"(sp), "i"(ENTER) : "x19", "memory");
}

static void run(void *state)
{
	unsigned long flags;

	kernel_neon_begin();
	local_irq_save(flags);
	running = state;
	load_vectors(state);
	write_sysreg(running->par, par_el1);
	isb();
	enter_on(running->sp);
	running->par = read_sysreg_par();
	store_vectors(state);
	local_irq_restore(flags);
	kernel_neon_end();
}

#ifdef TL_HAS_BREAK_HOOK
static typeof(&register_kernel_break_hook) register_break;
static typeof(&unregister_kernel_break_hook) unregister_break;
static typeof(&register_undef_hook) register_undefined;
static typeof(&unregister_undef_hook) unregister_undefined;

static struct break_hook enter_hook = { .imm = ENTER, .fn = enter };
static struct break_hook leave_hook = { .imm = LEAVE, .fn = leave };
static struct undef_hook undefined_hook = { .fn = undefined };

static int prepare(void)
{
	register_break = (void *)tl_symbol("register_kernel_break_hook");
	unregister_break = (void *)tl_symbol("unregister_kernel_break_hook");
	register_undefined = (void *)tl_symbol("register_undef_hook");
	unregister_undefined = (void *)tl_symbol("unregister_undef_hook");
	return register_break && unregister_break && register_undefined &&
	       unregister_undefined ? 0 : -ENOENT;
}

static int hook_up(void)
{
	register_break(&enter_hook);
	register_break(&leave_hook);
	register_undefined(&undefined_hook);
	return 0;
}

static void unhook(void)
{
	unregister_undefined(&undefined_hook);
	unregister_break(&leave_hook);
	unregister_break(&enter_hook);
}
#else
/* Support needs what arch/arm64.c does for its own traps, for undefined instructions too. */
static int prepare(void)
{
	return 0;
}

static int hook_up(void)
{
	return -EOPNOTSUPP;
}

static void unhook(void) { }
#endif

const struct trapline_native trapline_native = {
	.state = sizeof(struct native_state),
	.first = &first,
	.first_length = sizeof(first),
	.prepare = prepare,
	.hook = hook_up,
	.unhook = unhook,
	.run = run,
};
