// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The engine's heap, with a count of its allocations to detect leaks at unload. */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "internal.h"
#include "shim.h"

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
