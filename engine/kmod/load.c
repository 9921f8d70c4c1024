// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Memory that a D program asks for, at an address that may be anything. What is
 * not there is an answer, and what is not memory is not touched: to read a
 * device's register can change it, or end the machine.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "shim.h"

/* Whether all of it is the kernel's, and RAM. It may go away behind our back, which is survived. */
static bool is_kernels(unsigned long address, size_t length)
{
	unsigned long last = address + length - 1;
	unsigned long page = address & PAGE_MASK;

	if (address < TASK_SIZE_MAX || last < address)
		return false;
	for (; trapline_is_ram(page); page += PAGE_SIZE)
		if (last - page < PAGE_SIZE)
			return true;
	return false;
}

int shim_load(unsigned long address, void *to, size_t length)
{
	if (length == 0)
		return 0;
	if (!is_kernels(address, length))
		return -EFAULT;
	return copy_from_kernel_nofault(to, (void *)address, length);
}

/*
 * A kernel thread has no memory of its own, though some process's may be there.
 * (With HARDENED_USERCOPY the kernel looks at where it copies to. It takes no
 * lock for that, while faults are disabled, since 6.4 and in Debian's 6.1.)
 */
int shim_load_user(unsigned long address, void *to, size_t length)
{
	if (!current->mm)
		return -EFAULT;
	return copy_from_user_nofault(to, (void __user *)address, length);
}
