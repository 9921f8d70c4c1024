/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The self-test of an architecture: an instruction that somebody chooses, run on
 * registers that he chooses, so that what it does by itself can be compared with
 * what it does while it is probed. Built into the module with seeded defects only.
 *
 * Each instruction stands in a page of its own, which the module lists as a
 * function `trapline_native`, so that it can be probed as every other. There are
 * several, since what it costs to arm one probe it costs to arm all of them.
 * Whoever may open the device can have the kernel execute whatever he likes.
 */
#ifndef TRAPLINE_SELFTEST_H
#define TRAPLINE_SELFTEST_H

#include <linux/types.h>

#define TRAPLINE_NATIVE_NAME "trapline_native"

/*
 * selftest.c, or no_selftest.c where there is no self-test: where the function of
 * that number is, at a higher address than the one before; or 0, if there are not so many.
 */
unsigned long tl_selftest_site(unsigned int number);

/* selftest.c: before and after all else that a trap needs. */
int tl_selftest_prepare(void);
void tl_selftest_release(void);

/* selftest.c: when traps are caught already, and while they still are. */
int tl_selftest_init(void);
void tl_selftest_exit(void);

/* What an architecture's self-test is made of: arch/. */
struct trapline_native {
	/* What a run begins with and ends with, but for memory. */
	size_t state;
	/* What stands at a site first, since a function that is refused is not listed. */
	const void *first;
	size_t first_length;
	/* Finds what is needed of the kernel's own functions. */
	int (*prepare)(void);
	/* The hook that catches what begins a run, and what ends it. */
	int (*hook)(void);
	void (*unhook)(void);
	/* Runs what is where that state says, and puts there what became of it. */
	void (*run)(void *state);
};

extern const struct trapline_native trapline_native;

#endif
