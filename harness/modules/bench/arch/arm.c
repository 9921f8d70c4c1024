// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* ARM's trap: `udf #5`, an undefined instruction with no other hook. */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/init.h>

#include <asm/ptrace.h>
#include <asm/traps.h>

#include "../bench.h"

#define TRAP 0xe7f000f5

static typeof(&register_undef_hook) register_hook;
static typeof(&unregister_undef_hook) unregister_hook;

/* The prologue's push comes first; ftrace's two instructions follow it. */
const unsigned long bench_body = 0;

noinline void trapline_bench_trapped(void)
{
	asm volatile(".inst %c0" : : "i"(TRAP));
}

static int skip(struct pt_regs *regs, unsigned int instruction)
{
	regs->ARM_pc += sizeof(u32);
	return 0;
}

static struct undef_hook hook = {
	.instr_mask = 0xffffffff,
	.instr_val = TRAP,
	.cpsr_mask = MODE_MASK | PSR_T_BIT,
	.cpsr_val = SVC_MODE,
	.fn = skip,
};

const bool bench_has_trap = true;

int bench_trap_init(void)
{
	register_hook = bench_symbol("register_undef_hook");
	unregister_hook = bench_symbol("unregister_undef_hook");
	if (!register_hook || !unregister_hook)
		return -ENOENT;
	register_hook(&hook);
	return 0;
}

void bench_trap_exit(void)
{
	unregister_hook(&hook);
}
