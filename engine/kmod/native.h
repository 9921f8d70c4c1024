/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The self-test of an architecture: an instruction that somebody chooses, run on
 * registers that he chooses, so that what it does by itself can be compared with
 * what it does while it is probed. Built into the module with seeded defects only.
 *
 * The instruction stands in a page of its own, which the module lists as the
 * function `trapline_native`, so that it can be probed as every other. Whoever
 * may open the device can have the kernel execute whatever he likes.
 */
#ifndef TRAPLINE_NATIVE_H
#define TRAPLINE_NATIVE_H

#include <linux/types.h>

#define TRAPLINE_NATIVE_NAME "trapline_native"

/* Where that function is; 0 where this architecture has no self-test. */
unsigned long trapline_native_site(void);

/* Before and after all else that a trap needs. */
int trapline_native_prepare(void);
void trapline_native_release(void);

/* When traps are caught already, and while they still are. */
int trapline_native_init(void);
void trapline_native_exit(void);

#endif
