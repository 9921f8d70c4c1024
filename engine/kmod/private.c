// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Private copies of text, dropped when nothing is traced any more: a page that equals its
 * file's is mapped from there again, and the process's accounting is what it was.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>

#include "compat/pages.h"
#include "internal.h"
#include "space.h"

/* A page that the process itself can write, or has locked, is left to it. */
#define LEFT_ALONE (VM_WRITE | VM_SHARED | VM_LOCKED | VM_HUGETLB | VM_PFNMAP | VM_IO)

static bool are_equal(struct page *one, struct page *other)
{
	void *a = kmap_local_page(one), *b = kmap_local_page(other);
	bool are = !memcmp(a, b, PAGE_SIZE);

	kunmap_local(b);
	kunmap_local(a);
	return are;
}

/* Whether a private page has what the file has there, as far as that is cached. */
static bool equals_file(struct vm_area_struct *area, unsigned long address, struct page *page)
{
	struct page *of_file = find_get_page(area->vm_file->f_mapping,
					     linear_page_index(area, address));
	bool equals;

	if (!of_file)
		return false;
	equals = PageUptodate(of_file) && are_equal(page, of_file);
	put_page(of_file);
	return equals;
}

/*
 * Nobody writes the page between the comparison and its end: not the process, which may
 * not, and no debugger, which needs the mmap lock.
 */
static void drop_page(struct mm_struct *mm, unsigned long address)
{
	struct vm_area_struct *area = vma_lookup(mm, address);
	struct page *page;
	bool drop;

	if (!area || !area->vm_file || area->vm_flags & LEFT_ALONE)
		return;
	if (compat_get_page(mm, address, FOLL_FORCE, &page))
		return;
	drop = PageAnon(page) && equals_file(area, address, page);
	put_page(page);
	if (drop)
		compat_zap_page(area, address);
}

void tl_space_drop_copies(struct space *space)
{
	unsigned long page, done = 1;
	size_t i;

	if (!mmget_not_zero(space->mm))
		return;
	mutex_lock(&tl_text_lock);
	mmap_write_lock(space->mm);
	for (i = 0; i < space->count; i++) {
		page = space->displaced[i].address & PAGE_MASK;
		if (page != done)
			drop_page(space->mm, page);
		done = page;
	}
	mmap_write_unlock(space->mm);
	mutex_unlock(&tl_text_lock);
	mmput(space->mm);
}
