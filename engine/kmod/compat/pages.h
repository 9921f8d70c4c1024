/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Pages of another process.
 *
 * get_user_pages_remote() could also return the areas that the pages are in, which ours never
 * asks for; since 6.5 it has no parameter for that.
 *
 * zap_page_range() unmapped pages of several areas. Since 6.3 there is only the function for
 * one area, which has another name in 7.x; before, that is declared too, but not exported.
 */
#ifndef TRAPLINE_COMPAT_PAGES
#define TRAPLINE_COMPAT_PAGES

#include <linux/mm.h>

#include "found.h"

/* Returns 0, or a negative error number: -EFAULT if there is no such page. */
static inline int compat_get_page(struct mm_struct *mm, unsigned long address,
				  unsigned int flags, struct page **page)
{
#ifdef TL_HAS_GUP_WITHOUT_AREAS
	long got = get_user_pages_remote(mm, address, 1, flags, page, NULL);
#else
	long got = get_user_pages_remote(mm, address, 1, flags, page, NULL, NULL);
#endif
	return got == 1 ? 0 : got ?: -EFAULT;
}

static inline void compat_zap_page(struct vm_area_struct *area, unsigned long address)
{
#ifdef TL_HAS_ZAP_PAGE_RANGE
	zap_page_range(area, address, PAGE_SIZE);
#elif defined(TL_HAS_ZAP_VMA_RANGE)
	zap_vma_range(area, address, PAGE_SIZE);
#else
	zap_page_range_single(area, address, PAGE_SIZE, NULL);
#endif
}

/* Whether a write gets a page of the process's own. The kernel's function has had two names. */
static inline bool compat_is_copied_on_write(const struct vm_area_struct *area)
{
	return (area->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE;
}

#endif
