// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Memory that a D program asks for, at an address that may be anything. What is
 * not there is an answer, and what is not memory is not touched: to read a
 * device's register can change it, or end the machine.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <asm/tlbflush.h>

#include "internal.h"
#include "shim.h"

/* Whether all of it is the kernel's, and RAM. It may go away behind our back, which is survived. */
static bool is_kernels(unsigned long address, size_t length)
{
	unsigned long last = address + length - 1;
	unsigned long page = address & PAGE_MASK;

	if (address < TASK_SIZE_MAX || last < address)
		return false;
	for (; tl_is_ram(page); page += PAGE_SIZE)
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

/* While interrupts are off, no page table is freed that somebody may be walking. */
static_assert(IS_ENABLED(CONFIG_MMU_GATHER_RCU_TABLE_FREE) || !IS_ENABLED(CONFIG_SMP));

/*
 * Where the kernel has the page of this process's at an address; null if it is not
 * there, may not be read, or is a large one. Others may change what is walked over.
 */
static const void *page_of(struct mm_struct *mm, unsigned long address)
{
	pgd_t *pgd = pgd_offset(mm, address);
	p4d_t *p4d;
	pud_t *pud_place, pud;
	pmd_t *pmd_place, pmd;
	pte_t *pte_place, pte;
	const void *page;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return NULL;
	p4d = p4d_offset(pgd, address);
	if (p4d_none(*p4d) || p4d_bad(*p4d))
		return NULL;
	pud_place = pud_offset(p4d, address);
	pud = READ_ONCE(*pud_place);
	if (pud_none(pud) || pud_bad(pud))
		return NULL;
	pmd_place = pmd_offset_lockless(pud_place, pud, address);
	pmd = READ_ONCE(*pmd_place);
	if (pmd_none(pmd) || pmd_bad(pmd))
		return NULL;
	pte_place = pte_offset_map(&pmd, address);
	pte = READ_ONCE(*pte_place);
	pte_unmap(pte_place);
	if (!pte_present(pte) || !pte_access_permitted(pte, false) || !pfn_valid(pte_pfn(pte)))
		return NULL;
	page = page_address(pte_page(pte));
	return page && tl_is_ram((unsigned long)page) ? page : NULL;
}

/* The same as shim_load_user(), of pages that are there, whether the processor takes them for that or not. */
static int load_pages(unsigned long address, void *to, size_t length)
{
	while (length) {
		size_t within = offset_in_page(address);
		size_t part = min_t(size_t, length, PAGE_SIZE - within);
		const void *page = page_of(current->mm, address);

		if (!page || copy_from_kernel_nofault(to, page + within, part))
			return -EFAULT;
		address += part;
		to += part;
		length -= part;
	}
	return 0;
}

#ifdef nmi_uaccess_okay
/* A switch of processes changes the page table and `current` one after the other, and a trap may come between. */
static bool (*is_own_page_table)(void);

int tl_nofault_init(void)
{
	is_own_page_table = (void *)tl_symbol("nmi_uaccess_okay");
	return is_own_page_table ? 0 : -ENOENT;
}
#else
static bool is_own_page_table(void)
{
	return true;
}

int tl_nofault_init(void)
{
	return 0;
}
#endif

/*
 * As copy_from_user_nofault() does it, but without CONFIG_HARDENED_USERCOPY's look at
 * where it copies to: from 5.18 until 6.4 that takes a lock of vmalloc's, which the
 * trap's own CPU may hold. The destination is the engine's, and checked by it.
 */
static int copy_from_user_locklessly(void *to, const void __user *from, size_t length)
{
	unsigned long left;

	if (!__access_ok(from, length) || !is_own_page_table())
		return -EFAULT;
	pagefault_disable();
	left = raw_copy_from_user(to, from, length);
	pagefault_enable();
	return left ? -EFAULT : 0;
}

/*
 * A kernel thread has no memory of its own, though some process's may be there.
 *
 * Where the processor does not note itself that a page is used, the kernel has it
 * fault when that is to be known: a child that was just made faults at all that it
 * has of its parent.
 */
int shim_load_user(unsigned long address, void *to, size_t length)
{
	if (!current->mm)
		return -EFAULT;
	if (!copy_from_user_locklessly(to, (void __user *)address, length))
		return 0;
	if (address >= TASK_SIZE_MAX || length > TASK_SIZE_MAX - address)
		return -EFAULT;
	return load_pages(address, to, length);
}
