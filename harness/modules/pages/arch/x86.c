// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The upper levels of the kernel's tables permit everything, so the last level decides. */
#include <linux/pgtable.h>

#include "../pages.h"

struct rights pages_rights(unsigned long address)
{
	struct rights rights = {};
	unsigned int level;
	pte_t *pte = lookup_address(address, &level);

	if (!pte || !(pte_flags(*pte) & _PAGE_PRESENT))
		return rights;
	rights.mapped = true;
	rights.write = pte_flags(*pte) & _PAGE_RW;
	rights.execute = !(pte_flags(*pte) & _PAGE_NX);
	return rights;
}
