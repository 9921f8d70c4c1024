// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Address spaces of traced processes, and their text. A write makes a private copy of the
 * page, as a debugger's does, so no other process sees it. All other threads are stopped
 * meanwhile, on whatever CPU: none executes half of a change, or a stale instruction.
 */
#include <linux/bsearch.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/pages.h"
#include "internal.h"
#include "shim.h"
#include "space.h"
#include "trapline.h"
#include "unexported.h"

DEFINE_MUTEX(tl_text_lock);
LIST_HEAD(tl_spaces);
DEFINE_RAW_SPINLOCK(tl_space_lock);
DECLARE_WAIT_QUEUE_HEAD(tl_children_cleaned);

UNEXPORTED(ptrace_may_access);

int tl_space_init(void)
{
	return tl_resolve(ptrace_may_access) ? tl_slots_init() : -ENOENT;
}

struct space *tl_space_of(const struct mm_struct *mm)
{
	struct space *space;

	list_for_each_entry(space, &tl_spaces, others)
		if (space->mm == mm)
			return space;
	return NULL;
}

static void report_gone(struct work_struct *work)
{
	trapline_processes_gone();
}

static DECLARE_WORK(gone, report_gone);

/*
 * exit_mmap() or an exec calls this, possibly under the control lock: hence the work. So
 * does mmu_notifier_unregister().
 */
static void released(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct space *space = container_of(notifier, struct space, notifier);

	WRITE_ONCE(space->is_gone, true);
	if (!READ_ONCE(space->is_closing))
		schedule_work(&gone);
}

static const struct mmu_notifier_ops notifications = { .release = released };

void tl_space_exit(void)
{
	flush_work(&gone);
	tl_interrupted_exit();
}

/*
 * Takes a reference to the mm of a task that the caller may trace. What it executes, and
 * as whom, does not change meanwhile: the permission is that for this mm.
 */
static int mm_of(struct task_struct *task, struct mm_struct **mm, bool *is_compat)
{
	int error = 0;

	if (task->flags & PF_KTHREAD)
		return -EINVAL;
	if (down_read_killable(&task->signal->exec_update_lock))
		return -EINTR;
	if (!tl_unexported(ptrace_may_access)(task, PTRACE_MODE_ATTACH_REALCREDS))
		error = -EPERM;
	*is_compat = tl_is_compat(task);
	if (!error && *is_compat && !tl_traps_compat())
		error = -ENOEXEC;
	*mm = error ? NULL : get_task_mm(task);
	up_read(&task->signal->exec_update_lock);
	return error ?: *mm ? 0 : -ESRCH;
}

