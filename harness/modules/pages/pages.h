/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef TRAPLINE_PAGES_H
#define TRAPLINE_PAGES_H

#include <linux/types.h>

/* What the page tables allow the kernel at an address. */
struct rights {
	bool mapped;
	bool write;
	bool execute;
};

struct rights pages_rights(unsigned long address);

#endif
