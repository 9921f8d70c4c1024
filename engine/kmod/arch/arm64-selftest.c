// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * arm64's self-test. One undefined instruction enters the run: its handler replaces the
 * registers. Another, with which the page is filled, ends it wherever the tested instruction
 * branches to. So no code runs between the instruction and the state that is captured. The
 * exception return does not restore sp from the frame, so sp is changed around the first one.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/ptrace.h>
#include <asm/sysreg.h>
#include <asm/traps.h>

#include "../compat/break_hook.h"
#include "../compat/neon.h"
#include "../selftest.h"
#include "../internal.h"
#include "../shim.h"
#include "arm64-ways.h"

/* UDF with the immediates of the two, and the values of `ended`: by LEAVE, or by another. */
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

/*
 * The frame's end, which not every exception writes, is memory that an instruction may leave above
 * the stack pointer. The handlers would write zero there.
 */
static void enter(struct pt_regs *regs)
{
	const size_t end = offsetofend(struct pt_regs, stackframe);

	memset((void *)regs + end, 0, sizeof(*regs) - end);
	outside = regs->user_regs;
	memcpy(regs->regs, running->registers, sizeof(running->registers));
	regs->pc = running->pc;
	regs->pstate = (regs->pstate & ~FLAGS) | (running->pstate & FLAGS);
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

/* Of whichever thread, and of the kernel; 0 if it is one of the run. */
static int undefined(struct pt_regs *regs, u32 instruction)
{
	if (running_on != raw_smp_processor_id())
		return 1;
	if (instruction == ENTER)
		enter(regs);
	else
		end(regs, instruction == LEAVE ? LEFT : UNDEFINED);
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

/* Clobbers only x19: leaving the run restores all other registers as they were at ENTER. */
static void enter_on(u64 sp)
{
	asm volatile("mov x19, sp\n\t"
		     "mov sp, %0\n\t"
		     ".inst %1\n\t"
		     "mov sp, x19"
		     : : "r"(sp), "i"(ENTER) : "x19", "memory");
}

static void run(void *state)
{
	struct user_fpsimd_state vectors;
	unsigned long flags;

	compat_neon_begin(&vectors);
	local_irq_save(flags);
	running = state;
	running_on = smp_processor_id();
	load_vectors(state);
	write_sysreg(running->par, par_el1);
	isb();
	enter_on(running->sp);
	running->par = read_sysreg_par();
	store_vectors(state);
	local_irq_restore(flags);
	compat_neon_end(&vectors);
}

#ifdef TL_HAS_BREAK_HOOK
static typeof(&register_undef_hook) register_undefined;
static typeof(&unregister_undef_hook) unregister_undefined;

static struct undef_hook hook = { .fn = undefined };

static int prepare(void)
{
	register_undefined = (void *)tl_symbol("register_undef_hook");
	unregister_undefined = (void *)tl_symbol("unregister_undef_hook");
	return register_undefined && unregister_undefined ? 0 : -ENOENT;
}

static int hook_up(void)
{
	register_undefined(&hook);
	return 0;
}

static void unhook(void)
{
	unregister_undefined(&hook);
}
#else
typedef void undefined_handler(struct pt_regs *regs, unsigned long esr);
static undefined_handler handle;

static struct tl_way way = { { "el1_undef", "el1h_64_sync_handler" }, "do_el1_undef", handle };
static struct tl_bridge *bridge;

static void handle(struct pt_regs *regs, unsigned long esr)
{
	u32 instruction;

	if (get_kernel_nofault(instruction, (u32 *)regs->pc) || undefined(regs, instruction))
		((undefined_handler *)way.handle)(regs, esr);
}

static int prepare(void)
{
	return tl_find_way(&way);
}

static int hook_up(void)
{
	int error;

	bridge = tl_build_bridges(&way, 1);
	if (!bridge)
		return -ENOMEM;
	error = tl_lead_ways(&way, bridge, 1, true);
	if (error)
		shim_code_free((unsigned long)bridge);
	return error;
}

/* No run is under way, and no other undefined instruction of the kernel comes back. */
static void unhook(void)
{
	if (tl_lead_ways(&way, bridge, 1, false))
		tl_leave_bridges(&way, bridge, 1);
	else
		shim_code_free((unsigned long)bridge);
}
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
