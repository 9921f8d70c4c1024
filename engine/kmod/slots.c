// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Pages of slots in traced processes. A thread in a slot is moved out of it before a page
 * is unmapped, and before a signal's frame is built, so that nothing of the process holds
 * an address in one.
 */
#include <linux/highmem.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <asm/ptrace.h>

#include "compat/mapping.h"
#include "compat/workqueue.h"
#include "internal.h"
#include "shim.h"
#include "space.h"
#include "unexported.h"

/* What a slot is for: the instruction that it holds a copy of, and the one behind that. */
struct home {
	struct tl_place site;
	struct tl_place next;
};

/* How many homes a page has room for at first. */
#define HOMES_MIN 16

struct slots {
	struct list_head others;
	unsigned long address;
	struct vm_special_mapping mapping;
	struct page *pages[2];
	/* The bytes of a slot. */
	size_t size;
	/* In the order of the slots, which are written in the order of their addresses. */
	struct home *homes;
	size_t count;
	/* How many there is room for. Only the control path reads it. */
	size_t room;
	/* The space, and the area if the kernel tells when it closes that: either may be last. */
	refcount_t users;
	bool is_told;
};

UNEXPORTED(_install_special_mapping);
UNEXPORTED(do_munmap);

int tl_slots_init(void)
{
	return tl_resolve(_install_special_mapping) && tl_resolve(do_munmap) ? 0 : -ENOENT;
}

/* No area refers to the module, but the end of the last one may be in its last instructions. */
void tl_slots_exit(void)
{
	synchronize_rcu_tasks();
}

/*
 * Where a thread at `pc` continues if that is in a slot: at its instruction, or behind it
 * if the copy has been executed. A slot is a copy of one instruction and one jump, so `pc`
 * is at either. Call with tl_space_lock held, or with every thread stopped.
 */
static bool way_out(const struct space *space, unsigned long pc, struct tl_place *to,
		    bool *is_behind)
{
	const struct slots *it;

	list_for_each_entry(it, &space->pages, others) {
		unsigned long place = pc - it->address;

		if (place >= PAGE_SIZE || !it->size || place / it->size >= it->count)
			continue;
		*is_behind = place % it->size;
		*to = *is_behind ? it->homes[place / it->size].next : it->homes[place / it->size].site;
		return true;
	}
	return false;
}

bool tl_slot_way(const struct mm_struct *mm, unsigned long pc, struct tl_place *to, bool *is_behind)
{
	const struct space *space;
	unsigned long state;
	bool is_in;

	raw_spin_lock_irqsave(&tl_space_lock, state);
	space = tl_space_of(mm);
	is_in = space && way_out(space, pc, to, is_behind);
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	return is_in;
}

/*
 * The address for a page in the nearest hole below the object at `near`; 0 if there is
 * none. Not above it: that is where a heap grows.
 */
static unsigned long hole_below(struct mm_struct *mm, unsigned long near)
{
	VMA_ITERATOR(areas, mm, near);
	struct vm_area_struct *area = vma_next(&areas), *below;
	unsigned long floor;

	for (; area; area = below) {
		below = vma_prev(&areas);
		floor = below ? below->vm_end : SZ_64K;
		if (!(area->vm_flags & VM_GROWSDOWN) && area->vm_start >= floor + PAGE_SIZE)
			return area->vm_start - PAGE_SIZE;
	}
	return 0;
}

/* The address for a page among the mappings of libraries. */
static unsigned long hole_among_mappings(struct mm_struct *mm)
{
	unsigned long top = mm->mmap_base - PAGE_SIZE;

	return find_vma_intersection(mm, top, top + PAGE_SIZE) ? hole_below(mm, top) : top;
}

/*
 * A page that is out of reach would be of no use. Where everything is in reach there may be
 * nothing below the object: a static program of ARM begins at the lowest address there is.
 * If the object has been unmapped, the hole may be above it.
 */
static unsigned long find_hole(struct mm_struct *mm, unsigned long near, unsigned long reach)
{
	unsigned long hole = hole_below(mm, near);

	if (!hole && reach == ULONG_MAX)
		return hole_among_mappings(mm);
	return (hole > near ? hole - near : near - hole) <= reach ? hole : 0;
}

