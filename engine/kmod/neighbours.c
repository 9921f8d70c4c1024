// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The kernel's own kprobes, whose traps stand where instructions do. */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "shim.h"

static typeof(&get_kprobe) find_kprobe;

int trapline_neighbours_init(void)
{
	find_kprobe = (void *)trapline_symbol("get_kprobe");
	return find_kprobe ? 0 : -ENOENT;
}

/* What a kprobe has displaced, where there is one. */
static void restore(unsigned long address, void *bytes)
{
	struct kprobe *probe;

	if (!trapline_is_kprobe_trap(bytes))
		return;
	probe = find_kprobe((void *)address);
	if (probe)
		memcpy(bytes, &probe->opcode, sizeof(probe->opcode));
}

/* A kprobe that is looked at stays until preemption is on again. */
int shim_peek_original(unsigned long address, void *bytes, size_t length)
{
	const size_t step = sizeof(kprobe_opcode_t);
	int error = shim_peek(address, bytes, length);
	size_t at;

	preempt_disable();
	for (at = 0; !error && at + step <= length; at += step)
		restore(address + at, bytes + at);
	preempt_enable();
	return error;
}
