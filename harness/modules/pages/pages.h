/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef TRAPLINE_PAGES_H
#define TRAPLINE_PAGES_H

#include <linux/types.h>

/*
 * The kernel's permissions at an address, read from the tables that the processor
 * uses. No lock is taken: the caller must know that the mapping does not change.
 */
struct rights {
	bool mapped;
	bool write;
	bool execute;
};

struct rights pages_rights(unsigned long address);

#endif
