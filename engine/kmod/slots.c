// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Pages of slots in traced processes. A thread in a slot is moved out of it before a page
 * is unmapped, and before a signal's frame is built, so that nothing of the process holds
 * an address in one.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/string.h>

#include <asm/ptrace.h>

#include "internal.h"
#include "shim.h"
#include "space.h"

/* A slot has at least so many bytes. */
#define SLOT_MIN 8

struct slots {
	struct list_head others;
	unsigned long address;
	struct vm_special_mapping mapping;
	struct page *pages[2];
	/* The bytes of a slot. */
	size_t size;
	struct shim_in_slot slots[PAGE_SIZE / SLOT_MIN];
};

static typeof(&_install_special_mapping) install;
static typeof(&do_munmap) unmap;

int tl_slots_init(void)
{
	install = (void *)tl_symbol("_install_special_mapping");
	unmap = (void *)tl_symbol("do_munmap");
	return install && unmap ? 0 : -ENOENT;
}

/* The slot that `pc` is in. Call with tl_space_lock held, or with every thread stopped. */
static const struct shim_in_slot *slot_at(const struct space *space, unsigned long pc)
{
	const struct slots *it;

	list_for_each_entry(it, &space->pages, others)
		if (pc - it->address < PAGE_SIZE && it->size)
			return &it->slots[(pc - it->address) / it->size];
	return NULL;
}

/* A slot is a copy of one instruction and one jump, so `pc` is at either. */
static unsigned long way_out(const struct shim_in_slot *slot, unsigned long pc)
{
	return pc == slot->slot ? slot->site : slot->next;
}

bool tl_slot_way(const struct mm_struct *mm, unsigned long pc, unsigned long *to, bool *is_behind)
{
	const struct shim_in_slot *slot = NULL;
	const struct space *space;
	unsigned long state;

	raw_spin_lock_irqsave(&tl_space_lock, state);
	space = tl_space_of(mm);
	if (space)
		slot = slot_at(space, pc);
	if (slot) {
		*to = way_out(slot, pc);
		*is_behind = pc != slot->slot;
	}
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	return slot;
}

/*
 * The address for a page in the nearest hole below the object at `near`; 0 if there is
 * none. Not above it: that is where a heap grows.
 */
static unsigned long find_hole(struct mm_struct *mm, unsigned long near)
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

static int map_at_hole(struct mm_struct *mm, unsigned long near, struct slots *slots)
{
	const unsigned long flags = VM_EXEC | VM_MAYEXEC | VM_DONTCOPY | VM_IO;
	struct vm_area_struct *area;

	if (mmap_write_lock_killable(mm))
		return -EINTR;
	slots->address = find_hole(mm, near);
	area = slots->address ? install(mm, slots->address, PAGE_SIZE, flags, &slots->mapping) :
				ERR_PTR(-ENOMEM);
	mmap_write_unlock(mm);
	return PTR_ERR_OR_ZERO(area);
}

static void fill(struct page *page)
{
	void *words = kmap_local_page(page);

	memset32(words, tl_poison_trap(), PAGE_SIZE / sizeof(u32));
	kunmap_local(words);
}

static void free_slots(struct slots *slots)
{
	if (slots && slots->pages[0])
		__free_page(slots->pages[0]);
	kvfree(slots);
}

/*
 * The area refers to the mapping, and only an area at its own address is unmapped before
 * that is freed. (The kernel calls this for the new area, and undoes the move.)
 */
static int refuse_move(const struct vm_special_mapping *mapping, struct vm_area_struct *area)
{
	return -EPERM;
}

static struct slots *new_slots(void)
{
	struct slots *slots = kvzalloc(sizeof(*slots), GFP_KERNEL);

	if (!slots)
		return NULL;
	slots->mapping.name = "[trapline]";
	slots->mapping.pages = slots->pages;
	slots->mapping.mremap = refuse_move;
	slots->pages[0] = alloc_page(GFP_HIGHUSER);
	if (!slots->pages[0]) {
		free_slots(slots);
		return NULL;
	}
	fill(slots->pages[0]);
	return slots;
}

unsigned long shim_slots_map(unsigned long handle, unsigned long near)
{
	struct space *space = (struct space *)handle;
	struct slots *slots = new_slots();
	unsigned long state;
	int error;

	if (!slots || !mmget_not_zero(space->mm)) {
		free_slots(slots);
		return 0;
	}
	error = map_at_hole(space->mm, near, slots);
	mmput(space->mm);
	if (error) {
		free_slots(slots);
		return 0;
	}
	raw_spin_lock_irqsave(&tl_space_lock, state);
	list_add(&slots->others, &space->pages);
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	tl_memory_count(1);
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

/* No thread is in the slot yet, so it is known before its code is there. */
void shim_slots_write(unsigned long handle, const struct shim_in_slot *slot, const void *code)
{
	struct space *space = (struct space *)handle;
	struct slots *slots = slots_of(space, slot->slot);
	unsigned long state;

	if (!slots || slot->size < SLOT_MIN)
		return;
	raw_spin_lock_irqsave(&tl_space_lock, state);
	slots->size = slot->size;
	slots->slots[(slot->slot - slots->address) / slot->size] = *slot;
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	if (!mmget_not_zero(space->mm))
		return;
	write_slot(space->mm, slots, slot, code);
	mmput(space->mm);
}

/* Every other thread is off its CPU, so its user-mode registers are saved. */
static int move_out(void *data)
{
	const struct space *space = data;
	struct task_struct *process, *thread;
	const struct shim_in_slot *slot;

	for_each_process_thread(process, thread) {
		struct pt_regs *regs = task_pt_regs(thread);

		if (thread->mm != space->mm)
			continue;
		slot = slot_at(space, instruction_pointer(regs));
		if (slot)
			instruction_pointer_set(regs, way_out(slot, instruction_pointer(regs)));
	}
	return 0;
}

/* Whether nothing refers to the slots any more. The kernel may lack memory to unmap them. */
static bool unmap_page(struct mm_struct *mm, const struct slots *slots)
{
	struct vm_area_struct *area;
	bool is_done = true;

	mmap_write_lock(mm);
	area = vma_lookup(mm, slots->address);
	if (is_ours(area, slots))
		is_done = !unmap(mm, slots->address, PAGE_SIZE, NULL);
	mmap_write_unlock(mm);
	return is_done;
}

/* Their area still refers to them, and to the module's name and function for it. */
static void leave_slots(void)
{
	tl_pin();
	pr_warn("trapline: no memory to unmap a page of slots, which is not freed\n");
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
		tl_memory_count(-1);
		if (!is_there || unmap_page(space->mm, it))
			free_slots(it);
		else
			leave_slots();
	}
	if (is_there)
		mmput(space->mm);
}
