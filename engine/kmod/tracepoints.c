// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Tracepoints of the kernel proper, with their raw arguments. */
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "shim.h"
#include "trapline.h"

/* for_each_kernel_tracepoint() cannot be stopped, so `error` skips the rest. */
struct walk {
	shim_tracepoint_fn visit;
	void *context;
	int error;
};

static void show(struct tracepoint *point, void *data)
{
	struct walk *walk = data;

	if (!walk->error)
		walk->error = walk->visit(walk->context, (unsigned long)point, point->name,
					  strlen(point->name));
}

int shim_each_tracepoint(shim_tracepoint_fn visit, void *context)
{
	struct walk walk = { visit, context };

	for_each_kernel_tracepoint(show, &walk);
	return walk.error;
}

/*
 * The probe of every tracepoint, whatever its prototype. It receives the arguments of
 * that prototype; the parameters beyond them are undefined. The build refuses kernels
 * that check the types of indirect calls (CONFIG_CFI_CLANG). Since 6.13 those of system
 * calls are preemptible.
 */
static void hit(void *data, unsigned long a, unsigned long b, unsigned long c,
		unsigned long d, unsigned long e, unsigned long f)
{
	preempt_disable_notrace();
	trapline_tracepoint((unsigned long)data, (u64[6]){ a, b, c, d, e, f });
	preempt_enable_notrace();
}

int shim_tracepoint_register(unsigned long point, u32 number)
{
	return tracepoint_probe_register((struct tracepoint *)point, hit,
					 (void *)(unsigned long)number);
}

void shim_tracepoint_unregister(unsigned long point, u32 number)
{
	tracepoint_probe_unregister((struct tracepoint *)point, hit, (void *)(unsigned long)number);
}

void shim_tracepoints_synchronize(void)
{
	tracepoint_synchronize_unregister();
}