static int map_at_hole(const struct space *space, unsigned long near, struct slots *slots)
{
	struct mm_struct *mm = space->mm;
	/* Readable, as a slot of 32-bit ARM loads the address of its way back, and arm64 can tell. */
	const unsigned long flags = VM_READ | VM_MAYREAD | VM_EXEC | VM_MAYEXEC | VM_DONTCOPY | VM_IO;
	struct vm_area_struct *area;

	if (mmap_write_lock_killable(mm))
		return -EINTR;
	slots->address = find_hole(mm, near, tl_slot_reach(space->is_compat));
	area = ERR_PTR(-ENOMEM);
	if (slots->address)
		area = tl_unexported(_install_special_mapping)(mm, slots->address, PAGE_SIZE, flags,
							       &slots->mapping);
	if (!IS_ERR(area) && slots->is_told) {
		refcount_inc(&slots->users);
		__module_get(THIS_MODULE);
	}
	mmap_write_unlock(mm);
	return PTR_ERR_OR_ZERO(area);
}

static void fill(struct page *page, u32 word)
{
	void *words = kmap_local_page(page);

	memset32(words, word, PAGE_SIZE / sizeof(u32));
	kunmap_local(words);
}

static void put_slots(struct slots *slots)
{
	if (!refcount_dec_and_test(&slots->users))
		return;
	if (slots->pages[0])
		__free_page(slots->pages[0]);
	kfree(slots->homes);
	kfree(slots);
	tl_memory_count(-1);
}

/*
 * The process has unmapped the page, or its memory is taken apart: long after its space was
 * told that it is gone. What a move was refused for is an area at another address.
 */
static void closed(const struct vm_special_mapping *mapping, struct vm_area_struct *area)
{
	struct slots *slots = container_of(mapping, struct slots, mapping);

	if (area->vm_start != slots->address)
		return;
	put_slots(slots);
	module_put(THIS_MODULE);
}

/*
 * The area refers to the mapping, and only an area at its own address is unmapped before
 * that is freed. (The kernel calls this for the new area, and undoes the move.)
 */
static int refuse_move(const struct vm_special_mapping *mapping, struct vm_area_struct *area)
{
	return -EPERM;
}

static struct slots *new_slots(u32 filling)
{
	struct slots *slots = kzalloc(sizeof(*slots), GFP_KERNEL);

	if (!slots)
		return NULL;
	slots->mapping.name = "[trapline]";
	slots->mapping.pages = slots->pages;
	slots->mapping.mremap = refuse_move;
	slots->is_told = compat_on_close(&slots->mapping, closed);
	refcount_set(&slots->users, 1);
	tl_memory_count(1);
	slots->pages[0] = alloc_page(GFP_HIGHUSER);
	if (!slots->pages[0]) {
		put_slots(slots);
		return NULL;
	}
	fill(slots->pages[0], filling);
	return slots;
}

unsigned long shim_slots_map(unsigned long handle, unsigned long near)
{
	struct space *space = (struct space *)handle;
	struct slots *slots = new_slots(tl_slot_filling(space->is_compat));
	unsigned long state;
	int error = -ESRCH;

	if (!slots)
		return 0;
	if (mmget_not_zero(space->mm)) {
		error = map_at_hole(space, near, slots);
		mmput(space->mm);
	}
	if (error) {
		put_slots(slots);
		return 0;
	}
	raw_spin_lock_irqsave(&tl_space_lock, state);
	list_add(&slots->others, &space->pages);
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	return slots->address;
}

/* The slots with this page. Only the control path, which calls this, changes the list. */
static struct slots *slots_of(struct space *space, unsigned long address)
{
	struct slots *it;

	list_for_each_entry(it, &space->pages, others)
		if (address - it->address < PAGE_SIZE)
			return it;
	return NULL;
}

/* The process may have unmapped the page, and mapped something else there. */
static bool is_ours(const struct vm_area_struct *area, const struct slots *slots)
{
	return area && area->vm_private_data == &slots->mapping;
}

static void write_slot(struct mm_struct *mm, struct slots *slots, const struct shim_in_slot *slot,
		       const void *code)
{
	struct vm_area_struct *area;
	void *page = kmap_local_page(slots->pages[0]);

	mmap_read_lock(mm);
	area = vma_lookup(mm, slot->slot);
	if (is_ours(area, slots))
		tl_write_text(area, slots->pages[0], slot->slot,
			      page + offset_in_page(slot->slot), code, slot->size);
	mmap_read_unlock(mm);
	kunmap_local(page);
}

