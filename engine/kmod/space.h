/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Address spaces of traced processes: what the files about them share. */
#ifndef TRAPLINE_SPACE_H
#define TRAPLINE_SPACE_H

#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct mm_struct;
struct task_struct;
struct tl_place;

/* Text that a trap has displaced, now or earlier: so many bytes of a word each. */
struct displaced {
	unsigned long address;
	u32 word;
	u32 trap;
	u32 length;
};


struct space {
	/* Its release callback is called when the last thread leaves. */
	struct mmu_notifier notifier;
	struct mm_struct *mm;
	/* Whether its program's words are shorter than the kernel's. */
	bool is_compat;
	struct list_head others;
	bool is_gone;
	/* Its release callback has nothing to report any more. */
	bool is_closing;
	/*
	 * Ordered by address; protected by tl_text_lock. Nothing is removed: a child may
	 * have been forked before its parent's text was restored, and is cleaned after.
	 */
	struct displaced *displaced;
	size_t count;
	/* Children that have yet to be cleaned. Changes under tl_space_lock. */
	unsigned int children;
	/* Counters that are raised, or were; protected by tl_text_lock. */
	struct list_head counters;
	/* Pages of slots. Changes under tl_space_lock. */
	struct list_head pages;
};

/* Serialises writes to the text of processes, and is taken after the control lock. */
extern struct mutex tl_text_lock;

/* The open spaces. The lock is raw, and taken with interrupts disabled. */
extern struct list_head tl_spaces;
extern raw_spinlock_t tl_space_lock;
extern wait_queue_head_t tl_children_cleaned;

/* space.c: the space with this mm; NULL if it is not open. Call with tl_space_lock held. */
struct space *tl_space_of(const struct mm_struct *mm);

/*
 * space.c: removes the traps of `space` from the text of another address space, which is
 * the current process's own, and what we added to counters. May sleep.
 */
void tl_space_clean(struct space *space, struct mm_struct *mm);

/*
 * space.c: what a trap at an address of an open space displaces, or did; returns how often text
 * of processes was written to, or 0 if no trap was there. May sleep.
 */
unsigned long tl_space_displaced(const struct mm_struct *mm, unsigned long address,
				 struct displaced *to);

/*
 * counters.c: takes what we added to counters from the copies in another address space, which
 * is the current process's own. Call with tl_text_lock held. May sleep.
 */
void tl_counters_clean(struct space *space, struct mm_struct *mm);
void tl_counters_free(struct space *space);

/* private.c: drops the private copies of pages that equal their file's. May sleep. */
void tl_space_drop_copies(struct space *space);

/*
 * user.c: starts and ends what has to be seen of processes while a space is open. To end it takes
 * longer than an exec: it is begun, too, while these are held.
 */
int tl_user_begin(void);
void tl_user_end(void);

/* interrupted.c: moves threads out of slots for signals and debuggers, while a space is open. */
int tl_interrupted_init(void);
void tl_interrupted_exit(void);
int tl_interrupted_begin(void);
void tl_interrupted_end(void);

/* interrupted.c: whether this thread's trap at `site` has fired already. */
bool tl_unmark(unsigned long site);

/*
 * slots.c: the place to continue at instead of `pc`, if that is in a slot; `is_behind` tells
 * whether the copy has been executed. Callable with preemption disabled.
 */
bool tl_slot_way(const struct mm_struct *mm, unsigned long pc, struct tl_place *to,
		 bool *is_behind);

#endif
