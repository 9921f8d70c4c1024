// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The engine's heap, with a count of its allocations to detect leaks at unload, and the
 * bounds on what probes in processes may take of it.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "internal.h"
#include "shim.h"

/* In percent of the machine's memory, like vm.dirty_ratio; 0 is no bound. */
static unsigned int pid_process_memory = 50;
static unsigned int pid_memory = 75;
module_param(pid_process_memory, uint, 0644);
MODULE_PARM_DESC(pid_process_memory, "percent of memory that probes in one process may take; 0 is no bound");
module_param(pid_memory, uint, 0644);
MODULE_PARM_DESC(pid_memory, "percent of memory that probes in all processes may take; 0 is no bound");

/* Allocations in use. */
static atomic_t pieces;

void *shim_alloc(size_t size, size_t align)
{
	void *memory;

	if (align > ARCH_KMALLOC_MINALIGN)
		return NULL;
	memory = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (memory)
		atomic_inc(&pieces);
	return memory;
}

void shim_free(void *memory)
{
	kvfree(memory);
	atomic_dec(&pieces);
}

static unsigned long share(unsigned int percent)
{
	u64 pages = div_u64((u64)totalram_pages() * percent, 100);

	return percent && pages <= ULONG_MAX >> PAGE_SHIFT ? pages << PAGE_SHIFT : ULONG_MAX;
}

void shim_probe_memory(struct shim_probe_memory *to)
{
	to->process = share(READ_ONCE(pid_process_memory));
	to->all = share(READ_ONCE(pid_memory));
}

void tl_memory_count(int more)
{
	atomic_add(more, &pieces);
}

/* The last step of unloading: everything must have been freed. */
void tl_memory_exit(void)
{
	WARN(atomic_read(&pieces), "trapline: %d allocations were not freed\n",
	     atomic_read(&pieces));
}
