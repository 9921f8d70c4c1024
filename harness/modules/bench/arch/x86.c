// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* x86's trap: INT3, after which the saved IP already points to the next instruction. */
#include <linux/compiler.h>
#include <linux/kdebug.h>
#include <linux/notifier.h>

#include <asm/ibt.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

#include "../bench.h"

/* The address after the trap, which is the IP that the notifier sees. */
extern const char trapline_bench_behind[];

/* After the landing pad, where there is one, and ftrace's call. */
const unsigned long bench_body = ENDBR_INSN_SIZE + CALL_INSN_SIZE;

noinline void trapline_bench_trapped(void)
{
	asm volatile("int3\n\t.globl trapline_bench_behind\ntrapline_bench_behind:");
}

static int skip(struct notifier_block *self, unsigned long event, void *data)
{
	struct die_args *args = data;

	if (event != DIE_INT3 || args->regs->ip != (unsigned long)trapline_bench_behind)
		return NOTIFY_DONE;
	return NOTIFY_STOP;
}

static struct notifier_block hook = { .notifier_call = skip, .priority = INT_MAX };

const bool bench_has_trap = true;

int bench_trap_init(void)
{
	return register_die_notifier(&hook);
}

void bench_trap_exit(void)
{
	unregister_die_notifier(&hook);
}
