// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Pages of slots, near the kernel's text. A page has two addresses: the one that is
 * returned is executable and read-only; its alias in the linear map is writable and
 * not executable.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat/vmalloc.h"
#include "internal.h"
#include "shim.h"
#include "unexported.h"

UNEXPORTED(COMPAT_VMALLOC_NODE_RANGE);

int tl_exec_mem_init(void)
{
	return tl_resolve(COMPAT_VMALLOC_NODE_RANGE) ? 0 : -ENOENT;
}

static void *writable(unsigned long address)
{
	return page_address(vmalloc_to_page((void *)address)) + offset_in_page(address);
}

static void fill(unsigned long address)
{
	u32 trap = tl_poison_trap();

	memset32(writable(address), trap, PAGE_SIZE / sizeof(trap));
	shim_code_flush(address, PAGE_SIZE);
}

/*
 * VM_FLUSH_RESET_PERMS: freeing flushes the page's translations on every CPU before the
 * memory is reused.
 */
unsigned long shim_code_alloc(void)
{
	unsigned long range[2], address;
	void *page;

	shim_code_range(range);
	page = tl_unexported(COMPAT_VMALLOC_NODE_RANGE)(PAGE_SIZE, PAGE_SIZE, range[0], range[1],
							GFP_KERNEL | __GFP_NOWARN, PAGE_KERNEL_ROX,
							VM_FLUSH_RESET_PERMS, NUMA_NO_NODE,
							__builtin_return_address(0));
	if (!page)
		return 0;
	address = (unsigned long)page;
	fill(address);
	tl_memory_count(1);
	return address;
}

void shim_code_free(unsigned long address)
{
	vfree((void *)address);
	tl_memory_count(-1);
}

void shim_code_write(unsigned long address, const void *bytes, size_t length)
{
	memcpy(writable(address), bytes, length);
}
