// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Coexistence with the kernel's kprobes, which replace instructions in the text. */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "internal.h"
#include "shim.h"
#include "unexported.h"

UNEXPORTED(get_kprobe);

/* kprobe_mutex; NULL without CONFIG_KALLSYMS_ALL, where kallsyms lists no data. */
static struct mutex *kprobes_lock;

int tl_kprobes_init(void)
{
	kprobes_lock = (void *)tl_find_symbol("kprobe_mutex");
	return tl_resolve(get_kprobe) ? 0 : -ENOENT;
}

/* Replaces a kprobe's trap in `bytes` by the instruction that it displaced. */
static void restore(unsigned long address, void *bytes)
{
	struct kprobe *probe;

	if (!tl_is_kprobe_trap(bytes))
		return;
	probe = tl_unexported(get_kprobe)((void *)address);
	if (probe)
		memcpy(bytes, &probe->opcode, sizeof(probe->opcode));
}

/* A kprobe that is found is not freed while preemption is disabled. */
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

void shim_hold_kprobes(int held)
{
	if (!kprobes_lock)
		return;
	if (held)
		mutex_lock(kprobes_lock);
	else
		mutex_unlock(kprobes_lock);
}

/* A kprobe in a module that is gone is never armed again, and one on ftrace patches no text. */
static bool is_at(unsigned long address)
{
	struct kprobe *probe = tl_unexported(get_kprobe)((void *)address);

	return probe && !kprobe_gone(probe) && !kprobe_ftrace(probe);
}

/*
 * Also finds one that is disabled or being unregistered. An optimized kprobe becomes a
 * jump, which overlaps the instructions after it, so the addresses before are searched.
 */
int shim_has_kprobe(unsigned long address)
{
	size_t at;
	int found = 0;

	preempt_disable();
	for (at = 0; !found && at < tl_kprobe_bytes; at += sizeof(kprobe_opcode_t))
		found = is_at(address - at);
	preempt_enable();
	return found;
}
