// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Measurements of kprobes and kretprobes with empty handlers. */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "bench.h"

static noinline unsigned long leaf(unsigned long argument)
{
	return READ_ONCE(argument) + 1;
}

/* Keeps a value across a call, so it starts with a push, like most functions. */
noinline unsigned long trapline_bench_probed(unsigned long argument)
{
	return leaf(argument) + argument;
}

/* With interrupts disabled, so that only the calls are measured. */
#define MEASURE(call) ({				\
	unsigned long flags, calls;			\
	ktime_t before, after;				\
	local_irq_save(flags);				\
	before = ktime_get();				\
	for (calls = 0; calls < BENCH_CALLS; calls++)	\
		call;					\
	after = ktime_get();				\
	local_irq_restore(flags);			\
	ktime_to_ns(ktime_sub(after, before));		\
})

s64 bench_calls(unsigned long unused)
{
	return MEASURE(trapline_bench_probed(calls));
}

s64 bench_trap(unsigned long unused)
{
	return bench_has_trap ? MEASURE(trapline_bench_trapped()) : -EOPNOTSUPP;
}

static int handle(struct kprobe *probe, struct pt_regs *regs)
{
	return 0;
}

/*
 * The kernel may optimize a kprobe into a jump, but only some ticks later.
 * Waits `settle` milliseconds for that before it measures.
 */
static s64 kprobe(unsigned long offset, unsigned int settle)
{
	struct kprobe probe = {
		.addr = (void *)((unsigned long)trapline_bench_probed + offset),
		.pre_handler = handle,
	};
	int error = register_kprobe(&probe);
	s64 took;

	if (error)
		return error;
	if (settle)
		msleep(settle);
	took = bench_calls(0);
	unregister_kprobe(&probe);
	return probe.nmissed ? -EBUSY : took;
}

s64 bench_kprobe(unsigned long unused)
{
	return kprobe(0, 0);
}

s64 bench_settled_kprobe(unsigned long unused)
{
	return kprobe(0, 500);
}

s64 bench_body_kprobe(unsigned long unused)
{
	return kprobe(bench_body, 0);
}

static int handle_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return 0;
}

s64 bench_kretprobe(unsigned long unused)
{
	struct kretprobe probe = {
		.kp.addr = (void *)trapline_bench_probed,
		.handler = handle_return,
		.maxactive = 4,
	};
	int error = register_kretprobe(&probe);
	s64 took;

	if (error)
		return error;
	took = bench_calls(0);
	unregister_kretprobe(&probe);
	return probe.nmissed ? -EBUSY : took;
}

/* The registered kprobes and their number. */
static struct kprobe *probes;
static struct kprobe **pointers;
static unsigned long armed;

static int make_probes(unsigned long sites)
{
	unsigned long i;

	probes = kcalloc(sites, sizeof(*probes), GFP_KERNEL);
	pointers = kcalloc(sites, sizeof(*pointers), GFP_KERNEL);
	if (!probes || !pointers)
		return -ENOMEM;
	for (i = 0; i < sites; i++) {
		probes[i].addr = bench_sites[i];
		probes[i].pre_handler = handle;
		pointers[i] = &probes[i];
	}
	return 0;
}

static void free_probes(void)
{
	kfree(probes);
	kfree(pointers);
	probes = NULL;
	pointers = NULL;
	armed = 0;
}

s64 bench_arm(unsigned long sites)
{
	ktime_t before;
	int error;

	if (armed)
		return -EBUSY;
	if (!sites || sites > BENCH_SITES)
		return -EINVAL;
	error = make_probes(sites);
	before = ktime_get();
	if (!error)
		error = register_kprobes(pointers, sites);
	if (error) {
		free_probes();
		return error;
	}
	armed = sites;
	return ktime_to_ns(ktime_sub(ktime_get(), before));
}

/* Unregisters all with one call, which shares one grace period. */
s64 bench_disarm(unsigned long unused)
{
	ktime_t before = ktime_get();
	s64 took;

	if (!armed)
		return 0;
	unregister_kprobes(pointers, armed);
	took = ktime_to_ns(ktime_sub(ktime_get(), before));
	free_probes();
	return took;
}

void *bench_symbol(const char *name)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup_name)(const char *name);

	if (register_kprobe(&probe))
		return NULL;
	lookup_name = (void *)probe.addr;
	unregister_kprobe(&probe);
	return (void *)lookup_name(name);
}
