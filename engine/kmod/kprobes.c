// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The kernel's own kprobes, whose traps stand where instructions do. */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "internal.h"
#include "shim.h"

static typeof(&get_kprobe) find_kprobe;

/* It guards all of them. Kernels that do not list their data do not show where it is. */
static struct mutex *kprobes_lock;

int tl_kprobes_init(void)
{
	kprobes_lock = (void *)tl_find_symbol("kprobe_mutex");
	find_kprobe = (void *)tl_symbol("get_kprobe");
	return find_kprobe ? 0 : -ENOENT;
}

/* What a kprobe has displaced, where there is one. */
static void restore(unsigned long address, void *bytes)
{
	struct kprobe *probe;

	if (!tl_is_kprobe_trap(bytes))
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

void shim_hold_kprobes(int held)
{
	if (!kprobes_lock)
		return;
	if (held)
		mutex_lock(kprobes_lock);
	else
		mutex_unlock(kprobes_lock);
}

/* That of a module that has gone is never armed again; that of the function tracer's writes nothing. */
static bool is_at(unsigned long address)
{
	struct kprobe *probe = find_kprobe((void *)address);

	return probe && !kprobe_gone(probe) && !kprobe_ftrace(probe);
}

/*
 * One that is switched off, or on its way out, is found, too; the jump that an
 * optimized one becomes takes in what begins behind it.
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
