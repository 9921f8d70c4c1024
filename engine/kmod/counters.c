// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Counters of traced processes, which say how many tracers have armed a probe. Another tracer
 * may count there, too: what we add is subtracted, and nothing is set.
 */
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "compat/pages.h"
#include "internal.h"
#include "shim.h"
#include "space.h"

/* A counter that is raised, or was. */
struct counter {
	struct list_head others;
	unsigned long address;
	/* Of the memory: its file, and where in it; without a file, nothing. */
	const struct inode *inode;
	pgoff_t place;
	/* By the monotonic clock, in ns; `lowered` is 0 while it is raised. */
	u64 raised, lowered;
};

/*
 * The longest time from the copy of the memory in a fork to the start time of the child. A child
 * that starts within it may have been copied before.
 */
#define COPIED_BEFORE (NSEC_PER_SEC / 10)

/* The inode is not dereferenced. */
static const struct inode *inode_of(const struct vm_area_struct *area)
{
	return area->vm_file ? file_inode(area->vm_file) : NULL;
}

static bool is_private(const struct vm_area_struct *area)
{
	return area && compat_is_copied_on_write(area);
}

static bool is_its(const struct counter *counter, const struct vm_area_struct *area)
{
	return is_private(area) && inode_of(area) == counter->inode &&
	       linear_page_index((struct vm_area_struct *)area, counter->address) == counter->place;
}

static int add_to(struct page *page, unsigned long address, int by)
{
	u16 *count = kmap_local_page(page) + offset_in_page(address);
	int sum = READ_ONCE(*count) + by;
	bool fits = sum >= 0 && sum <= U16_MAX;

	if (fits)
		WRITE_ONCE(*count, sum);
	kunmap_local(count);
	if (!fits)
		return -ERANGE;
	flush_dcache_page(page);
	set_page_dirty_lock(page);
	return 0;
}

/* Memory is there, and the mmap lock is held, for which a fork waits. */
static int add(struct mm_struct *mm, unsigned long address, unsigned int flags, int by)
{
	struct page *page;
	int error = compat_get_page(mm, address, flags | FOLL_WRITE, &page);

	if (error)
		return error;
	error = add_to(page, address, by);
	put_page(page);
	return error;
}

static struct counter *find(struct space *space, unsigned long address)
{
	struct counter *counter;

	list_for_each_entry(counter, &space->counters, others)
		if (counter->address == address && !counter->lowered)
			return counter;
	return NULL;
}

static int raise_at(struct space *space, struct counter *counter)
{
	const struct vm_area_struct *area = vma_lookup(space->mm, counter->address);
	int error;

	if (!is_private(area) || !(area->vm_flags & VM_WRITE))
		return -EFAULT;
	counter->inode = inode_of(area);
	counter->place = linear_page_index((struct vm_area_struct *)area, counter->address);
	counter->raised = ktime_get_ns();
	error = add(space->mm, counter->address, 0, 1);
	if (!error)
		list_add(&counter->others, &space->counters);
	return error;
}

static int raise_counter(struct space *space, unsigned long address)
{
	struct counter *counter = kzalloc(sizeof(*counter), GFP_KERNEL);
	int error;

	if (!counter)
		return -ENOMEM;
	counter->address = address;
	mmap_read_lock(space->mm);
	error = raise_at(space, counter);
	mmap_read_unlock(space->mm);
	if (error)
		kfree(counter);
	return error;
}

/* The program may have made the memory read-only since. */
static int lower_in(struct mm_struct *mm, const struct counter *counter)
{
	const struct vm_area_struct *area = vma_lookup(mm, counter->address);

	return is_its(counter, area) ? add(mm, counter->address, FOLL_FORCE, -1) : -EFAULT;
}

static int lower_counter(struct space *space, unsigned long address)
{
	struct counter *counter = find(space, address);
	int error;

	if (!counter)
		return -EFAULT;
	mmap_read_lock(space->mm);
	error = lower_in(space->mm, counter);
	if (error != -ENOMEM)
		counter->lowered = ktime_get_ns();
	mmap_read_unlock(space->mm);
	return error;
}

/* Those that no child can have a copy of any more. */
static void forget_old(struct space *space)
{
	u64 now = ktime_get_ns();
	struct counter *counter, *next;

	if (space->children)
		return;
	list_for_each_entry_safe(counter, next, &space->counters, others) {
		if (!counter->lowered || counter->lowered + COPIED_BEFORE > now)
			continue;
		list_del(&counter->others);
		kfree(counter);
	}
}

int shim_space_count(unsigned long handle, unsigned long address, bool is_up)
{
	struct space *space = (struct space *)handle;
	int error;

	if (!mmget_not_zero(space->mm))
		return -EFAULT;
	mutex_lock(&tl_text_lock);
	forget_old(space);
	error = is_up ? raise_counter(space, address) : lower_counter(space, address);
	mutex_unlock(&tl_text_lock);
	mmput(space->mm);
	return error;
}

/* Whether the memory of a child that started at this time was copied while a counter was raised. */
static bool is_copied(const struct counter *counter, u64 start)
{
	return counter->raised < start &&
	       (!counter->lowered || counter->lowered + COPIED_BEFORE > start);
}

void tl_counters_clean(struct space *space, struct mm_struct *mm)
{
	const struct counter *counter;

	mmap_read_lock(mm);
	list_for_each_entry(counter, &space->counters, others) {
		/* Nothing can be done about an error; a count of 0 was copied before. */
		if (is_copied(counter, current->start_time))
			lower_in(mm, counter);
	}
	mmap_read_unlock(mm);
}

void tl_counters_free(struct space *space)
{
	struct counter *counter, *next;

	list_for_each_entry_safe(counter, next, &space->counters, others)
		kfree(counter);
}
