// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Loads of a D program, from any address, and its writes to a process's memory. A bad
 * address is an error, not a fault, and only RAM is read: reading a device's register may
 * have side effects, or hang the machine. Everything here is callable in probe context.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <asm/tlbflush.h>

#include "internal.h"
#include "shim.h"
#include "unexported.h"

/*
 * Whether the range is kernel memory and RAM. It may be unmapped right after, which
 * copy_from_kernel_nofault() handles.
 */
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

/*
 * The walk below is lockless. Either no page table that it may be walking is freed while
 * interrupts are disabled, or load_pages() walks again, and takes nothing from a table that
 * is not the process's any more.
 */
#define TABLES_STAY (IS_ENABLED(CONFIG_MMU_GATHER_RCU_TABLE_FREE) || !IS_ENABLED(CONFIG_SMP))

/*
 * The linear-map address of a user page; NULL if it is not present, not readable, or a
 * huge page. Entries may change during the walk, so each is read once. Finding out where
 * high memory is mapped takes a lock, so that has no address, nor has what a page table
 * there refers to.
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
	if (pmd_none(pmd) || pmd_bad(pmd) || PageHighMem(pmd_page(pmd)))
		return NULL;
	pte_place = pte_offset_kernel(&pmd, address);
	pte = READ_ONCE(*pte_place);
	if (!pte_present(pte) || !pte_access_permitted(pte, false) || !pfn_valid(pte_pfn(pte)) ||
	    PageHighMem(pte_page(pte)))
		return NULL;
	page = page_address(pte_page(pte));
	return tl_is_ram((unsigned long)page) ? page : NULL;
}

/*
 * Like shim_load_user(), through the page tables: reads pages that are present even if
 * an access by the processor would fault.
 */
static int load_pages(unsigned long address, void *to, size_t length)
{
	while (length) {
		size_t within = offset_in_page(address);
		size_t part = min_t(size_t, length, PAGE_SIZE - within);
		const void *page = page_of(current->mm, address);

		if (!page || copy_from_kernel_nofault(to, page + within, part))
			return -EFAULT;
		if (!TABLES_STAY && page_of(current->mm, address) != page)
			return -EFAULT;
		address += part;
		to += part;
		length -= part;
	}
	return 0;
}

#ifdef nmi_uaccess_okay
/* A trap may come between the two steps of a context switch, page table and `current`. */
UNEXPORTED(nmi_uaccess_okay);

static bool is_own_page_table(void)
{
	return tl_unexported(nmi_uaccess_okay)();
}

static int page_table_init(void)
{
	return tl_resolve(nmi_uaccess_okay) ? 0 : -ENOENT;
}
#else
static bool is_own_page_table(void)
{
	return true;
}

static int page_table_init(void)
{
	return 0;
}
#endif

/*
 * copy_from_user_nofault() without CONFIG_HARDENED_USERCOPY's check of the destination:
 * from 5.18 until 6.4 that takes a vmalloc lock, which the interrupted code may hold.
 * The destination is the engine's, which has checked its bounds.
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
 * A kernel thread has no user memory, although the page table may be some process's.
 *
 * Without a hardware access flag, the kernel makes the first access to a page fault in
 * order to see it, so that a new child faults on all that it shares with its parent.
 * Such pages are present and are read through the page tables.
 */
int shim_load_user(unsigned long address, void *to, size_t length)
{
	if (!current->mm)
		return -EFAULT;
	address = untagged_addr(address);
	if (!copy_from_user_locklessly(to, (void __user *)address, length))
		return 0;
	if (address >= TASK_SIZE_MAX || length > TASK_SIZE_MAX - address)
		return -EFAULT;
	return load_pages(address, to, length);
}

/*
 * Whether the page table is the current thread's: while the scheduler switches to another
 * thread, it is that one's already.
 */
UNEXPORTED(task_curr);

/*
 * A page that has to be copied first, as it is shared with a child, faults; so does one
 * that was not written before, where the processor does not mark pages dirty itself.
 */
int shim_copyout(unsigned long address, const void *from, size_t length)
{
	if (!current->mm || current->flags & PF_KTHREAD)
		return -EFAULT;
	if (!tl_unexported(task_curr)(current) || !is_own_page_table())
		return -EFAULT;
	return shim_store_user(address, from, length);
}

int tl_nofault_init(void)
{
	return tl_resolve(task_curr) ? page_table_init() : -ENOENT;
}
