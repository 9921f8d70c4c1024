// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The numbered system calls of this kernel. Kbuild generates their names and numbers from
 * the __NR_* macros in the kernel's headers (syscalls.sed, the *-syscalls.h in arch/).
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/syscall.h>

#include "internal.h"
#include "shim.h"

struct call {
	u32 number;
	const char *name;
};

#define CALL(name, number) { number, #name },

static const struct call native[] = {
#include "native-calls.h"
};

static const struct call compat[] = {
#include "compat-calls.h"
};

static const struct {
	const struct call *calls;
	size_t count;
} abis[] = {
	{ native, ARRAY_SIZE(native) },
	{ compat, ARRAY_SIZE(compat) },
};

int shim_each_syscall(shim_syscall_fn visit, void *context)
{
	unsigned int abi;
	size_t i;

	for (abi = 0; abi < ARRAY_SIZE(abis) && tl_syscall_abis[abi]; abi++) {
		for (i = 0; i < abis[abi].count; i++) {
			const char *texts[] = { tl_syscall_abis[abi], abis[abi].calls[i].name };
			struct shim_name names[] = {
				{ texts[0], strlen(texts[0]) },
				{ texts[1], strlen(texts[1]) },
			};
			int stop = visit(context, abi, abis[abi].calls[i].number, names);

			if (stop)
				return stop;
		}
	}
	return 0;
}

u64 shim_syscall_argument(const struct pt_regs *regs, unsigned int number)
{
	unsigned long arguments[6];

	if (number >= ARRAY_SIZE(arguments))
		return 0;
	syscall_get_arguments(current, (struct pt_regs *)regs, arguments);
	return arguments[number];
}
