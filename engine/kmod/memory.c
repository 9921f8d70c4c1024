// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The heap of the engine. */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "internal.h"
#include "shim.h"

/* How many pieces of memory are in use. */
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

/* When nothing of the module is left but its code, nothing may be in use. */
void tl_memory_exit(void)
{
	WARN(atomic_read(&pieces), "trapline: %d pieces of memory were not given back\n",
	     atomic_read(&pieces));
}