static int find_mm(pid_t pid, struct mm_struct **mm, bool *is_compat)
{
	struct task_struct *task;
	int error;

	rcu_read_lock();
	task = pid_task(find_vpid(pid), PIDTYPE_PID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return -ESRCH;
	error = mm_of(task, mm, is_compat);
	put_task_struct(task);
	if (!error && *mm == current->mm) {
		mmput(*mm);
		error = -EINVAL;
	}
	return error;
}

static struct space *open_space(struct mm_struct *mm, bool is_compat)
{
	struct space *space = kzalloc(sizeof(*space), GFP_KERNEL);
	unsigned long state;

	if (!space)
		return ERR_PTR(-ENOMEM);
	space->mm = mm;
	space->is_compat = is_compat;
	space->notifier.ops = &notifications;
	INIT_LIST_HEAD(&space->pages);
	INIT_LIST_HEAD(&space->counters);
	if (mmu_notifier_register(&space->notifier, mm)) {
		kfree(space);
		return ERR_PTR(-ENOMEM);
	}
	if (list_empty(&tl_spaces) && tl_user_begin()) {
		mmu_notifier_unregister(&space->notifier, mm);
		kfree(space);
		return ERR_PTR(-ENOMEM);
	}
	raw_spin_lock_irqsave(&tl_space_lock, state);
	list_add(&space->others, &tl_spaces);
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	tl_memory_count(1);
	return space;
}

int shim_space_open(u32 pid, struct shim_space *to)
{
	struct space *space;
	struct mm_struct *mm;
	bool is_compat;
	int error = find_mm(pid, &mm, &is_compat);

	if (error)
		return error;
	/* Only the control lock's holder changes the list. */
	space = tl_space_of(mm);
	if (!space)
		space = open_space(mm, is_compat);
	mmput(mm);
	if (IS_ERR(space))
		return PTR_ERR(space);
	to->handle = (unsigned long)space;
	to->key = (unsigned long)mm;
	to->is_compat = is_compat;
	return 0;
}

static bool are_cleaned(const struct space *space)
{
	unsigned long state;
	bool are;

	raw_spin_lock_irqsave(&tl_space_lock, state);
	are = !space->children;
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	return are;
}

/*
 * A child is cleaned before it enters user mode, for which it needs no lock of a waiter.
 * Those are waited for that were forked while the space could still be found.
 */
void shim_space_close(unsigned long handle)
{
	struct space *space = (struct space *)handle;
	unsigned long state;

	/*
	 * A fork copies the text before it comes to its tracepoint. Text is restored by now,
	 * but one that is between the two has to find the space. (If it sleeps there it may
	 * be overtaken.)
	 */
	if (!shim_space_is_gone(handle))
		synchronize_rcu_tasks();
	/* Of a process that is gone, whose mappings are, too. */
	shim_slots_unmap(handle);
	tl_space_drop_copies(space);
	raw_spin_lock_irqsave(&tl_space_lock, state);
	list_del(&space->others);
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	wait_event(tl_children_cleaned, are_cleaned(space));
	if (list_empty(&tl_spaces))
		tl_user_end();
	WRITE_ONCE(space->is_closing, true);
	mmu_notifier_unregister(&space->notifier, space->mm);
	/* A trap may be looking it up. */
	mutex_lock(&tl_text_lock);
	kvfree(space->displaced);
	tl_counters_free(space);
	kfree(space);
	mutex_unlock(&tl_text_lock);
	tl_memory_count(-1);
}

int shim_space_is_gone(unsigned long handle)
{
	const struct space *space = (struct space *)handle;

	return READ_ONCE(space->is_gone) || !atomic_read(&space->mm->mm_users);
}

unsigned long shim_current_space(void)
{
	return (unsigned long)current->mm;
}

int shim_space_hold(u32 pid, unsigned long *key)
{
	struct mm_struct *mm;
	bool is_compat;
	int error = find_mm(pid, &mm, &is_compat);

	if (error)
		return error;
	/* The memory of the process itself is not kept. */
	mmgrab(mm);
	mmput(mm);
	*key = (unsigned long)mm;
	return 0;
}

void shim_space_drop(unsigned long key)
{
	mmdrop((struct mm_struct *)key);
}

static int read_page(struct mm_struct *mm, unsigned long address, void *to, size_t length)
{
	struct page *page;
	void *from;

	if (compat_get_page(mm, address, FOLL_FORCE, &page))
		return -EFAULT;
	from = kmap_local_page(page);
	memcpy(to, from + offset_in_page(address), length);
	kunmap_local(from);
	put_page(page);
	return 0;
}

int shim_space_read(unsigned long handle, unsigned long address, void *to, size_t length)
{
	struct mm_struct *mm = ((struct space *)handle)->mm;
	int error = 0;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	mmap_read_lock(mm);
	while (length && !error) {
		size_t part = min_t(size_t, length, PAGE_SIZE - offset_in_page(address));

		error = read_page(mm, address, to, part);
		address += part;
		to += part;
		length -= part;
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return error;
}

/*
 * What to write at one time, each with its pinned page. A word that lies in two pages has a place
 * for each. Protected by tl_text_lock.
 */
static struct place {
	struct shim_user_patch *patch;
	struct page *page;
	struct vm_area_struct *area;
	/* The part of the word that is in the page. */
	size_t from, length;
} places[TL_PATCHES];

static unsigned long part_address(const struct place *place)
{
	return place->patch->address + place->from;
}

static void check_part(const struct place *place)
{
	struct shim_user_patch *patch = place->patch;
	void *page = kmap_local_page(place->page);

	if (memcmp(page + offset_in_page(part_address(place)),
		   (const char *)&patch->expected + place->from, place->length))
		patch->outcome = SHIM_DIFFERENT;
	else if (patch->outcome == SHIM_WRITTEN && !(place->area->vm_flags & VM_EXEC))
		patch->outcome = SHIM_UNWRITABLE;
	kunmap_local(page);
}

static void write_part(const struct place *place)
{
	unsigned long address = part_address(place);
	void *page = kmap_local_page(place->page);

	tl_write_text(place->area, place->page, address, page + offset_in_page(address),
		      (const char *)&place->patch->word + place->from, place->length);
	kunmap_local(page);
}

/* A word is written as a whole or not at all. */
static int write_words(void *count)
{
	size_t i;

	for (i = 0; i < *(size_t *)count; i++)
		check_part(&places[i]);
	for (i = 0; i < *(size_t *)count; i++)
		if (places[i].patch->outcome == SHIM_WRITTEN)
			write_part(&places[i]);
	return 0;
}

/*
 * Pins the page of a part of a word as a private copy. Memory that is not executable is not
 * written: if a trap seems to be there it may be data, or a text that will be executable again
 * and must then be known. A text that is gone is different, and so is a
 * shared mapping: no trap can be there. (If it is writable the kernel would pin the shared
 * page itself, which may be a file's.) What cannot be copied is unwritable.
 */
static bool pin_part(struct mm_struct *mm, struct place *place)
{
	const unsigned int flags = FOLL_FORCE | FOLL_WRITE | FOLL_SPLIT_PMD;
	unsigned long address = part_address(place);

	place->area = vma_lookup(mm, address);
	place->patch->outcome = SHIM_DIFFERENT;
	if (!place->area || !compat_is_copied_on_write(place->area))
		return false;
	place->patch->outcome = SHIM_UNWRITABLE;
	if (compat_get_page(mm, address, flags, &place->page))
		return false;
	/* Until it turns out otherwise. */
	place->patch->outcome = SHIM_WRITTEN;
	return true;
}

/* Returns the number of its parts. */
static size_t pin(struct mm_struct *mm, struct shim_user_patch *patch, struct place *place)
{
	size_t first = min_t(size_t, patch->length, PAGE_SIZE - offset_in_page(patch->address));

	place[0] = (struct place){ .patch = patch, .length = first };
	if (!pin_part(mm, &place[0]))
		return 0;
	if (first == patch->length)
		return 1;
	place[1] = (struct place){ .patch = patch, .from = first, .length = patch->length - first };
	if (pin_part(mm, &place[1]))
		return 2;
	put_page(place[0].page);
	return 0;
}

static void unpin(size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		set_page_dirty_lock(places[i].page);
		put_page(places[i].page);
	}
}

/*
 * Writes some of the patches and returns how many. From pinning until the words are
 * written the mmap lock is held, which a fork takes for writing: a child has either word.
 */
static size_t write_some(struct mm_struct *mm, struct shim_user_patch *patches, size_t count,
			 bool stop)
{
	size_t pinned = 0, done;

	for (done = 0; done < count && pinned + 2 <= ARRAY_SIZE(places); done++)
		pinned += pin(mm, &patches[done], &places[pinned]);
	if (pinned && stop)
		stop_machine(write_words, &pinned, NULL);
	else
		write_words(&pinned);
	unpin(pinned);
	return done;
}

/* Call with tl_text_lock held. */
static void write_text(struct mm_struct *mm, struct shim_user_patch *patches, size_t count,
		       bool stop)
{
	mmap_read_lock(mm);
	while (count) {
		size_t done = write_some(mm, patches, count, stop);

		patches += done;
		count -= done;
	}
	mmap_read_unlock(mm);
}

/* Merges words that are about to be displaced, ordered by address, into those known. */
static int remember(struct space *space, const struct shim_user_patch *patches, size_t count)
{
	size_t room = space->count + count, old = 0, new = 0, n = 0;
	struct displaced *all = kvmalloc_array(room, sizeof(*all), GFP_KERNEL);

	if (!all)
		return -ENOMEM;
	while (old < space->count || new < count) {
		const struct displaced *known = &space->displaced[old];
		bool take = new == count ||
			    (old < space->count && known->address < patches[new].address);

		if (take) {
			all[n++] = space->displaced[old++];
			continue;
		}
		old += old < space->count && known->address == patches[new].address;
		all[n++] = (struct displaced){
			.address = patches[new].address,
			.word = patches[new].expected,
			.trap = patches[new].word,
			.length = patches[new].length,
		};
		new++;
	}
	kvfree(space->displaced);
	space->displaced = all;
	space->count = n;
	return 0;
}

static int compare(const void *address, const void *displaced)
{
	unsigned long a = *(unsigned long *)address, b = ((struct displaced *)displaced)->address;

	return a < b ? -1 : a > b;
}

static struct space *find_space(const struct mm_struct *mm)
{
	struct space *space;
	unsigned long state;

	raw_spin_lock_irqsave(&tl_space_lock, state);
	space = tl_space_of(mm);
	raw_spin_unlock_irqrestore(&tl_space_lock, state);
	return space;
}

/* How often text was written to. Protected by tl_text_lock. */
static unsigned long changes;

/*
 * Spaces are opened and closed while others hold the text lock, but not freed. A process that
 * is not traced does not take it.
 */
unsigned long tl_space_displaced(const struct mm_struct *mm, unsigned long address,
				 struct displaced *to)
{
	const struct displaced *found = NULL;
	unsigned long changed = 0;
	struct space *space;

	if (!find_space(mm))
		return 0;
	mutex_lock(&tl_text_lock);
	space = find_space(mm);
	if (space)
		found = bsearch(&address, space->displaced, space->count,
				sizeof(*space->displaced), compare);
	if (found) {
		*to = *found;
		changed = changes;
	}
	mutex_unlock(&tl_text_lock);
	return changed;
}

static void fail(struct shim_user_patch *patches, size_t count, enum shim_outcome outcome)
{
	while (count--)
		patches[count].outcome = outcome;
}

void shim_space_patch(unsigned long handle, struct shim_user_patch *patches, size_t count,
		      bool are_traps)
{
	struct space *space = (struct space *)handle;

	if (!mmget_not_zero(space->mm))
		return fail(patches, count, SHIM_DIFFERENT);
	mutex_lock(&tl_text_lock);
	changes++;
	if (are_traps && remember(space, patches, count))
		fail(patches, count, SHIM_UNWRITABLE);
	else
		write_text(space->mm, patches, count, true);
	mutex_unlock(&tl_text_lock);
	mmput(space->mm);
}

/*
 * The child has one thread, which is this one. It is cleaned by few words at a time, as
 * memory for all would have to be there.
 */
void tl_space_clean(struct space *space, struct mm_struct *mm)
{
	struct shim_user_patch some[16];
	size_t done = 0, i;

	mutex_lock(&tl_text_lock);
	while (done < space->count) {
		size_t count = min_t(size_t, space->count - done, ARRAY_SIZE(some));

		for (i = 0; i < count; i++) {
			const struct displaced *it = &space->displaced[done + i];

			some[i] = (struct shim_user_patch){
				.address = it->address,
				.expected = it->trap,
				.word = it->word,
				.length = it->length,
			};
		}
		write_text(mm, some, count, false);
		done += count;
	}
	tl_counters_clean(space, mm);
	mutex_unlock(&tl_text_lock);
}
