// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* arm64's trap: BRK with an otherwise unused immediate. */
#include <linux/compiler.h>
#include <linux/errno.h>

#include <asm/debug-monitors.h>
#include <asm/ptrace.h>

#include "../bench.h"

#define NUMBER 0x7b5

/* After ftrace's two NOPs. */
const unsigned long bench_body = 2 * AARCH64_INSN_SIZE;

noinline void trapline_bench_trapped(void)
{
	asm volatile("brk %0" : : "i"(NUMBER));
}

#ifdef HAS_BREAK_HOOKS
const bool bench_has_trap = true;

static typeof(&register_kernel_break_hook) register_hook;
static typeof(&unregister_kernel_break_hook) unregister_hook;

static int skip(struct pt_regs *regs, unsigned long esr)
{
	regs->pc += AARCH64_INSN_SIZE;
	return DBG_HOOK_HANDLED;
}

static struct break_hook hook = { .imm = NUMBER, .fn = skip };

int bench_trap_init(void)
{
	register_hook = bench_symbol("register_kernel_break_hook");
	unregister_hook = bench_symbol("unregister_kernel_break_hook");
	if (!register_hook || !unregister_hook)
		return -ENOENT;
	register_hook(&hook);
	return 0;
}

void bench_trap_exit(void)
{
	unregister_hook(&hook);
}
#else
const bool bench_has_trap;

int bench_trap_init(void)
{
	return 0;
}

void bench_trap_exit(void) { }
#endif