/* Makes room for `count` homes. */
static int grow(struct slots *slots, size_t count)
{
	size_t room = max_t(size_t, slots->room * 2, HOMES_MIN);
	struct home *homes, *old = slots->homes;
	unsigned long state;

	if (count <= slots->room)
		return 0;
	room = max(room, count);
	homes = kcalloc(room, sizeof(*homes), GFP_KERNEL);
	if (!homes)
		return -ENOMEM;
	raw_spin_lock_irqsave(&tl_space_lock, state);
	memcpy(homes, old, slots->count * sizeof(*homes));
	slots->homes = homes;
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	slots->room = room;
	kfree(old);
	return 0;
}

/* No thread is in the slot yet, so it is known before its code is there. */
int shim_slots_write(unsigned long handle, const struct shim_in_slot *slot, const void *code)
{
	struct space *space = (struct space *)handle;
	struct slots *slots = slots_of(space, slot->slot);
	unsigned long state;
	size_t place;

	if (!slots || !slot->size)
		return -EINVAL;
	place = (slot->slot - slots->address) / slot->size;
	if (grow(slots, place + 1))
		return -ENOMEM;
	raw_spin_lock_irqsave(&tl_space_lock, state);
	slots->size = slot->size;
	slots->homes[place] = (struct home){
		.site = { slot->site, slot->site_status },
		.next = { slot->next, slot->next_status },
	};
	slots->count = max(slots->count, place + 1);
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	if (!mmget_not_zero(space->mm))
		return 0;
	write_slot(space->mm, slots, slot, code);
	mmput(space->mm);
	return 0;
}

/* Every other thread is off its CPU, so its user-mode registers are saved. */
static int move_out(void *data)
{
	const struct space *space = data;
	struct task_struct *process, *thread;
	struct tl_place to;
	bool is_behind;

	for_each_process_thread(process, thread) {
		struct pt_regs *regs = task_pt_regs(thread);

		if (thread->mm != space->mm)
			continue;
		if (way_out(space, instruction_pointer(regs), &to, &is_behind))
			tl_continue(regs, &to);
	}
	return 0;
}

/*
 * Whether nothing refers to the slots any more. The kernel may lack memory to unmap them, and
 * since 6.10 a process can seal its mappings.
 */
static bool unmap_page(struct mm_struct *mm, const struct slots *slots)
{
	struct vm_area_struct *area;
	bool is_done = true;

	mmap_write_lock(mm);
	area = vma_lookup(mm, slots->address);
	if (is_ours(area, slots))
		is_done = !tl_unexported(do_munmap)(mm, slots->address, PAGE_SIZE, NULL);
	mmap_write_unlock(mm);
	return is_done;
}

struct unmapping {
	struct work_struct work;
	struct mm_struct *mm;
	const struct slots *slots;
	bool is_done;
};

static void does_unmapping(struct work_struct *work)
{
	struct unmapping *unmapping = container_of(work, struct unmapping, work);

	kthread_use_mm(unmapping->mm);
	unmapping->is_done = unmap_page(unmapping->mm, unmapping->slots);
	kthread_unuse_mm(unmapping->mm);
}

/*
 * Since 6.12 do_munmap() accounts to the mm of the current thread, whatever mm it is passed,
 * and an exiting thread has none. So a kernel thread that has adopted the mm calls it.
 */
static bool unmap_by_worker(struct mm_struct *mm, const struct slots *slots)
{
	struct unmapping unmapping = { .mm = mm, .slots = slots };

	INIT_WORK_ONSTACK(&unmapping.work, does_unmapping);
	queue_work(compat_unbound_wq, &unmapping.work);
	flush_work(&unmapping.work);
	destroy_work_on_stack(&unmapping.work);
	return unmapping.is_done;
}

/* Their area still refers to them, and to the module's name and function for it. */
static void leave_slots(void)
{
	tl_pin();
	pr_warn("trapline: a page of slots could not be unmapped, and is not freed\n");
}

void shim_slots_unmap(unsigned long handle)
{
	struct space *space = (struct space *)handle;
	bool is_there = mmget_not_zero(space->mm);
	struct slots *it, *next;
	unsigned long state;
	LIST_HEAD(pages);

	if (is_there)
		stop_machine(move_out, space, NULL);
	raw_spin_lock_irqsave(&tl_space_lock, state);
	list_splice_init(&space->pages, &pages);
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	list_for_each_entry_safe(it, next, &pages, others) {
		if (!is_there || unmap_by_worker(space->mm, it) || it->is_told)
			put_slots(it);
		else
			leave_slots();
	}
	if (is_there)
		mmput(space->mm);
}
